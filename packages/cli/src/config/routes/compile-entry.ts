import {
  byContextLength,
  cheapest,
  fallback,
  fastest,
  hedge,
  leastBusy,
  type ModelEntry,
  mirror,
  type RouteKey,
  split,
  sticky,
  type Target,
  weighted,
  when,
} from '@sluice/core'
import { roundRobin, withCallOptions, withParameters } from '@sluice/core/routing'
import type { RouteChoice, RouteConfig } from '../config.ts'
import { collectIssues, collectOptionIssues } from '../shape/collect-issues.ts'
import { isPlainObject } from '../shape/collections.ts'
import type { ConfigLocation } from '../shape/shape.ts'
import { compileCondition } from './compile-condition.ts'
import { isCode } from './is-code.ts'
import { type EntryScope, namedEntry } from './route-scope.ts'

/** Compiles an entry of the core's table from data of a valid shape. Reports what is invalid and returns `undefined`. */
export function compileEntry(
  config: RouteConfig,
  location: ConfigLocation,
  scope: EntryScope,
): ModelEntry | undefined {
  if (typeof config === 'string') return namedEntry(config, location, scope)
  if (isCode(config)) return checkedCode(config as ModelEntry, location)
  if (isList(config)) return compileEntries(config, location, scope)
  return collectIssues(location, () => compileChoice(config as RouteChoice, location, scope))
}

/** Checks each entry by itself, because a table reports its first issue only. */
function checkedCode(entry: ModelEntry, location: ConfigLocation): ModelEntry | undefined {
  // Its own path begins with its place among the entries of the function.
  return collectIssues(location, () => fallback(entry), 1) && entry
}

/** The same of a target whose members stand at this place. */
function checkedTarget(target: Target, location: ConfigLocation): Target | undefined {
  return collectOptionIssues(location, () => fallback(target), 1) && target
}

function isList(config: RouteConfig): config is readonly RouteConfig[] {
  return Array.isArray(config)
}

/** All of them, or none: what is left out would be missed later. */
function compileEntries(
  configs: readonly RouteConfig[],
  location: ConfigLocation,
  scope: EntryScope,
): readonly ModelEntry[] | undefined {
  return all(configs.map((each, at) => compileEntry(each, location.at(at), scope)))
}

function all<T>(items: readonly (T | undefined)[]): readonly T[] | undefined {
  return items.every(item => item !== undefined) ? items : undefined
}

