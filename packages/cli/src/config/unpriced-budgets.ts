import type { LimitRuleData, Prices, Usage } from '@sluice/core'
import { matchesPattern } from '@sluice/core/adapter'
import type { CompiledConfig } from './compiled-config.ts'
import { type Path, pathText } from './issues/issue-text.ts'

/** What a valid configuration does that is hardly meant. */
export interface ConfigWarning {
  /** Where, such as `keys[0].limits[1]`. */
  readonly path: string
  readonly problem: string
  readonly fix: string
}

/** More models are only counted. */
const maxNamed = 3

/**
 * Returns a warning for each budget of a configuration that rejects requests because targets have no price. Models that have a
 * `*` in their names, limits of issued keys, and a route or limits of `gateway` are not looked at.
 *
 * @param prices - those of the gateway, the bundled ones included.
 * @param at - milliseconds since 1970, as prices change.
 */
export function unpricedBudgets(
  { config, route }: Pick<CompiledConfig, 'config' | 'route'>,
  prices: Prices,
  at: number,
): readonly ConfigWarning[] {
  if (config.gateway?.route !== undefined) return []
  const unpriced = Object.keys(config.models).flatMap(model => {
    const targets = route
      .targetsOf(model)
      .map(({ provider, model: upstreamModel }) => ({ provider: provider.name, upstreamModel }))
      .filter(target => !hasPrice(prices, { model, ...target }, at))
      .map(({ provider, upstreamModel }) => `${provider}/${upstreamModel}`)
    return targets.length === 0 ? [] : [{ model, targets: [...new Set(targets)] }]
  })
  return budgetsOf(config).flatMap(({ path, rule, allowed }) => {
    const concerned = unpriced.filter(({ model }) => fits(rule.models, model) && fits(allowed, model))
    if (concerned.length === 0) return []
    const named = concerned.slice(0, maxNamed).map(({ model, targets }) => `${model} (${targets.join(', ')})`)
    const more = concerned.length > maxNamed ? ` and ${concerned.length - maxNamed} more models` : ''
    return [
      {
        path: pathText(path),
        problem: `targets of ${named.join(', ')}${more} have no price, and requests that they may answer are rejected (403 model_not_priced)`,
        fix: "Set their prices in 'prices', or unpriced: allow in this budget, which then does not count them.",
      },
    ]
  })
}

/** Returns whether a target of a requested model has a price. Its tier or its web searches may still have none. */
export function hasPrice(
  prices: Prices,
  names: { readonly model: string; readonly provider: string; readonly upstreamModel: string },
  at: number,
): boolean {
  return prices(onePromptToken, { operation: 'generate', ...names, at }) !== null
}

const onePromptToken: Usage = {
  ...{ prompt_tokens: 1, completion_tokens: 0, total_tokens: 1 },
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: {
    ...{ reasoning_tokens: 0, audio_tokens: 0 },
    ...{ accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
  },
}

function fits(patterns: readonly string[] | undefined, model: string): boolean {
  return patterns === undefined || patterns.some(pattern => matchesPattern(pattern, model))
}

interface PlacedBudget {
  readonly path: Path
  readonly rule: LimitRuleData
  /** The models that its caller may use. */
  readonly allowed: readonly string[] | undefined
}

/** The budgets that reject what has no price. */
function budgetsOf({
  limits,
  keys = [],
  console: page,
  gateway,
}: CompiledConfig['config']): readonly PlacedBudget[] {
  const chat = (page ? page.chat : undefined) || undefined
  const places = [
    { path: ['limits'], rules: gateway?.limits === undefined ? limits : undefined, allowed: undefined },
    ...keys.map(({ limits: own, models }, at) => ({
      path: ['keys', at, 'limits'],
      rules: own,
      allowed: models,
    })),
    { path: ['console', 'chat', 'limits'], rules: chat?.limits, allowed: chat?.models },
  ]
  return places.flatMap(({ path, rules = [], allowed }) =>
    rules.flatMap((rule, at) =>
      rule.kind === 'budget' && rule.mode !== 'dryRun' && rule.unpriced !== 'allow'
        ? [{ path: [...path, at], rule, allowed }]
        : [],
    ),
  )
}
