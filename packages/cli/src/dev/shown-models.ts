import type { TypedConfig } from '../config/config.ts'
import type { ShownModel } from './banner.ts'
import { isCatalogued } from './catalogue.ts'
import { vendorOfKnown } from './known-models.ts'
import { knownVendors } from './known-vendors.ts'

/** The models of a configuration, and who answers each, as the banner shows them. */
export function shownModels({ models }: Pick<TypedConfig, 'models'>): readonly ShownModel[] {
  return Object.entries(models).map(([name, route]) => ({
    name,
    answeredBy: answeredBy(route) === 'local()' ? standsInFor(name) : answeredBy(route),
  }))
}

/** Says whose model `local` stands in for, where it is a vendor's own id. */
function standsInFor(model: string): string {
  if (isCatalogued(model)) return 'local()'
  const vendor = vendorOfKnown(model)
  const title = knownVendors.find(({ name }) => name === vendor)?.title
  return title === undefined ? 'local()' : `local(), not ${title}`
}

function answeredBy(route: unknown): string {
  if (Array.isArray(route))
    return route.length === 1 ? answeredBy(route[0]) : `${answeredBy(route[0])}, then others`
  if (typeof route !== 'string') return 'a route'
  const at = route.indexOf('/')
  if (at === -1) return route
  const [provider, model] = [route.slice(0, at), route.slice(at + 1)]
  if (provider === 'local') return 'local()'
  return model === '*' ? `${provider} (all its models)` : `${provider} (${model})`
}

/**
 * The model that a newcomer should ask first: one that a vendor or a server answers, else the first. Patterns are none to
 * ask.
 */
export function modelToTry(models: readonly ShownModel[]): string | undefined {
  const named = models.filter(({ name }) => !name.includes('*'))
  return (named.find(({ answeredBy }) => !answeredBy.startsWith('local()')) ?? named[0])?.name
}
