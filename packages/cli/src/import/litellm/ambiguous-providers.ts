import type { Config, RouteConfig } from '../../config/config.ts'
import { fits } from '../../config/routes/route-scope.ts'

/**
 * The providers of which a place, such as `openai/gpt-4o`, would be read as another model of the configuration: a model
 * may have that very name.
 */
export function ambiguousProviders({ models }: Pick<Config, 'models'>): readonly string[] {
  const names = Object.keys(models).filter(name => !name.includes('*'))
  const found = Object.entries(models).flatMap(([self, route]) =>
    textsIn(route)
      .filter(
        text => text !== self && names.some(name => name !== self && (name === text || fits(text, name))),
      )
      .filter(text => text.includes('/'))
      .map(text => text.slice(0, text.indexOf('/'))),
  )
  return [...new Set(found)]
}

function textsIn(route: RouteConfig): readonly string[] {
  if (typeof route === 'string') return [route]
  if (typeof route !== 'object' || route === null) return []
  return Object.values(route).flatMap(inner => textsIn(inner as RouteConfig))
}
