import { areTexts } from '../auth/principal-members.ts'
import type { WarningEvent } from '../contracts/events.ts'
import type { Route } from '../contracts/route.ts'
import { closest } from '../primitives/closest.ts'
import { matchesPattern } from '../primitives/matches-pattern.ts'
import { memberOf } from '../primitives/own-members.ts'
import type { GatewayOptions } from './config.ts'

/** Of more, only the first are reported. */
const maxReported = 20

/**
 * Returns a warning for each name or pattern of limits and hooks that fits no model of a model table: what it is for applies to
 * nothing. Other routes may serve more than they list.
 */
export function unknownNames({
  route,
  limits,
  hooks,
}: Pick<GatewayOptions<never>, 'limits' | 'hooks'> & { readonly route: Route }): readonly WarningEvent[] {
  const patterns = route.patterns?.()
  if (patterns === undefined) return []
  const models = (route.list?.() ?? []).map(({ id }) => id)
  const fits = (name: string) =>
    name.includes('*')
      ? patterns.length > 0 || models.some(model => matchesPattern(name, model))
      : models.includes(name) || patterns.some(pattern => matchesPattern(pattern, name))
  const named = [
    ...modelsOfLimits(limits).map(name => ['A limit', name] as const),
    ...(hooks ?? []).flatMap(({ name: hook, models: of = [] }) =>
      of.map(name => [`The hook '${hook}'`, name] as const),
    ),
  ]
  return named
    .filter(([, name]) => !fits(name))
    .slice(0, maxReported)
    .map(([what, name]) => {
      const meant = closest(name, models)
      const message = `${what} is for the model '${name}', and there is none.`
      return {
        type: 'warning',
        code: 'unknown_model_name',
        message: meant === undefined ? message : `${message} Did you mean '${meant}'?`,
      }
    })
}

function modelsOfLimits(limits: GatewayOptions<never>['limits']): readonly string[] {
  if (limits === undefined) return []
  const rules = Array.isArray(limits) ? limits : [limits]
  return rules.flatMap(rule => {
    const models: unknown = memberOf(rule, 'models')
    // A limiter of one's own may have another member of that name.
    return areTexts(models) ? models : []
  })
}
