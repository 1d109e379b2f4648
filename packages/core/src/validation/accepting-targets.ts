import type { ExtensionPolicy, ExtensionRemover, FoundExtension } from '../contracts/dialect.ts'
import type { RequestExtension, Target } from '../contracts/provider.ts'
import type { RouteContext, RoutedTarget } from '../contracts/route.ts'
import {
  type ConfigurationIssue,
  configurationIssue,
  type OptionPath,
} from '../errors/configuration-error.ts'
import { memberOf } from '../primitives/own-members.ts'
import { targetWithRewrite } from './overridden-settings.ts'
import { speaks } from './speaks.ts'

const names: Readonly<Record<RequestExtension, true>> = {
  string_media: true,
  document_url: true,
  video_url: true,
  audio_url: true,
  file_url: true,
  tool_result_media: true,
  thinking_parts: true,
  tool_choice_any: true,
  untyped_tools: true,
  server_tools: true,
  service_tiers: true,
}

/** The names of all request extensions. */
export const requestExtensions = Object.keys(names) as readonly RequestExtension[]

/** Returns the issue of invalid `accepts`, or `undefined`. `path` is that of the option. */
export function acceptsIssue(accepts: unknown, path: OptionPath): ConfigurationIssue | undefined {
  if (accepts === undefined) return undefined
  if (!Array.isArray(accepts)) {
    return configurationIssue(path, accepts, "an array of request extensions, such as ['video_url']")
  }
  const index = accepts.findIndex(name => !requestExtensions.includes(name))
  if (index < 0) return undefined
  return configurationIssue([...path, index], accepts[index], `one of ${requestExtensions.join(', ')}`)
}

const none: readonly FoundExtension[] = Object.freeze([])

const noExtensions: readonly RequestExtension[] = Object.freeze([])

/** Returns the extensions that the provider of a target accepts. */
export function acceptedBy({ provider }: Target): readonly RequestExtension[] {
  return memberOf(provider, 'accepts') ?? noExtensions
}

/** The targets that a request may be sent to, by the extensions that it uses. */
export class AcceptingTargets<T extends RoutedTarget> implements ExtensionPolicy {
  /** The extensions that the request uses. */
  found = none
  /** Those that accept all of them, or all targets where none was found. */
  targets: readonly T[]
  readonly #dialect: string | undefined
  readonly #drops: boolean
  readonly #log: Pick<RouteContext, 'skip'>

  /**
   * @param dialect - that in which targets may get the request as it came; `undefined`: none does.
   * @param drops - whether extensions that a provider does not accept are dropped or mapped, where that is possible.
   */
  constructor(
    targets: readonly T[],
    dialect: string | undefined,
    drops: boolean,
    log: Pick<RouteContext, 'skip'>,
  ) {
    this.targets = targets
    this.#dialect = dialect
    this.#drops = drops
    this.#log = log
  }

  get possible(): boolean {
    return this.#drops || this.targets.some(target => acceptedBy(target).length > 0)
  }

  get passes(): boolean {
    const dialect = this.#dialect
    return dialect !== undefined && this.targets.every(target => speaks(target, dialect))
  }

  accept(found: readonly FoundExtension[], remover: ExtensionRemover): boolean {
    const accepting = acceptingTargets(found, this.targets, this.#drops ? remover : undefined, this.#log)
    if (accepting.length === 0) return false
    this.found = found
    this.targets = accepting
    return true
  }
}

/**
 * Returns the targets that a request with extensions may be sent to, in order: those whose providers accept all of them. Changes
 * shadows in the same way.
 *
 * @param remover - keeps targets for which it can remove the others. Absent: there are none.
 * @param log - records each target and shadow that is removed.
 */
function acceptingTargets<T extends RoutedTarget>(
  found: readonly FoundExtension[],
  targets: readonly T[],
  remover: ExtensionRemover | undefined,
  log: Pick<RouteContext, 'skip'>,
): readonly T[] {
  return selectTargets(targets, target => {
    const accepts = acceptedBy(target)
    const missing = found.filter(({ name }) => !accepts.includes(name))
    if (missing.length === 0) return target
    const rewrite = remover?.(missing.map(({ name }) => name))
    if (rewrite !== undefined) return targetWithRewrite(target, rewrite)
    log.skip(target, { why: 'unfit', detail: missing[0]!.path })
    return undefined
  })
}

/** Returns the targets that `select` returns for the given ones and their shadows; the same array if none changes. */
export function selectTargets<T extends RoutedTarget>(
  targets: readonly T[],
  select: <Any extends Target>(target: Any) => Any | undefined,
): readonly T[] {
  const selected: T[] = []
  for (const target of targets) {
    const result = select(target)
    if (result === undefined) continue
    const { shadows } = target
    const selectedShadows = shadows?.map(shadow => select(shadow)).filter(shadow => shadow !== undefined)
    const isSame = shadows?.every((shadow, at) => shadow === selectedShadows![at]) !== false
    selected.push(isSame ? result : { ...result, shadows: selectedShadows })
  }
  const isSame = selected.length === targets.length && selected.every((target, at) => target === targets[at])
  return isSame ? targets : selected
}
