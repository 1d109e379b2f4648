import { ConfigurationError, type ConfigurationIssue, type Observer } from '@sluice/core'
import { configurationIssue, hiddenIssue, unknownOption } from '@sluice/core/adapter'
import { type PricedModel, type Prices, type PriceTable, priceTable } from '@sluice/core/ledger'
import { pricesUpdatedAt } from './bundled-table.ts'
import { modelLookup } from './model-lookup.ts'
import { loadTable, type PriceRefreshOptions, tableUrl } from './price-refresh.ts'
import { bundledSource, type PriceSource, readSource } from './price-source.ts'
import { costAt } from './provider-prices.ts'

/** Options of `bundledPrices`. */
export interface BundledPricesOptions {
  /** Your own prices, by model or `provider/model`. They take precedence over the table. */
  readonly overrides?: PriceTable | undefined
  /** The vendors of providers with names of your own: `{ mine: 'openai' }`. Default: the provider's name. */
  readonly providers?: Readonly<Record<string, string>> | undefined
  /** The vendors' names of models that have names of your own, such as deployments: `{ chat: 'gpt-4o' }`. */
  readonly models?: Readonly<Record<string, string>> | undefined
  /** Loads newer prices while the gateway runs. Default: the bundled ones only. */
  readonly refresh?: PriceRefreshOptions | undefined
  /** How old the table may be before a warning, in days. Default 90. `false`: no warning. */
  readonly warnAfterDays?: number | false | undefined
  /** Receives a `warning` if the table cannot be refreshed (`prices_not_refreshed`) or is old (`prices_outdated`). */
  readonly observe?: Observer | undefined
  /** Returns milliseconds since 1970. Default: the clock of the platform. */
  readonly now?: (() => number) | undefined
}

/** Prices of a bundled table. */
export interface BundledPrices extends Prices {
  /** The date of the table that applies, in milliseconds since 1970: of the bundled one, or of the last refresh. */
  readonly updatedAt: number
  /** Loads the table of `refresh` now. Resolves to `false` if it cannot be used, and the last valid one applies. Never rejects. */
  refresh(): Promise<boolean>
  /** Stops loading. The prices still apply. */
  close(): void
}

/** The ids of vendors in the table, by the names of our providers. */
const vendorIds: ReadonlyMap<string, string> = new Map([
  ['gemini', 'google'],
  ['vertex', 'google'],
  ['bedrock', 'aws'],
  ['xai', 'x-ai'],
  ['voyage', 'voyageai'],
  ['moonshot', 'moonshotai'],
])

const dayMs = 86_400_000
/** A table that could not be loaded is loaded again after this time at the latest. */
const retryMs = 300_000

/**
 * Returns prices in US dollars from a table of known models that comes with the package. Its date is `pricesUpdatedAt`. A model
 * that is not in the table, a service tier that costs more than the default, and a web search without a price have no price,
 * which is not a price of 0. Throws `ConfigurationError` for invalid options.
 *
 * ```ts
 * createGateway({ ..., prices: bundledPrices({ overrides: { 'openai/gpt-4.1': { input: 1.8, output: 7.2 } } }) })
 * ```
 */
