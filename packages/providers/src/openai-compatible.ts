import { configurationError } from '@sluice/core/adapter'
import type {
  Call,
  EncodedNativeRequest,
  NativeCall,
  Provider,
  RestrictedFields,
  UpstreamResponse,
} from '@sluice/core/provider'
import { modelEdits, nativeBody } from './anthropic/native-body.ts'
import { decodeNativeMessages } from './anthropic/native-decode.ts'
import { nativeHeaders, plainHeaders } from './anthropic/native-headers.ts'
import { baseUrl } from './base-url.ts'
import type { AnswerExtras } from './chat-completions/answer-extras.ts'
import type { CompatibilityOptions } from './chat-completions/compatibility-options.ts'
import { type ProviderFields, selectFields } from './chat-completions/provider-fields.ts'
import { validateCompatibility } from './chat-completions/validate-compatibility.ts'
import { chatCompletionsDecoder, encodeChatCompletions } from './chat-completions.ts'
import { type CompletionCompatibility, completionCodec } from './completions/completion-codec.ts'
import { validateCompletions } from './completions/validate-completions.ts'
import { type EmbeddingCompatibility, validateEmbeddings } from './embeddings/embedding-compatibility.ts'
import { openaiEmbeddings } from './embeddings/openai-embeddings.ts'
import { checkRestrictedFields, restrictFields } from './field-restrictions.ts'
import { namesOf, rejectUnknownOptions } from './known-options.ts'
import { moderationCodec, moderationsPath } from './moderations/moderation-codec.ts'
import {
  concurrency,
  type KnownCapabilities,
  type ProviderInstance,
  providerInstance,
} from './provider-instance.ts'
import { type ApiKeys, keyedCredentials } from './provider-keys.ts'
import { additionalHeaders, bearer } from './request-headers.ts'
import { rerankCodec } from './rerank/rerank-codec.ts'
import { type RerankCompatibility, validateRerank } from './rerank/rerank-compatibility.ts'
import { inputTokensCodec } from './responses/count-tokens.ts'
import { nativeResponsesBody } from './responses/native-body.ts'
import { decodeNativeResponses } from './responses/native-decode.ts'
import { type ReasoningApi, reasoningBy, validateReasoningApi } from './responses/reasoning-api.ts'
import { decodeResponses, encodeResponses } from './responses.ts'
import { allRestrictedFields } from './restricted-fields.ts'
import { type CompatibleDialect, type NativeCodec, nativeDialects } from './speaks.ts'

export type { CompatibilityOptions } from './chat-completions/compatibility-options.ts'
export type { ProviderFields } from './chat-completions/provider-fields.ts'
export type { CompletionCompatibility } from './completions/completion-codec.ts'
export type { EmbeddingCompatibility } from './embeddings/embedding-compatibility.ts'
export type { KnownCapabilities, ProviderInstance } from './provider-instance.ts'
export type { ApiKeys, WeightedKey } from './provider-keys.ts'
export type { RerankCompatibility } from './rerank/rerank-compatibility.ts'
export type { ReasoningApi } from './responses/reasoning-api.ts'
export type { CompatibleDialect } from './speaks.ts'

/** Options of `openaiCompatible()`: a server's address, and how it differs from OpenAI's chat completions API. */
export interface OpenAICompatibleOptions extends CompatibilityOptions {
  /** The provider's name in logs, metrics and the ledger. */
  readonly name: string
  /** The URL before `/chat/completions` and `/embeddings`: `https://api.example.com/v1`. */
  readonly baseURL: string
  /** Sent as `Authorization: Bearer ...`: one key, or a list of several. */
  readonly apiKey?: ApiKeys | undefined
  /** Additional headers for each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The maximum number of concurrent calls; further calls wait. Default: no maximum. */
  readonly maxConcurrent?: number | undefined
  /**
   * Fields outside OpenAI's API by which a request selects models, routing, paid features or token limits. Callers with
   * limits or a model list may not send them. Default: those of all known servers.
   */
  readonly restrictedFields?: RestrictedFields | undefined
  /** Restricted fields that every caller may send, even one with limits or a model list. Default: none. */
  readonly allowFields?: readonly string[] | undefined
  /**
   * Fields outside the protocol that answers keep, as `provider_specific_fields`. Callers receive them, so they must not hold
   * hosts, keys or account ids. Default: none.
   */
  readonly providerFields?: ProviderFields | false | undefined
  /**
   * `numbered` if answers cite web pages as `[1]`, the first URL in their field `citations` or `search_results`. They become
   * `annotations`. Default: they are text only.
   */
  readonly citations?: 'numbered' | undefined
  /**
   * Other dialects that the server speaks: requests in them are passed on as they came, with few edits. `messages` is Anthropic's
   * Messages API, with the key as bearer token; `responses` is OpenAI's Responses API, at `/responses` below `baseURL`. Default: none.
   */
  readonly speaks?: readonly CompatibleDialect[] | undefined
  /** The path of the Messages API on the server: `/anthropic/v1/messages`. Default: `/messages` below `baseURL`. */
  readonly messagesPath?: string | undefined
  /**
   * Whether the Responses API of the server returns encrypted reasoning. It is then requested of models with the capability
   * `reasoning`. Default false.
   */
  readonly encryptedReasoning?: boolean | undefined
  /**
   * The API of the server by which models with the capability `reasoning` are called where a request is translated: `responses` is
   * OpenAI's Responses API, for requests that it can express; `chat` is that of chat completions. Default `chat`.
   */
  readonly reasoningApi?: ReasoningApi | undefined
  /**
   * Whether the server counts the tokens of requests in the Responses API, at `/responses/input_tokens`. It takes `responses` in
   * `speaks`. Default false: they are estimated.
   */
  readonly countsInputTokens?: boolean | undefined
  /** The default capabilities of its models; a target can override them. Default: unknown. */
  readonly capabilities?: KnownCapabilities | undefined
  /** How it differs from OpenAI's embeddings API. `false`: it has no embeddings. Default: it does not differ. */
  readonly embeddings?: EmbeddingCompatibility | false | undefined
  /** How it differs from Cohere's API to rank documents, at `/rerank` below `baseURL`. `{}`: not at all. Default `false`: it has none. */
  readonly rerank?: RerankCompatibility | false | undefined
  /** Whether the server has OpenAI's moderations API, at `/moderations` below `baseURL`. Default false. */
  readonly moderations?: boolean | undefined
  /** How it differs from OpenAI's API of text completions, at `/completions` below `baseURL`. `{}`: not at all. Default `false`: it has none. */
  readonly completions?: CompletionCompatibility | false | undefined
}

