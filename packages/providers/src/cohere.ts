import type { Capabilities, Provider } from '@sluice/core/provider'
import { cohereSearch } from './embedding-services.ts'
import { embeddingCapabilities } from './embeddings/embedding-models.ts'
import { keyOrEnvironment } from './environment-key.ts'
import type { CohereModel } from './known-models.ts'
import { namesOf, rejectUnknownOptions } from './known-options.ts'
import { openaiCompatible, type ProviderFields } from './openai-compatible.ts'
import { type HostedOptions, presets } from './presets.ts'
import { type ProviderInstanceOf, providerInstance } from './provider-instance.ts'
import { allRestrictedFields } from './restricted-fields.ts'

/** Options of `cohere()`. */
export interface CohereOptions extends Omit<HostedOptions, 'speaks' | 'baseURL'> {
  /**
   * Replaces `https://api.cohere.com/v2`, the URL of embeddings and rankings. Chat completions are then beside it, at
   * `/compatibility/v1` in place of `/v2`.
   */
  readonly baseURL?: string | undefined
  /** The fields outside the protocol that answers keep. Default: none. */
  readonly providerFields?: ProviderFields | false | undefined
}

const optionNames = /* @__PURE__ */ namesOf<CohereOptions>({
  apiKey: true,
  baseURL: true,
  headers: true,
  maxConcurrent: true,
  allowFields: true,
  providerFields: true,
})

/**
 * Creates a provider for Cohere: `cohere({ apiKey })('command-a-03-2025')`. Chat completions go to its compatible API; embeddings and
 * rankings to its own.
 *
 * Throws `ConfigurationError` for invalid options.
 */
export function cohere(options: CohereOptions = {}): ProviderInstanceOf<CohereModel> {
  rejectUnknownOptions('cohere', options, optionNames)
  const { baseURL, headers, maxConcurrent, allowFields, providerFields } = options
  const apiKey = keyOrEnvironment(options.apiKey, 'cohere', ['COHERE_API_KEY'])
  const { embed, rerank } = cohereSearch({ apiKey, baseURL, headers, maxConcurrent }).provider
  const { provider: chat } = openaiCompatible({
    ...presets.cohere,
    apiKey,
    headers,
    maxConcurrent,
    allowFields,
    providerFields,
    // Behind a URL of its own may be another server.
    ...(baseURL === undefined ? {} : { baseURL: besides(baseURL), restrictedFields: allRestrictedFields }),
  })
  const provider: Provider = { ...chat, embed: embed!, rerank: rerank! }
  return providerInstance(provider, capabilitiesOf)
}

function besides(baseURL: string): string {
  return `${baseURL.replace(/\/+$/, '').replace(/\/v\d+$/, '')}/compatibility/v1`
}

function capabilitiesOf(model: string): Capabilities | undefined {
  return embeddingCapabilities(model) ?? (/^(?:command|c4ai)/.test(model) ? chats : undefined)
}

const chats: Capabilities = { operations: ['generate'] }
