import { type ModelPrice, modelCost, type PricedModel } from '@sluice/core/ledger'
import { compileMatch, type ModelMatch } from './model-match.ts'

/** The prices of a provider's models. */
export interface ProviderPrices {
  readonly models: readonly ModelPrices[]
  /** Providers whose prices apply to models that are not listed. */
  readonly fallbacks: readonly string[]
}

/** The prices of a model over time, the latest last. */
export interface ModelPrices {
  readonly matches: ModelMatch
  readonly prices: readonly TimedPrice[]
}

interface TimedPrice {
  /** Takes milliseconds since 1970. */
  readonly applies: (at: number) => boolean
  /** `undefined` if it is billed by something that usage does not count, such as pages or images. */
  readonly cost: Cost | undefined
}

type Cost = (usage: Usage, asked: PricedModel) => number | null
type Usage = Parameters<ReturnType<typeof modelCost>>[0]

const maxModels = 10_000
const maxPrices = 100
const dayMs = 86_400_000

/** Reads a provider in the format of @pydantic/genai-prices. Throws for an invalid one, and names the model. */
export function readProvider(given: unknown): ProviderPrices {
  const { models, fallback_model_providers: fallbacks = [] } = objectOf(given)
  if (!Array.isArray(models) || models.length > maxModels) throw new Error('models: expected a list')
  if (!Array.isArray(fallbacks) || !fallbacks.every(id => typeof id === 'string') || fallbacks.length > 100)
    throw new Error('fallback_model_providers: expected a list of texts')
  return { models: Array.from<unknown>(models).map(readModel), fallbacks: fallbacks.map(String) }
}