const optionNames = /* @__PURE__ */ namesOf<OpenAICompatibleOptions>({
  name: true,
  baseURL: true,
  apiKey: true,
  headers: true,
  maxConcurrent: true,
  restrictedFields: true,
  allowFields: true,
  providerFields: true,
  citations: true,
  speaks: true,
  messagesPath: true,
  encryptedReasoning: true,
  reasoningApi: true,
  countsInputTokens: true,
  capabilities: true,
  embeddings: true,
  rerank: true,
  moderations: true,
  completions: true,
  maxTokensParameter: true,
  streamOptions: true,
  rename: true,
  drop: true,
  refuse: true,
  messageNames: true,
  messageFields: true,
  extensions: true,
  accepts: true,
  reasoningField: true,
  developerRole: true,
  requiredToolChoice: true,
  reasoningEfforts: true,
  toolCallIds: true,
})

/**
 * Creates a provider for any server with OpenAI's chat completions API, or its embeddings API.
 *
 * Throws `TypeError` for invalid options: a `ConfigurationError`, or a plain `TypeError` for some values.
 *
 * @example
 * const acme = openaiCompatible({ name: 'acme', baseURL: 'https://llm.acme.example/v1', apiKey })
 * createGateway({ route: models({ 'acme-large': acme('large-2') }), ... })
 */
