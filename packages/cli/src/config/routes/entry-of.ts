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
import { withParameters } from '@sluice/core/routing'
import type { RouteChoice, RouteConfig } from '../config.ts'
import { isPlainObject } from '../shape/collections.ts'
import type { Place } from '../shape/shape.ts'
import { tried, triedOptions } from '../shape/tried.ts'
import { conditionOf } from './condition-of.ts'
import { isCode } from './is-code.ts'
import { type EntryScope, namedEntry } from './route-scope.ts'

/** An entry of the core's table out of data whose shape is sound. `undefined` where something in it is not, which is told. */
export function entryOf(config: RouteConfig, place: Place, scope: EntryScope): ModelEntry | undefined {
  if (typeof config === 'string') return namedEntry(config, place, scope)
  if (isCode(config)) return checkedCode(config as ModelEntry, place)
  if (isList(config)) return entriesOf(config, place, scope)
  return tried(place, () => chosen(config as RouteChoice, place, scope))
}

/** Looked at where it stands: a table tells of its first fault only. */
function checkedCode(entry: ModelEntry, place: Place): ModelEntry | undefined {
  // Its own path begins with its place among the entries of the function.
  return tried(place, () => fallback(entry), 1) && entry
}

/** The same of a target whose members stand at this place. */
function checkedTarget(target: Target, place: Place): Target | undefined {
  return triedOptions(place, () => fallback(target), 1) && target
}

function isList(config: RouteConfig): config is readonly RouteConfig[] {
  return Array.isArray(config)
}

/** All of them, or none: what is left out would be missed later. */
function entriesOf(
  configs: readonly RouteConfig[],
  place: Place,
  scope: EntryScope,
): readonly ModelEntry[] | undefined {
  return all(configs.map((each, at) => entryOf(each, place.at(at), scope)))
}

function all<T>(items: readonly (T | undefined)[]): readonly T[] | undefined {
  return items.every(item => item !== undefined) ? items : undefined
}

function chosen(config: RouteChoice, place: Place, scope: EntryScope): ModelEntry | undefined {
  const entry = (each: RouteConfig, ...steps: (string | number)[]) =>
    entryOf(
      each,
      steps.reduce<Place>((at, step) => at.at(step), place),
      scope,
    )
  const entries = (each: readonly RouteConfig[], name: string) => entriesOf(each, place.at(name), scope)
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
    return made(pair, ([use, otherwise]) => when(conditionOf(config.when), use!, otherwise!))
  }
  return placeOf(config, place, scope)
}

function made<T>(parts: T | undefined, make: (parts: T) => ModelEntry): ModelEntry | undefined {
  return parts && make(parts)
}

function isWeighed(config: unknown): config is { readonly to: RouteConfig; readonly weight: number } {
  return isPlainObject(config) && 'to' in config && 'weight' in config
}

function placeOf(
  { to, parameters, capabilities, allowFields }: Extract<RouteChoice, { readonly to: string }>,
  place: Place,
  scope: EntryScope,
): ModelEntry | undefined {
  const found = namedEntry(to, place.at('to'), scope)
  if (found === undefined) return undefined
  for (const [name, given] of Object.entries({ capabilities, allowFields })) {
    if (given === undefined || typeof found !== 'string') continue
    const got = `the ${name} of another entry, which has its own`
    const expected = `them beside a place, such as { to: 'openai/gpt-4.1', ${name} }`
    return place.at(name).add({ got, expected })
  }
  let entry: ModelEntry | undefined = found
  if (capabilities !== undefined)
    entry = checkedTarget(withCapabilities(found as Target, capabilities), place)
  if (entry !== undefined && allowFields !== undefined)
    entry = checkedTarget({ ...(entry as Target), allowFields }, place)
  const made = entry && checkedCode(entry, place)
  if (made === undefined || parameters === undefined) return made
  return tried(place.at('parameters'), () => withParameters(made, parameters))
}

function withCapabilities(target: Target, capabilities: Target['capabilities']): Target {
  return { ...target, capabilities: { ...target.capabilities, ...capabilities } }
}
