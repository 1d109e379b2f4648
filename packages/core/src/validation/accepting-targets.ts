import type { RequestExtension, Target } from '../contracts/provider.ts'
import type { RouteContext, RoutedTarget } from '../contracts/route.ts'
import {
  type ConfigurationIssue,
  configurationIssue,
  type OptionPath,
} from '../errors/configuration-error.ts'
import { memberOf } from '../primitives/own-members.ts'
import { type InputRewrite, targetWithRewrite } from './overridden-input.ts'

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

/** An extension that a request uses. */
export interface FoundExtension {
  readonly name: RequestExtension
  /** Where the request uses it first: `messages[0].content[1].type`. */
  readonly path: string
}

const none: readonly RequestExtension[] = Object.freeze([])

/** Returns the extensions that the provider of a target accepts. */
export function acceptedBy({ provider }: Target): readonly RequestExtension[] {
  return memberOf(provider, 'accepts') ?? none
}

/** Returns how to drop or map extensions that a provider does not accept. `undefined`: one of them can be neither. */
export type ExtensionRemover = (missing: readonly RequestExtension[]) => InputRewrite | undefined

/**
 * Returns the targets that a request with extensions may be sent to, in order: those whose providers accept all of them. Changes
 * shadows in the same way.
 *
 * @param remover - keeps targets for which it can remove the others. Absent: there are none.
 * @param log - records each target and shadow that is removed.
 */
export function acceptingTargets<T extends RoutedTarget>(
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