function readModel(given: unknown): ModelPrices {
  const { id, match, prices } = objectOf(given)
  const name = typeof id === 'string' ? id.slice(0, 100) : 'a model without an id'
  try {
    const timed = Array.isArray(prices) ? Array.from<unknown>(prices) : [{ prices }]
    if (timed.length === 0 || timed.length > maxPrices) throw new Error('expected a price')
    return { matches: compileMatch(match), prices: timed.map(readTimedPrice) }
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`)
  }
}

/** Returns the cost of usage at the time of the request, or `null` if the price is unknown. */
export function costAt({ prices }: ModelPrices, usage: Usage, asked: PricedModel): number | null {
  const price = prices.findLast(({ applies }) => applies(asked.at)) ?? prices[0]
  return price?.cost?.(usage, asked) ?? null
}

function readTimedPrice(given: unknown): TimedPrice {
  const { constraint, prices } = objectOf(given)
  return { applies: readConstraint(constraint), cost: readCost(objectOf(prices)) }
}

/** From a date on, or from one time of day to another, in UTC. */
function readConstraint(given: unknown): TimedPrice['applies'] {
  if (given === undefined) return () => true
  const { start_date: date, start_time: start, end_time: end } = objectOf(given)
  if (typeof date === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(date) && !Number.isNaN(Date.parse(date))) {
    const from = Date.parse(date)
    return at => at >= from
  }
  const [from, to] = [start, end].map(timeOfDay)
  if (from === undefined || to === undefined) throw new Error('expected a start date, or times of day')
  return at => {
    const time = at % dayMs
    return to < from ? time >= from || time < to : time >= from && time < to
  }
}

function timeOfDay(given: unknown): number | undefined {
  if (typeof given !== 'string' || !/^\d\d:\d\d:\d\dZ$/.test(given)) return undefined
  const time = Date.parse(`1970-01-01T${given}`)
  return Number.isNaN(time) ? undefined : time
}

interface TieredPrice {
  readonly base: number
  readonly tiers: readonly { readonly start: number; readonly price: number }[]
}

/** The names of token prices in the table. */
const tokenKeys = {
  input_mtok: 'input',
  output_mtok: 'output',
  cache_read_mtok: 'cachedInput',
  cache_write_mtok: 'cacheWrite',
  input_audio_mtok: 'audioInput',
  output_audio_mtok: 'audioOutput',
} as const
/** Prices of what a request has only with the vendor's own tools or cache settings, which usage does not count. */
const separate: ReadonlySet<string> = new Set([
  'cache_write_1h_mtok',
  'storage_searches_kcount',
  'code_executions_kcount',
])
/** Prices of inputs that embedding requests do not have. */
const mediaKeys: ReadonlySet<string> = new Set(['input_image_mtok', 'input_video_mtok'])
const otherKeys: ReadonlySet<string> = new Set([
  'cache_audio_read_mtok',
  'web_searches_kcount',
  'requests_kcount',
])

function readCost(given: Readonly<Record<string, unknown>>): Cost | undefined {
  const prices = new Map(Object.entries(given).map(([key, price]) => [key, readPrice(key, price)]))
  const unknown = [...prices.keys()].filter(
    key => !Object.hasOwn(tokenKeys, key) && !separate.has(key) && !otherKeys.has(key),
  )
  if (!prices.has('input_mtok') || unknown.some(key => !mediaKeys.has(key))) return undefined
  const price = readModelPrice(prices)
  const cost = modelCost(price)
  const audioSurcharge =
    (atBase(prices.get('cache_audio_read_mtok')) ?? 0) - (price.cachedInput ?? price.input)
  return (usage, asked) => {
    if (unknown.length > 0 && asked.operation !== 'embed') return null
    if (usage.completion_tokens > 0 && !prices.has('output_mtok')) return null
    const total = cost(usage, asked)
    if (total === null || audioSurcharge <= 0) return total
    // Vendors do not say how many of the cached tokens are audio: as many as there can be.
    const { cached_tokens: cached, audio_tokens: audio } = usage.prompt_tokens_details
    return total + (Math.min(cached, audio, usage.prompt_tokens) * audioSurcharge) / 1e6
  }
}

function readModelPrice(prices: ReadonlyMap<string, TieredPrice>): ModelPrice {
  const starts = new Set([...prices.values()].flatMap(({ tiers }) => tiers.map(({ start }) => start)))
  const tokensAt = (prompt: number) => {
    const tokens = Object.entries(tokenKeys).flatMap(([key, name]) => {
      const price = prices.get(key)
      return price === undefined ? [] : [[name, priceAt(price, prompt)] as const]
    })
    return { input: 0, output: 0, ...Object.fromEntries(tokens) }
  }
  const [perRequest, webSearch] = ['requests_kcount', 'web_searches_kcount'].map(key =>
    atBase(prices.get(key)),
  )
  return {
    ...tokensAt(0),
    ...(perRequest !== undefined && { perRequest: perRequest / 1_000 }),
    ...(webSearch !== undefined && { webSearch: webSearch / 1_000 }),
    longContext: [...starts].map(above => ({ above, ...tokensAt(above + 1) })),
  }
}

function priceAt({ base, tiers }: TieredPrice, prompt: number): number {
  return tiers.findLast(({ start }) => prompt > start)?.price ?? base
}

function atBase(price: TieredPrice | undefined): number | undefined {
  return price?.base
}

function readPrice(key: string, given: unknown): TieredPrice {
  if (isAmount(given)) return { base: given, tiers: [] }
  const { base, tiers } = typeof given === 'object' ? objectOf(given) : {}
  if (!isAmount(base) || !Array.isArray(tiers) || tiers.length > maxPrices)
    throw new Error(`${key.slice(0, 100)}: expected a number from 0, or { base, tiers }`)
  const read = Array.from<unknown>(tiers).map(tier => {
    const { start, price } = objectOf(tier)
    if (!Number.isSafeInteger(start) || (start as number) < 1 || !isAmount(price))
      throw new Error(`${key.slice(0, 100)}: expected tiers with a start from 1 and a price from 0`)
    return { start: start as number, price }
  })
  return { base, tiers: read.sort((one, other) => one.start - other.start) }
}

/** No vendor takes a million dollars for a million tokens. */
function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1_000_000
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>
  throw new Error('expected an object')
}
