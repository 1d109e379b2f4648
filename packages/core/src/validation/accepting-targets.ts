import type { RequestExtension, Target } from '../contracts/provider.ts'
import type { RouteContext, RoutedTarget } from '../contracts/route.ts'
import {
  type ConfigurationIssue,
  configurationIssue,
  type OptionPath,
} from '../errors/configuration-error.ts'

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

/**
 * Returns the targets whose providers accept all extensions that a request uses, in order. Removes shadows in the same way.
 *
 * @param log - records each target and shadow that is removed.
 */
export function acceptingTargets<T extends RoutedTarget>(
  found: readonly FoundExtension[],
  targets: readonly T[],
  log: Pick<RouteContext, 'skip'>,
): readonly T[] {
  return filterTargets(targets, target => {
    const missing = found.find(({ name }) => target.provider.accepts?.includes(name) !== true)
    if (missing !== undefined) log.skip(target, { why: 'unfit', detail: missing.path })
    return missing === undefined
  })
}

/** Returns the targets that pass, without the shadows that do not; the same array if all pass. */
export function filterTargets<T extends RoutedTarget>(
  targets: readonly T[],
  passes: (target: Target) => boolean,
): readonly T[] {
  const passing: T[] = []
  let changed = false
  for (const target of targets) {
    if (!passes(target)) {
      changed = true
      continue
    }
    const { shadows } = target
    const passingShadows = shadows?.filter(passes)
    const isSame = passingShadows?.length === shadows?.length
    if (!isSame) changed = true
    passing.push(isSame ? target : { ...target, shadows: passingShadows })
  }
  return changed ? passing : targets
}
