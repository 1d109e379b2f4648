import { ConfigurationError, configurationError, hiddenIssue } from '../errors/configuration-error.ts'
import { costOf, type ModelPrice, priceIssues, type WholePrice, wholePrice } from './model-price.ts'
import type { Prices } from './prices.ts'

/**
 * Prices by the public name of a model, or by `provider/upstream-model`, which is more exact and goes first. The model that
 * the answer names goes before the one that was asked.
 */
export type PriceTable = Readonly<Record<string, ModelPrice>>

/** Prices that can be replaced while the gateway runs. */
export interface ReplaceablePrices extends Prices {
  /** Takes another table from now on. Throws `TypeError` for one that cannot be used, and keeps the one it has. */
  replace(table: PriceTable): void
}

/**
 * Prices from a table of your own, in US dollars per million tokens. A model that is not in it has no price, which is
 * not a price of 0; neither has a dearer service tier, or a web search, that its price says nothing of. The table is copied. Throws `TypeError` that names everything in it that cannot be used.
 *
 * ```ts
 * priceTable({ small: { input: 0.15, cachedInput: 0.075, output: 0.6 } })
 * ```
 */
export function priceTable(table: PriceTable): ReplaceablePrices {
  let prices = checkedTable(table)
  const targetName = targetNames()
  const lookup: Prices = (usage, asked) => {
    const { model, provider, upstreamModel, responseModel = upstreamModel, serviceTier, webSearches } = asked
    const answered =
      responseModel === upstreamModel ? undefined : prices.get(targetName(provider, responseModel))
    const price = answered ?? prices.get(targetName(provider, upstreamModel)) ?? prices.get(model)
    return price === undefined ? null : costOf(usage, price, serviceTier, webSearches)
  }
  return Object.assign(lookup, {
    replace: (next: PriceTable) => {
      prices = checkedTable(next)
    },
  })
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

function checkedTable(table: unknown): ReadonlyMap<string, WholePrice> {
  if (typeof table !== 'object' || table === null || Array.isArray(table)) {
    throw new ConfigurationError('priceTable()', [hiddenIssue([], table, 'an object of prices by model')])
  }
  const rows = Object.entries(table)
  if (rows.length === 0) throw configurationError('priceTable()', [], table, 'the price of a model at least')
  const issues = rows.flatMap(([name, price]) => priceIssues(price, [name]))
  if (issues.length > 0) throw new ConfigurationError('priceTable()', issues)
  return new Map(rows.map(([name, price]) => [name, wholePrice(price as ModelPrice)]))
}
