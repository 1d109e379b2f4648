import type { RouteConfig } from '../../config/config.ts'
import type { Part } from '../part.ts'
import { placesIn } from '../places-in.ts'
import { type Fallbacks, fallbacksOf, namesIn, standIns } from './fallbacks.ts'
import { type Group, groupRoute, groupUnder, type Strategy } from './group.ts'
import type { Settings } from './settings.ts'

/** The table of models, and the most places that a request may go through. */
export interface Routes {
  readonly models: Readonly<Record<string, RouteConfig>>
  readonly mostPlaces: number
}

/** Each group, and behind it those that stand in for it. */
export function routesOf(groups: ReadonlyMap<string, Group>, strategy: Strategy, settings: Settings): Routes {
  const knows = (name: string) => groupUnder(name, groups) !== undefined
  const routeOf = (name: string) => groupRoute(groupUnder(name, groups)!, strategy)
  const fallbacks = withDefaults(
    fallbacksOf(settings.at('fallbacks'), knows),
    settings.at('default_fallbacks'),
    knows,
  )
  const larger = fallbacksOf(settings.at('context_window_fallbacks'), knows)
  const models = Object.fromEntries([...groups.keys()].map(name => [name, chainOf(name)]))
  return { models, mostPlaces: Math.max(1, ...Object.values(models).map(placesIn)) }

  function chainOf(name: string): RouteConfig {
    const others = standIns(name, fallbacks)
    const own = withLarger(name, others.length)
    return others.length === 0 ? own : [own, ...others.map(routeOf)]
  }

  function withLarger(name: string, others: number): RouteConfig {
    const own = routeOf(name)
    const names = larger.get(name) ?? larger.get('*')?.filter(other => other !== name) ?? []
    if (names.length === 0) return own
    const entries = [own, ...names.map(routeOf)]
    if ([name, ...names].every(sizeIsKnown)) return { byContextLength: entries }
    if (others === 0 && groups.get(name)!.deployments.length === 1)
      return { fallback: entries, on: [{ code: 'context_length_exceeded' }] }
    for (const entry of settings.at('context_window_fallbacks').items()) entry.at(name).lose(...unsized)
    return own
  }

  function sizeIsKnown(name: string): boolean {
    const { deployments } = groupUnder(name, groups)!
    return deployments.every(({ capabilities }) => capabilities?.contextTokens !== undefined)
  }
}

const unsized = [
  'It is not known how long a prompt these models take, and other places stand in for the model, too.',
  'Give model_info.max_input_tokens to all of them and import again, or write { byContextLength: [...] } with the contextTokens of each.',
] as const

function withDefaults(fallbacks: Fallbacks, list: Part, knows: (name: string) => boolean): Fallbacks {
  const names = namesIn(list, knows)
  if (names.length === 0) return fallbacks
  return new Map([...fallbacks, ['*', [...(fallbacks.get('*') ?? []), ...names]]])
}
