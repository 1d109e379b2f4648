import { configurationError } from '../errors/configuration-error.ts'
import type { Usage } from '../protocol/chat.ts'
import { isUsual, tokenParts } from './model-price.ts'
import type { Prices } from './prices.ts'

/** The function `calcPrice` of the package `@pydantic/genai-prices`, as far as it is used. */
export type CalcPrice = (
  usage: Record<string, number | undefined>,
  modelId: string,
  options?: { providerId?: string; timestamp?: Date },
) => { readonly total_price: number } | null

export interface GenaiPricesOptions {
  /** The package's id of each of your providers, by your name for it. Default: your name, as the package knows it. */
  readonly providers?: Readonly<Record<string, string>>
  /** The package's id of a model, by the upstream's own name. Default: that name. For deployments that you named. */
  readonly models?: Readonly<Record<string, string>>
}

/**
 * Prices from the list that the package `@pydantic/genai-prices` keeps, as they were when the model was asked. What it
 * does not know has no price; nor have web searches, and service tiers that cost more than the default. Throws
 * `ConfigurationError` for what is no function, and for bad options.
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

/** The counts in the package's words. Of what did not occur nothing is said: it refuses some counts beside others. */
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
