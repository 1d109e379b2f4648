import { openaiAnswerFields } from './answer-fields.ts'
import { capabilitiesByName, openaiCompatibility } from './chat-completions/compatibility-options.ts'
import { openaiEmbeddingCompatibility } from './embeddings/embedding-compatibility.ts'
import { keyOrEnvironment } from './environment-key.ts'
import type { OpenAIModel } from './known-models.ts'
import { namesOf, rejectUnknownOptions } from './known-options.ts'
import { openaiCompatible, type ProviderFields } from './openai-compatible.ts'
import type { ProviderInstanceOf } from './provider-instance.ts'
import type { ApiKeys } from './provider-keys.ts'
import type { ReasoningApi } from './responses/reasoning-api.ts'
import { allRestrictedFields, openaiFields } from './restricted-fields.ts'
import type { CompatibleDialect } from './speaks.ts'

export type { ProviderInstance, ProviderInstanceOf } from './provider-instance.ts'
export type { ApiKeys, WeightedKey } from './provider-keys.ts'
export type { ReasoningApi } from './responses/reasoning-api.ts'
export type { CompatibleDialect } from './speaks.ts'

/** Options of `openai()`. */
export interface OpenAIOptions {
  /** One key, or a list of several. Default: the environment variable `OPENAI_API_KEY`. */
  readonly apiKey?: ApiKeys | undefined
  /** Default `https://api.openai.com/v1`. */
  readonly baseURL?: string | undefined
  /** Sent as `openai-organization`. */
  readonly organization?: string | undefined
  /** Sent as `openai-project`. */
  readonly project?: string | undefined
  /** The maximum number of concurrent calls; further calls wait. Default: no maximum. */
  readonly maxConcurrent?: number | undefined
  /** Restricted fields that every caller may send, even one with limits or a model list. Default: none. */
  readonly allowFields?: readonly string[] | undefined
  /**
   * The fields outside the protocol that answers keep. Default: results of a moderation, and the tokens of text and images.
   * `false`: none.
   */
  readonly providerFields?: ProviderFields | false | undefined
  /**
   * Dialects in which requests are passed on as they came, with few edits. Default: `['responses']`; with a `baseURL`: none. `[]`: all
   * requests are translated.
   */
  readonly speaks?: readonly CompatibleDialect[] | undefined
  /**
   * The API by which reasoning models are called where a request is translated: `responses` gives their thoughts and takes them
   * back. Requests that it cannot express, such as with `stop`, go to chat completions. Default `responses`; with a `baseURL`:
   * `chat`.
   */
  readonly reasoningApi?: ReasoningApi | undefined
}

const optionNames = /* @__PURE__ */ namesOf<OpenAIOptions>({
  apiKey: true,
  baseURL: true,
  organization: true,
  project: true,
  maxConcurrent: true,
  allowFields: true,
  providerFields: true,
  speaks: true,
  reasoningApi: true,
})

/**
 * Creates a provider for OpenAI: `openai({ apiKey })('gpt-4o')`. Reasoning models (o1, o3, gpt-5 and so on) are
 * recognized by their names and get `max_completion_tokens`.
 *
 * Throws `ConfigurationError` for invalid options.
 */
export function openai(options: OpenAIOptions = {}): ProviderInstanceOf<OpenAIModel> {
  rejectUnknownOptions('openai', options, optionNames)
  const { apiKey, baseURL, organization, project, maxConcurrent, allowFields } = options
  // Behind a URL of its own may be another server.
  const isOwnHost = baseURL === undefined
  const { providerFields = openaiAnswerFields, speaks = isOwnHost ? ['responses'] : [] } = options
  const { reasoningApi = isOwnHost ? 'responses' : 'chat' } = options
  return openaiCompatible({
    name: 'openai',
    baseURL: baseURL ?? 'https://api.openai.com/v1',
    apiKey: keyOrEnvironment(apiKey, 'openai', ['OPENAI_API_KEY']),
    headers: {
      ...(organization === undefined ? {} : { 'openai-organization': organization }),
      ...(project === undefined ? {} : { 'openai-project': project }),
    },
    maxConcurrent,
    restrictedFields: isOwnHost ? openaiFields : allRestrictedFields,
    allowFields,
    providerFields,
    speaks,
    encryptedReasoning: true,
    reasoningApi,
    countsInputTokens: true,
    capabilities: capabilitiesByName,
    embeddings: openaiEmbeddingCompatibility,
    moderations: true,
    completions: {},
    ...openaiCompatibility,
  })
}
