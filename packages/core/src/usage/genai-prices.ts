import { configurationError } from '../errors/configuration-error.ts'
import type { Usage } from '../protocol/chat.ts'
import { isUsual, tokenParts } from './model-price.ts'
import type { Prices } from './prices.ts'

/** The part of the function `calcPrice` of the package `@pydantic/genai-prices` that is used. */
export type CalcPrice = (
  usage: Record<string, number | undefined>,
  modelId: string,
  options?: { providerId?: string; timestamp?: Date },
) => { readonly total_price: number } | null

/** Options of `genaiPrices`. */
export interface GenaiPricesOptions {
  /** The package's provider ids, by the names of your providers. Default: the same name. */
  readonly providers?: Readonly<Record<string, string>> | undefined
  /** The package's model ids, by the names of upstream models, for deployments with names of your own. Default: the same name. */
  readonly models?: Readonly<Record<string, string>> | undefined
}

/**
 * Uses the prices of the package `@pydantic/genai-prices`, as of the time of each request. Unknown models, web searches, and
 * service tiers that cost more than the default have no price. Throws `ConfigurationError` for invalid arguments.
 *
 * ```ts
 * import { calcPrice } from '@pydantic/genai-prices'
 * genaiPrices(calcPrice, { providers: { 'my-provider': 'the-vendor' } })
 * ```
 */
export function genaiPrices(calcPrice: CalcPrice, options: GenaiPricesOptions = {}): Prices {
  if (typeof calcPrice !== 'function') {
    throw configurationError('genaiPrices()', [], calcPrice, "the package's function calcPrice")
  }
  const providers = namesOf('providers', options.providers)
  const models = namesOf('models', options.models)
  const priceOf = (usage: Usage, provider: string, model: string, at: number): number | null => {
    const providerId = providers.get(provider) ?? provider
    const modelId = models.get(model) ?? model
    try {
      const found = calcPrice(countsOf(usage), modelId, { providerId, timestamp: new Date(at) })
      const cost: unknown = found?.total_price
      return typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? cost : null
    } catch {
      return null
    }
  }
  return (usage, asked) => {
    const { provider, upstreamModel, responseModel = upstreamModel, at, serviceTier, webSearches = 0 } = asked
    if (webSearches > 0 || !isUsual(serviceTier)) return null
    const answered = responseModel === upstreamModel ? null : priceOf(usage, provider, responseModel, at)
    return answered ?? priceOf(usage, provider, upstreamModel, at)
  }
}

/** Converts usage to the counts of the package. Zero counts are omitted, because it rejects some combinations. */
function countsOf(usage: Usage): Record<string, number> {
  const { cached, written, audio, answer, spoken } = tokenParts(usage)
  const reasoning = Math.min(usage.completion_tokens_details.reasoning_tokens, answer)
  const counts: Record<string, number> = {
    input_tokens: usage.prompt_tokens,
    output_tokens: usage.completion_tokens,
  }
  if (cached > 0) counts.cache_read_tokens = cached
  if (written > 0) counts.cache_write_tokens = written
  if (audio > 0) counts.input_audio_tokens = audio
  if (spoken > 0) counts.output_audio_tokens = spoken
  else if (reasoning > 0) counts.output_reasoning_tokens = reasoning
  return counts
}

function namesOf(option: string, names: unknown = {}): ReadonlyMap<string, string> {
  if (typeof names !== 'object' || names === null) {
    throw configurationError('genaiPrices()', [option], names, 'an object')
  }
  for (const [name, id] of Object.entries(names)) {
    if (typeof id === 'string' && id !== '') continue
    throw configurationError('genaiPrices()', [option, name], id, "the package's id")
  }
  return new Map(Object.entries(names))
}