export function bundledPrices(options: BundledPricesOptions = {}): BundledPrices {
  checkOptions(options)
  const { providers = {}, models = {}, overrides, refresh, warnAfterDays = 90 } = options
  const { observe = () => {}, now = Date.now } = options
  const own =
    overrides === undefined || Object.keys(overrides).length === 0 ? undefined : priceTable(overrides)
  const vendors = new Map(Object.entries(providers))
  const names = new Map(Object.entries(models))
  const closing = new AbortController()
  let table: PriceSource = bundledSource()
  let lookup = modelLookup(table)
  let updatedAt = Date.parse(pricesUpdatedAt)
  let nextAt = Number.NEGATIVE_INFINITY
  let warnedAt = Number.NEGATIVE_INFINITY
  let failing = false
  let loading: Promise<boolean> | undefined

  const load = async (from: PriceRefreshOptions) => {
    const { intervalMs = dayMs } = from
    nextAt = now() + intervalMs
    try {
      const loaded = readSource(await loadTable(from, closing.signal))
      // A table that was cut off, or is of something else, would leave most models without a price.
      if (loaded.models < table.models / 2)
        throw new Error(
          `The table of prices has ${loaded.models} models, expected at least half of ${table.models}.`,
        )
      table = loaded
      lookup = modelLookup(loaded)
      updatedAt = now()
      failing = false
      return true
    } catch (error) {
      nextAt = now() + Math.min(intervalMs, retryMs)
      if (!failing && !closing.signal.aborted)
        warn('prices_not_refreshed', `${(error as Error).message} The last valid prices apply.`, error)
      failing = true
      return false
    }
  }
  const startRefresh = (from: PriceRefreshOptions): Promise<boolean> => {
    loading ??= load(from).finally(() => {
      loading = undefined
    })
    return loading
  }
  const warn = (code: 'prices_not_refreshed' | 'prices_outdated', message: string, error?: unknown) => {
    try {
      observe({ type: 'warning', code, message, ...(error !== undefined && { error }) })
    } catch {
      // An observer that throws fails no request.
    }
  }
  const checkAge = (at: number) => {
    if (refresh !== undefined && at >= nextAt && !closing.signal.aborted) void startRefresh(refresh)
    if (warnAfterDays === false || at - updatedAt <= warnAfterDays * dayMs || at - warnedAt < dayMs) return
    warnedAt = at
    const date = new Date(updatedAt).toISOString().slice(0, 10)
    warn('prices_outdated', `The prices are of ${date}, more than ${warnAfterDays} days old (warnAfterDays).`)
  }
  const find = (provider: string, model: string) => {
    const vendor = vendors.get(provider) ?? provider
    return lookup(vendorIds.get(vendor) ?? vendor, names.get(model) ?? model)
  }
  const prices: Prices = (usage, asked: PricedModel) => {
    checkAge(asked.at)
    if (own?.has(asked)) return own(usage, asked)
    const { provider, upstreamModel, responseModel = upstreamModel } = asked
    const responded = responseModel === upstreamModel ? undefined : find(provider, responseModel)
    const found = responded ?? find(provider, upstreamModel)
    return found === undefined ? null : costAt(found, usage, asked)
  }
  return Object.defineProperties(prices, {
    updatedAt: { get: () => updatedAt, enumerable: true },
    refresh: {
      value: () =>
        refresh === undefined || closing.signal.aborted ? Promise.resolve(false) : startRefresh(refresh),
    },
    close: { value: () => closing.abort() },
  }) as BundledPrices
}

const optionNames = ['overrides', 'providers', 'models', 'refresh', 'warnAfterDays', 'observe', 'now']
const refreshNames = ['from', 'intervalMs', 'timeoutMs', 'maxBytes', 'fetch']

function checkOptions(options: BundledPricesOptions): void {
  const issues = [
    ...Object.entries(options)
      .filter(([name]) => !optionNames.includes(name))
      .map(([name, value]) => unknownOption([name], value, optionNames)),
    ...nameIssues('providers', options.providers),
    ...nameIssues('models', options.models),
    ...refreshIssues(options.refresh),
    ...numberIssues(['warnAfterDays'], options.warnAfterDays || undefined, 'days'),
    ...functionIssues(['observe'], options.observe),
    ...functionIssues(['now'], options.now),
  ]
  if (issues.length > 0) throw new ConfigurationError('bundledPrices()', issues)
}

function nameIssues(option: string, names: unknown = {}): ConfigurationIssue[] {
  if (typeof names !== 'object' || names === null || Array.isArray(names))
    return [configurationIssue([option], names, 'an object')]
  return Object.entries(names).flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' ? [] : [configurationIssue([option, name], value, 'a name')],
  )
}

function refreshIssues(refresh: unknown): ConfigurationIssue[] {
  if (refresh === undefined) return []
  if (typeof refresh !== 'object' || refresh === null)
    return [configurationIssue(['refresh'], refresh, '{ from, intervalMs }')]
  const { from, intervalMs, timeoutMs, maxBytes, fetch: fetchIt } = refresh as Record<string, unknown>
  const isSource =
    typeof from === 'function' ||
    ((typeof from === 'string' || from instanceof URL) && tableUrl(from) !== undefined)
  return [
    ...Object.entries(refresh)
      .filter(([name]) => !refreshNames.includes(name))
      .map(([name, value]) => unknownOption(['refresh', name], value, refreshNames)),
    // The URL is not shown: it may contain credentials.
    ...(isSource
      ? []
      : [
          hiddenIssue(
            ['refresh', 'from'],
            from,
            'a URL with https, or with http on this machine, without credentials, or a function',
          ),
        ]),
    ...numberIssues(['refresh', 'intervalMs'], intervalMs, 'milliseconds'),
    ...numberIssues(['refresh', 'timeoutMs'], timeoutMs, 'milliseconds'),
    ...numberIssues(['refresh', 'maxBytes'], maxBytes, 'bytes'),
    ...functionIssues(['refresh', 'fetch'], fetchIt),
  ]
}

function numberIssues(path: string[], value: unknown, unit: string): ConfigurationIssue[] {
  const isValid = typeof value === 'number' && value > 0 && value <= 2_147_483_647
  return value === undefined || isValid
    ? []
    : [configurationIssue(path, value, `${unit} above 0, at most 2147483647`)]
}

function functionIssues(path: string[], value: unknown): ConfigurationIssue[] {
  return value === undefined || typeof value === 'function'
    ? []
    : [configurationIssue(path, value, 'a function')]
}
