import type { TypedConfig } from '../config/config.ts'
import type { ShownModel } from './banner.ts'

/** The models of a configuration, and who answers each, as the banner shows them. */
export function shownModels({ models }: Pick<TypedConfig, 'models'>): readonly ShownModel[] {
  return Object.entries(models).map(([name, route]) => ({ name, answeredBy: answeredBy(route) }))
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
  return (named.find(({ answeredBy }) => answeredBy !== 'local()') ?? named[0])?.name
}