export function openaiCompatible(options: OpenAICompatibleOptions): ProviderInstance {
  rejectUnknownOptions('openaiCompatible', options, optionNames)
  const { name, baseURL, apiKey, headers = {}, maxConcurrent, capabilities: known, ...rest } = options
  const { restrictedFields = allRestrictedFields, allowFields, providerFields, citations, ...more } = rest
  const { speaks, messagesPath, encryptedReasoning = false, countsInputTokens = false, ...besides } = more
  const {
    reasoningApi,
    embeddings = {},
    rerank = false,
    moderations = false,
    completions = false,
    ...others
  } = besides
  const compatibility: CompatibilityOptions = others
  if (typeof name !== 'string' || name.trim() === '')
    throw new TypeError(
      "openaiCompatible(): name is missing or empty. Give the provider a name, such as 'acme'.",
    )
  validateCompatibility(compatibility, name)
  validateEmbeddings(embeddings, name)
  if (rerank !== false) validateRerank(rerank, name)
  if (completions !== false) validateCompletions(completions, name)
  checkRestrictedFields(restrictedFields, name)
  const { accepts } = compatibility
  const base = baseUrl(baseURL, name)
  const url = `${base}/chat/completions`
  const messages = messagesUrl(base, messagesPath, name)
  const responses = `${base}/responses`
  const embeddingsUrl = `${base}/embeddings`
  const endpoints = keyedCredentials(apiKey, name, key => ({
    url,
    headers: additionalHeaders(key === undefined ? {} : bearer(key, name), headers, name),
    compatibility,
  }))
  if (typeof encryptedReasoning !== 'boolean')
    throw configurationError(`${name}()`, ['encryptedReasoning'], encryptedReasoning, 'a boolean')
  validateReasoningApi(reasoningApi, name)
  const chat = {
    encode: (call: Call) => encodeChatCompletions(call, endpoints.of(call)),
    decode: chatCompletionsDecoder(answerExtras(providerFields, citations, name)),
  }
  const encodeReasoning = (call: Call) => {
    const { headers } = endpoints.of(call)
    return encodeResponses(call, { url: responses, headers, encryptedReasoning })
  }
  if (typeof countsInputTokens !== 'boolean')
    throw configurationError(`${name}()`, ['countsInputTokens'], countsInputTokens, 'a boolean')
  if (typeof moderations !== 'boolean')
    throw configurationError(`${name}()`, ['moderations'], moderations, 'a boolean')
  const native: NativeCodec = {
    encodeNative: (call: NativeCall): EncodedNativeRequest => {
      if (call.request.dialect === 'responses') {
        const body = nativeResponsesBody(call, encryptedReasoning)
        const headers = { ...plainHeaders(call), ...endpoints.of(call).headers }
        return { method: 'POST', url: responses, headers, body }
      }
      const { body, adjustments } = nativeBody(call, modelEdits(call), false)
      const { headers: own } = endpoints.of(call)
      return { method: 'POST', url: messages, headers: nativeHeaders(call, own), body, adjustments }
    },
    decodeNative: (response: UpstreamResponse, call: NativeCall) =>
      call.request.dialect === 'responses'
        ? decodeNativeResponses(response, call)
        : decodeNativeMessages(response, call),
  }
  const provider: Provider = {
    name,
    realm: realmOf(base, headers),
    ...(reasoningApi === 'responses'
      ? reasoningBy({ encode: encodeReasoning, decode: decodeResponses }, chat)
      : chat),
    ...(accepts === undefined ? {} : { accepts }),
    ...nativeDialects(speaks, [], native, name, ['messages', 'responses']),
    // With two dialects the vendor could be asked to count a request in the other one.
    ...(countsInputTokens && speaks?.length === 1 && speaks[0] === 'responses'
      ? { count: inputTokensCodec(`${base}/responses/input_tokens`, call => endpoints.of(call).headers) }
      : {}),
    ...(embeddings === false
      ? {}
      : {
          embed: openaiEmbeddings(
            call => ({ url: embeddingsUrl, headers: endpoints.of(call).headers }),
            embeddings,
          ),
        }),
    ...(completions === false
      ? {}
      : {
          complete: completionCodec(
            call => ({
              url: `${base}${completions.path ?? '/completions'}`,
              headers: endpoints.of(call).headers,
            }),
            completions,
          ),
        }),
    ...(rerank === false
      ? {}
      : {
          rerank: rerankCodec(
            call => ({ url: `${base}${rerank.path ?? '/rerank'}`, headers: endpoints.of(call).headers }),
            rerank,
          ),
        }),
    ...(moderations
      ? {
          moderate: moderationCodec(call => ({
            url: `${base}${moderationsPath}`,
            headers: endpoints.of(call).headers,
          })),
        }
      : {}),
    ...endpoints.part,
    ...concurrency(maxConcurrent, name),
    ...restrictFields(withServerTools(restrictedFields, accepts, speaks), allowFields, name),
  }
  return providerInstance(provider, known)
}

/** Headers that select an account or a project, which alone can read its encrypted reasoning. */
const accountHeaders: readonly string[] = ['openai-organization', 'openai-project']

function realmOf(base: string, headers: Readonly<Record<string, string>>): string {
  const selected = Object.entries(headers).filter(([name]) => accountHeaders.includes(name.toLowerCase()))
  return selected.length === 0 ? base : `${base} ${selected.map(([, value]) => value).join(' ')}`
}

/** Returns the URL of the Messages API, on the same server. Throws `ConfigurationError` for an invalid path. */
function messagesUrl(base: string, path: string | undefined, owner: string): string {
  if (path === undefined) return `${base}/messages`
  if (typeof path === 'string' && /^(?:\/[\w~-][\w.~-]*)+$/.test(path))
    return `${new URL(base).origin}${path}`
  throw configurationError(`${owner}()`, ['messagesPath'], path, 'a path, such as /anthropic/v1/messages')
}

/** Returns `undefined` if there is nothing beyond the protocol to read. Throws `ConfigurationError` for invalid options. */
function answerExtras(
  providerFields: ProviderFields | false | undefined,
  citations: unknown,
  owner: string,
): AnswerExtras | undefined {
  if (citations !== undefined && citations !== 'numbered') {
    throw configurationError(`${owner}()`, ['citations'], citations, "'numbered'")
  }
  const fields = selectFields(providerFields, owner)
  const numberedCitations = citations === 'numbered'
  return fields === undefined && !numberedCitations ? undefined : { fields, numberedCitations }
}

/** Servers bill the tools that they run: they are restricted wherever they are accepted, or requests passed on. */
function withServerTools(
  fields: RestrictedFields,
  accepts: CompatibilityOptions['accepts'],
  speaks: OpenAICompatibleOptions['speaks'],
): RestrictedFields {
  const passes = speaks?.some(dialect => dialect === 'responses' || dialect === 'messages') === true
  const runsTools = passes || accepts?.includes('server_tools') === true
  return runsTools ? { server_tools: 'paid', ...fields } : fields
}