function compileChoice(
  config: RouteChoice,
  location: ConfigLocation,
  scope: EntryScope,
): ModelEntry | undefined {
  const entry = (each: RouteConfig, ...steps: (string | number)[]) =>
    compileEntry(
      each,
      steps.reduce<ConfigLocation>((at, step) => at.at(step), location),
      scope,
    )
  const entries = (each: readonly RouteConfig[], name: string) =>
    compileEntries(each, location.at(name), scope)
  if ('fallback' in config) {
    const { on } = config
    const found = entries(config.fallback, 'fallback')
    return found && (on === undefined ? fallback(...found) : fallback(...found, { on }))
  }
  if ('weighted' in config) {
    const found = all(config.weighted.map(({ to }, at) => entry(to, 'weighted', at, 'to')))
    return found && weighted(...found.map((each, at) => [each, config.weighted[at]!.weight] as const))
  }
  if ('fastest' in config) return made(entries(config.fastest, 'fastest'), found => fastest(...found))
  if ('leastBusy' in config) return made(entries(config.leastBusy, 'leastBusy'), found => leastBusy(...found))
  if ('roundRobin' in config)
    return made(entries(config.roundRobin, 'roundRobin'), found => roundRobin(...found))
  if ('byContextLength' in config) {
    return made(entries(config.byContextLength, 'byContextLength'), found => byContextLength(...found))
  }
  if ('cheapest' in config) {
    const { outputTokens } = config
    const found = entries(config.cheapest, 'cheapest')
    return found && (outputTokens === undefined ? cheapest(...found) : cheapest(...found, { outputTokens }))
  }
  if ('sticky' in config) {
    const found = all(
      config.sticky.map((each, at) => {
        if (!isWeighed(each)) return entry(each, 'sticky', at)
        const target = entry(each.to, 'sticky', at, 'to')
        return target === undefined ? undefined : ([target, each.weight] as const)
      }),
    )
    return found && sticky(config.by as RouteKey, ...found)
  }
  if ('split' in config) {
    const arms = Object.entries(config.split).map(([name, { to, share }]) => {
      const target = entry(to, 'split', name, 'to')
      return target === undefined ? undefined : ([name, [target, share]] as const)
    })
    const found = all(arms)
    return found && split(Object.fromEntries(found), config.by as RouteKey | undefined)
  }
  if ('hedge' in config) {
    const { afterMs } = config
    return made(entries(config.hedge, 'hedge'), ([first, second]) => hedge(first!, second!, { afterMs }))
  }
  if ('mirror' in config) {
    const { share = 1 } = config
    const pair = all([entry(config.mirror, 'mirror'), entry(config.shadow, 'shadow')])
    return made(pair, ([first, shadow]) => mirror(first!, shadow!, { share }))
  }
  if ('when' in config) {
    const pair = all([entry(config.use, 'use'), entry(config.otherwise, 'otherwise')])
    return made(pair, ([use, otherwise]) => when(compileCondition(config.when), use!, otherwise!))
  }
  return compileTarget(config, location, scope)
}

function made<T>(parts: T | undefined, make: (parts: T) => ModelEntry): ModelEntry | undefined {
  return parts && make(parts)
}

function isWeighed(config: unknown): config is { readonly to: RouteConfig; readonly weight: number } {
  return isPlainObject(config) && 'to' in config && 'weight' in config
}

function compileTarget(
  {
    to,
    parameters,
    capabilities,
    allowFields,
    embeddingSpace,
    timeouts,
    maxAttempts,
    retry,
    breaker,
    limits,
  }: Extract<RouteChoice, { readonly to: string }>,
  location: ConfigLocation,
  scope: EntryScope,
): ModelEntry | undefined {
  const found = namedEntry(to, location.at('to'), scope)
  if (found === undefined) return undefined
  for (const [name, given] of Object.entries({ capabilities, allowFields, embeddingSpace })) {
    if (given === undefined || typeof found !== 'string') continue
    const got = `${name} beside the name of another model`
    const expected = `${name} beside a target, such as { to: 'openai/gpt-4.1', ${name} }`
    return location.at(name).add({ got, expected })
  }
  let entry: ModelEntry | undefined = found
  if (capabilities !== undefined)
    entry = checkedTarget(withCapabilities(found as Target, capabilities), location)
  if (entry !== undefined && allowFields !== undefined)
    entry = checkedTarget({ ...(entry as Target), allowFields }, location)
  if (entry !== undefined && embeddingSpace !== undefined)
    entry = checkedTarget({ ...(entry as Target), embeddingSpace }, location)
  const checked = entry && checkedCode(entry, location)
  const made =
    checked === undefined || parameters === undefined
      ? checked
      : collectIssues(location.at('parameters'), () => withParameters(checked, parameters))
  const own = { timeouts, maxAttempts, retry, breaker, limits }
  if (made === undefined || Object.values(own).every(each => each === undefined)) return made
  const rules = location.at('limits')
  const limiter =
    limits && collectOptionIssues(rules, () => scope.targetLimits.of(rules.path.join('\0'), limits))
  const options = { ...own, limits: limiter }
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  return collectOptionIssues(location, () => withCallOptions(made, given))
}

function withCapabilities(target: Target, capabilities: Target['capabilities']): Target {
  return { ...target, capabilities: { ...target.capabilities, ...capabilities } }
}
