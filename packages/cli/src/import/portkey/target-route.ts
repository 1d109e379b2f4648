import type { FailureSpec } from '@sluice/core'
import type { RouteConfig } from '../../config/config.ts'
import type { ImportContext } from '../import-context.ts'
import type { ImportNode } from '../import-reader.ts'
import { parametersOf } from '../parameters.ts'
import { conditionalRoute } from './conditional-route.ts'
import { eitherCase, type PortkeyVendor, portkeyVendor, vendorBySlug, vendorOptions } from './vendors.ts'

/** Where a target is answered: one vendor, or a strategy over targets within it. `undefined` where nothing is left. */
export function targetRoute(target: ImportNode, context: ImportContext): RouteConfig | undefined {
  const targets = target.at('targets')
  if (!targets.isThere) {
    target.at('strategy').at('mode').text()
    return singleTarget(target, context)
  }
  const strategy = target.at('strategy')
  const mode = strategy.at('mode').text() ?? 'single'
  if (mode === 'conditional') return conditionalRoute(target, context, targetRoute)
  const routes = targets.items().flatMap(each => {
    const weight = each.at('weight')
    const route = targetRoute(each, context)
    each.at('name').text()
    return route === undefined ? [] : [{ to: route, weight: mode === 'loadbalance' ? weightOf(weight) : 1 }]
  })
  if (routes.length === 0) return undefined
  if (mode === 'loadbalance') {
    context.reader.note(
      'If a target fails, a weighted route tries the next one; Portkey returns the error to the caller.',
    )
    return routes.some(({ weight }) => weight > 0)
      ? { weighted: routes }
      : { weighted: routes.map(({ to }) => ({ to, weight: 1 })) }
  }
  if (mode === 'fallback')
    return fallback(
      routes.map(({ to }) => to),
      strategy,
      context,
    )
  if (mode !== 'single')
    strategy.reportUnsupported('Unknown strategy.', 'Only the first target is used; see docs/routing.md.')
  for (const other of targets.items().slice(1))
    other.reportUnsupported('The strategy uses only the first target.', 'Nothing: Portkey does the same.')
  return routes[0]!.to
}

function weightOf(part: ImportNode): number {
  return typeof part.value === 'number' && part.value >= 0 ? (part.number() ?? 1) : 1
}

function fallback(
  routes: readonly RouteConfig[],
  strategy: ImportNode,
  { reader }: ImportContext,
): RouteConfig {
  const codes = eitherCase(strategy, 'on_status_codes')
    .items()
    .flatMap(part => ((part.numeric ?? 600) <= 599 ? (part.count(400) ?? []) : []))
  if (routes.length === 1) return routes[0]!
  if (codes.length > 0) return { fallback: routes, on: [...codes, ...failuresLike(codes)] }
  reader.note(
    'The next target is tried after every failure that the request did not cause; Portkey also falls back after a 400.',
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

/** Imports a target of one provider. Reports one that is unsupported and returns `undefined`. */
function singleTarget(target: ImportNode, context: ImportContext): RouteConfig | undefined {
  const overrides = eitherCase(target, 'override_params')
  const model = overrides.at('model').text()
  const inModel = /^@([^/]+)\/(.+)$/.exec(model ?? '')
  const found = vendorOf(target, inModel?.[1], context)
  if (found === undefined) {
    target.reportUnsupported(
      'Its vendor is stored in your Portkey account and not in the file.',
      'Add its provider, such as "openai", and import again.',
    )
    return undefined
  }
  if (found.embeddingsOnly === true && !/^(?:embed|rerank|voyage)-/.test(inModel?.[2] ?? model ?? '')) {
    target.reportUnsupported(
      'Only the embeddings of this vendor are supported.',
      'For an embedding model, add its name as override_params.model, and import again.',
    )
    return undefined
  }
  const options = vendorOptions(found, target, context)
  if (options === undefined) {
    target.reportUnsupported(
      'The connection settings of its vendor are stored in your Portkey account and not in the file.',
      'Add the resource, region or project to the target, and import again.',
    )
    return undefined
  }
  const name = context.vendors.nameOf(options.type, options.options)
  const to = `${name}/${inModel?.[2] ?? model ?? options.model ?? '*'}`
  const parameters = parametersOf(overrides)
  return parameters === undefined ? to : { to, parameters }
}

function vendorOf(
  target: ImportNode,
  inModel: string | undefined,
  { reader }: ImportContext,
): PortkeyVendor | undefined {
  const provider = target.at('provider').text()
  const slug = inModel ?? (provider?.startsWith('@') === true ? provider.slice(1) : undefined)
  const virtual = eitherCase(target, 'virtual_key').text() ?? slug
  const own = provider === undefined || provider === slug ? undefined : portkeyVendor(provider)
  const vendor = own ?? (virtual === undefined ? undefined : vendorBySlug(virtual))
  if (vendor === undefined) return undefined
  if (own === undefined)
    reader.note(`The vendor behind a virtual key was guessed from its name: ${vendor.type}. Check it.`)
  if (virtual !== undefined)
    reader.note('API keys in your Portkey account are not in the file: set the variables of the providers.')
  return vendor
}
