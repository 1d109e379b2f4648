import type { RouteConfig } from '../../config/config.ts'
import type { Deployment } from './deployment.ts'
import { weightIn, weightKey } from './weight-key.ts'

/** All deployments under one `model_name`. */
export interface Group {
  readonly name: string
  readonly deployments: readonly Deployment[]
}

export type Strategy = 'weighted' | 'leastBusy' | 'fastest' | 'cheapest'

/** The group of a name: its own, or what the longest pattern makes of it. */
export function groupUnder(name: string, groups: ReadonlyMap<string, Group>): Group | undefined {
  const own = groups.get(name)
  if (own !== undefined) return own
  const fitting = [...groups.values()].flatMap(group => {
    const [head = '', tail] = group.name.split('*')
    if (tail === undefined || name.length <= head.length + tail.length) return []
    if (!name.startsWith(head) || !name.endsWith(tail)) return []
    const under = name.slice(head.length, name.length - tail.length)
    const deployments = group.deployments.map(each => ({
      ...each,
      place: each.place.replace('*', () => under),
    }))
    return [{ name: group.name, deployments }]
  })
  return fitting.sort((a, b) => b.name.length - a.name.length)[0]
}

/** The deployments of each `order`, the lowest first; those without one come last. */
export function levelsOf({ deployments }: Pick<Group, 'deployments'>): readonly (readonly Deployment[])[] {
  const orderOf = ({ order }: Deployment) => order ?? Number.POSITIVE_INFINITY
  const orders = [...new Set(deployments.map(orderOf))].sort((a, b) => (a < b ? -1 : 1))
  return orders.map(order => deployments.filter(deployment => orderOf(deployment) === order))
}

/** Where a group is answered: the deployments of the lowest `order` by the strategy, then those of the next one. */
export function groupRoute(group: Group, strategy: Strategy): RouteConfig {
  const levels = levelsOf(group).map(level => levelRoute(level, strategy))
  return levels.length === 1 ? levels[0]! : levels
}

function levelRoute(deployments: readonly Deployment[], strategy: Strategy): RouteConfig {
  const places = deployments.map(placeOf)
  if (places.length === 1) return places[0]!
  if (strategy === 'leastBusy') return { leastBusy: places }
  if (strategy === 'fastest') return { fastest: places }
  if (strategy === 'cheapest') return { cheapest: places }
  const by = weightKey(deployments)
  const weightOf = (deployment: Deployment) => (by === undefined ? 1 : weightIn(deployment, by))
  return { weighted: places.map((to, at) => ({ to, weight: weightOf(deployments[at]!) })) }
}

function placeOf({ place, parameters, capabilities }: Deployment): RouteConfig {
  if (parameters === undefined && capabilities === undefined) return place
  return {
    to: place,
    ...(parameters === undefined ? {} : { parameters }),
    ...(capabilities === undefined ? {} : { capabilities }),
  }
}
