import type { RouteConfig } from '../config/config.ts'

/** Returns how many targets a route may call for one request. */
export function countTargets(route: RouteConfig): number {
  if (typeof route !== 'object') return 1
  if (Array.isArray(route)) return sum(route)
  if ('when' in route && 'otherwise' in route) {
    const { otherwise, ...rest } = route as { otherwise: RouteConfig; use?: RouteConfig }
    return Math.max(countTargets(otherwise), countTargets(rest.use ?? ''))
  }
  const lists = Object.values(route).filter(value => Array.isArray(value))
  const [list] = 'fallback' in route ? [route.fallback] : lists
  return Array.isArray(list) ? sum(list) : 1
}

/** Entries, or `{ to, weight }` with an entry within. */
function sum(entries: readonly unknown[]): number {
  return entries.reduce<number>((all, entry) => {
    const isWeighed = typeof entry === 'object' && entry !== null && 'weight' in entry && 'to' in entry
    return all + countTargets((isWeighed ? entry.to : entry) as RouteConfig)
  }, 0)
}
