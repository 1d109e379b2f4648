import { ConfigurationError, configurationError, hiddenIssue } from '../errors/configuration-error.ts'
import type { Usage } from '../protocol/chat.ts'
import { costOf, type ModelPrice, priceIssues, type ResolvedPrice, resolvePrice } from './model-price.ts'
import type { PricedModel, Prices } from './prices.ts'

/**
 * Prices by model name, or by `provider/upstream-model`, which takes precedence. The model that the response names takes
 * precedence over the one that was called.
 */
export type PriceTable = Readonly<Record<string, ModelPrice>>

/** Prices that can be replaced while the gateway runs. */
export interface ReplaceablePrices extends Prices {
  /** Returns whether the table has an entry for a model. Its tier or its web searches may still have no price. */
  has(model: PricedModel): boolean
  /** Replaces the table. Throws `ConfigurationError` for an invalid table, and keeps the current one. */
  replace(table: PriceTable): void
}

/**
 * Uses your own prices, in US dollars per million tokens. A model that is not in the table has no known price, which is not a
 * price of 0. The same applies to more expensive service tiers and to web searches that its entry does not define. The table
 * is copied. Throws `ConfigurationError` that lists all invalid entries.
 *
 * ```ts
 * priceTable({ small: { input: 0.15, cachedInput: 0.075, output: 0.6 } })
 * ```
 */
export function priceTable(table: PriceTable): ReplaceablePrices {
  let prices = checkedTable(table)
  const targetName = targetNames()
  const priceOf = ({ model, provider, upstreamModel, responseModel = upstreamModel }: PricedModel) => {
    const answered =
      responseModel === upstreamModel ? undefined : prices.get(targetName(provider, responseModel))
    return answered ?? prices.get(targetName(provider, upstreamModel)) ?? prices.get(model)
  }
  const lookup: Prices = (usage, asked) => {
    const price = priceOf(asked)
    return price === undefined
      ? null
      : costOf(usage, price, asked.serviceTier, asked.webSearches, asked.searchUnits)
  }
  return Object.assign(lookup, {
    has: (asked: PricedModel) => priceOf(asked) !== undefined,
    replace: (next: PriceTable) => {
      prices = checkedTable(next)
    },
  })
}

/**
 * Returns a function for the cost of a model in US dollars, for price tables of your own: `null` if the service tier or the web
 * searches have no price. Throws `ConfigurationError` for an invalid price.
 */
export function modelCost(
  price: ModelPrice,
): (
  usage: Usage,
  billed?: Pick<PricedModel, 'serviceTier' | 'webSearches' | 'searchUnits'>,
) => number | null {
  const issues = priceIssues(price, [])
  if (issues.length > 0) throw new ConfigurationError('modelCost()', issues)
  const resolved = resolvePrice(price)
  return (usage, { serviceTier, webSearches, searchUnits } = {}) =>
    costOf(usage, resolved, serviceTier, webSearches, searchUnits)
}

const maxNames = 1_000
const maxNameLength = 200

/** Joins provider and model to the name in the table. A lookup by both costs less than joining them each time. */
function targetNames(): (provider: string, model: string) => string {
  const names = new Map<string, Map<string, string>>()
  return (provider, model) => {
    let ofProvider = names.get(provider)
    const known = ofProvider?.get(model)
    if (known !== undefined) return known
    const name = `${provider}/${model}`
    // Callers may choose the model: such names must not fill the memory.
    if (name.length > maxNameLength) return name
    if (names.size >= maxNames) names.clear()
    if (ofProvider === undefined || ofProvider.size >= maxNames) ofProvider = new Map()
    names.set(provider, ofProvider)
    ofProvider.set(model, name)
    return name
  }
}

function checkedTable(table: unknown): ReadonlyMap<string, ResolvedPrice> {
  if (typeof table !== 'object' || table === null || Array.isArray(table)) {
    throw new ConfigurationError('priceTable()', [hiddenIssue([], table, 'an object of prices by model')])
  }
  const rows = Object.entries(table)
  if (rows.length === 0)
    throw configurationError('priceTable()', [], table, 'the price of at least one model')
  const issues = rows.flatMap(([name, price]) => priceIssues(price, [name]))
  if (issues.length > 0) throw new ConfigurationError('priceTable()', issues)
  return new Map(rows.map(([name, price]) => [name, resolvePrice(price as ModelPrice)]))
}
