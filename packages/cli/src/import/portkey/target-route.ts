import type { FailureSpec } from '@sluice/core'
import type { RouteConfig } from '../../config/config.ts'
import type { Importing } from '../import-context.ts'
import type { ImportNode } from '../import-reader.ts'
import { parametersOf } from '../parameters.ts'
import { conditionalRoute } from './conditional-route.ts'
import { eitherCase, type PortkeyVendor, portkeyVendor, vendorBySlug, vendorOptions } from './vendors.ts'

/** Where a target is answered: one vendor, or a strategy over targets within it. `undefined` where nothing is left. */
export function targetRoute(target: ImportNode, importing: Importing): RouteConfig | undefined {
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

function weightOf(part: ImportNode): number {
  return typeof part.value === 'number' && part.value >= 0 ? (part.number() ?? 1) : 1
}

function fallback(routes: readonly RouteConfig[], strategy: ImportNode, { reading }: Importing): RouteConfig {
  const codes = eitherCase(strategy, 'on_status_codes')
    .items()
    .flatMap(part => ((part.numeric ?? 600) <= 599 ? (part.count(400) ?? []) : []))
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

/** A target that is one vendor; `undefined` where it cannot be had, which is told. */
function placeOf(target: ImportNode, importing: Importing): RouteConfig | undefined {
  const overrides = eitherCase(target, 'override_params')
  const model = overrides.at('model').text()
  const inModel = /^@([^/]+)\/(.+)$/.exec(model ?? '')
  const found = vendorOf(target, inModel?.[1], importing)
  if (found === undefined) {
    target.lose(
      'Its vendor stands in an account with Portkey and not in the file.',
      'Write its provider, such as "openai", and import again.',
    )
    return undefined
  }
  const options = vendorOptions(found, target, importing)
  if (options === undefined) {
    target.lose(
      'What its vendor is reached by stands in an account with Portkey and not in the file.',
      'Write the resource, region or project into the target, and import again.',
    )
    return undefined
  }
  const name = importing.vendors.nameOf(options.type, options.options)
  const place = `${name}/${inModel?.[2] ?? model ?? options.model ?? '*'}`
  const parameters = parametersOf(overrides)
  return parameters === undefined ? place : { to: place, parameters }
}

function vendorOf(
  target: ImportNode,
  inModel: string | undefined,
  { reading }: Importing,
): PortkeyVendor | undefined {
  const provider = target.at('provider').text()
  const slug = inModel ?? (provider?.startsWith('@') === true ? provider.slice(1) : undefined)
  const virtual = eitherCase(target, 'virtual_key').text() ?? slug
  const own = provider === undefined || provider === slug ? undefined : portkeyVendor(provider)
  const vendor = own ?? (virtual === undefined ? undefined : vendorBySlug(virtual))
  if (vendor === undefined) return undefined
  if (own === undefined)
    reading.note(
      `A vendor that Portkey keeps under a name of yours is known by how that name begins: ${vendor.type}. See whether it is right.`,
    )
  if (virtual !== undefined)
    reading.note(
      'Keys that Portkey keeps are not in the file: the variables of the providers have to be set.',
    )
  return vendor
}
