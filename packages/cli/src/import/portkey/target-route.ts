import type { FailureSpec } from '@sluice/core'
import type { RouteConfig } from '../../config/config.ts'
import type { Importing } from '../importing.ts'
import type { Part } from '../part.ts'
import { conditionalRoute } from './conditional-route.ts'
import { eitherCase } from './either-case.ts'
import { placeOf } from './place.ts'

/** Where a target is answered: one vendor, or a strategy over targets within it. `undefined` where nothing is left. */
export function targetRoute(target: Part, importing: Importing): RouteConfig | undefined {
  const targets = target.at('targets')
  if (!targets.isThere) {
    target.at('strategy').at('mode').text()
    return placeOf(target, importing)
  }
  const strategy = target.at('strategy')
  const mode = strategy.at('mode').text() ?? 'single'
  if (mode === 'conditional') return conditionalRoute(target, importing, targetRoute)
  const routes = targets.items().flatMap(each => {
    const weight = each.at('weight')
    const route = targetRoute(each, importing)
    each.at('name').text()
    return route === undefined ? [] : [{ to: route, weight: mode === 'loadbalance' ? weightOf(weight) : 1 }]
  })
  if (routes.length === 0) return undefined
  if (mode === 'loadbalance') {
    importing.reading.note(
      'Where a place fails, a weighted route asks the next one; Portkey hands the failure to the caller.',
    )
    return routes.some(({ weight }) => weight > 0)
      ? { weighted: routes }
      : { weighted: routes.map(({ to }) => ({ to, weight: 1 })) }
  }
  if (mode === 'fallback')
    return fallback(
      routes.map(({ to }) => to),
      strategy,
      importing,
    )
  if (mode !== 'single')
    strategy.lose('There is no such strategy.', 'The first target alone is asked; see docs/routing.md.')
  for (const other of targets.items().slice(1))
    other.lose('The strategy asks the first target alone.', 'Nothing: so it is with Portkey.')
  return routes[0]!.to
}

function weightOf(part: Part): number {
  return typeof part.value === 'number' && part.value >= 0 ? (part.number() ?? 1) : 1
}

function fallback(routes: readonly RouteConfig[], strategy: Part, { reading }: Importing): RouteConfig {
  const codes = eitherCase(strategy, 'on_status_codes')
    .items()
    .flatMap(part => (Number(part.value) >= 400 && Number(part.value) <= 599 ? (part.count(400) ?? []) : []))
  if (routes.length === 1) return routes[0]!
  if (codes.length > 0) return { fallback: routes, on: [...codes, ...failuresLike(codes)] }
  reading.note(
    "The next place is asked after every failure that is not the request's own; Portkey goes on after a 400, too.",
  )
  return routes
}

/** What Portkey tells as one of these statuses, and is a failure of another kind here. */
function failuresLike(codes: readonly number[]): FailureSpec[] {
  return [
    ...(codes.includes(500) || codes.includes(502) ? (['unreachable', 'truncated', 'garbled'] as const) : []),
    ...(codes.includes(408) || codes.includes(504) ? (['timeout'] as const) : []),
  ]
}
