import type { Adjustment } from '../conversation/adjustment.ts'
import type { BodyEdit } from '../conversation/body-edit.ts'
import type { GenerateRequest } from '../conversation/generate-request.ts'
import type { ChatRequest, FinishReason, JsonObject, Logprobs } from '../protocol/chat.ts'
import type { ReceivedText } from '../protocol/received-text.ts'
import type { EmbeddingInput, EmbeddingVector, EmbedRequest } from './embedding.ts'
import type { ModerateRequest } from './moderation.ts'
import type { Operation } from './outline.ts'
import type { RerankRequest, RerankResult } from './rerank.ts'
import type { Transport, UpstreamRequest, UpstreamResponse } from './transport.ts'

export type { Adjustment } from '../conversation/adjustment.ts'

/** One call of one upstream model, as `encode` and `decode` get it. */
export interface Call {
  /** The request as a chat completion. Of a request in another dialect it is computed when it is read. */
  readonly input: ChatRequest
  /**
   * The request in the caller's dialect, with its turns. Absent in a call that no gateway made, such as in a test: then
   * `input` is all.
   */
  readonly request?: GenerateRequest
  /** The upstream's own name for the model. */
  readonly model: string
  /** The `id` of the key to send, if the provider has `keys`. Absent: the first. */
  readonly key?: string
  /** The capabilities of the target. Absent: nothing is known. */
  readonly capabilities?: Capabilities | undefined
  /** How to handle parameters that the vendor does not support. Default `refuse`. */
  readonly unsupportedParameters?: UnsupportedParameters
  /** Aborts when the response is no longer needed: for an `encode` that does I/O first, such as to fetch a token. */
  readonly signal?: AbortSignal
}

/** A call whose vendor speaks the caller's dialect: the body goes out as it came, with a few edits. */
export interface NativeCall extends Call {
  readonly request: GenerateRequest
  /** The JSON text of the caller's body. */
  readonly text: string
  /** What was received, with its bytes, for `spliceJsonBody`. Absent for a short text. */
  readonly received?: ReceivedText | undefined
  /**
   * What to change in it: the target's parameters, the bound of the output. The provider adds its own, such as the model, and
   * applies them with `spliceJson`.
   */
  readonly edits: readonly BodyEdit[]
  /** The caller's headers that its dialect lets through, by lowercase name: `acme-beta`. The provider chooses among them. */
  readonly headers: Readonly<Record<string, string>>
}

/** A call for the embeddings of some inputs: of all inputs of a request, or of a part of them. */
export interface EmbedCall {
  readonly request: EmbedRequest
  /** The inputs to embed, at least one and at most `maxInputs` of the codec. */
  readonly inputs: readonly EmbeddingInput[]
  /** The upstream's own name for the model. */
  readonly model: string
  /** The `id` of the key to send, if the provider has `keys`. Absent: the first. */
  readonly key?: string
  readonly capabilities?: Capabilities | undefined
  /** How to handle parameters that the vendor does not support. Default `refuse`. */
  readonly unsupportedParameters?: UnsupportedParameters
  /** Aborts when the response is no longer needed. */
  readonly signal?: AbortSignal
}

/** The vectors of a call, in the order of its inputs, exactly one for each. */
export interface EmbedReply {
  readonly vectors: readonly EmbeddingVector[]
  /** The model that the vendor reports. */
  readonly model?: string
  /** Number of tokens of the inputs, as the vendor counts them. Absent: it is estimated. */
  readonly promptTokens?: number
}

/** Translates requests for embeddings. `encode` and `decode` throw what those of `Provider` throw. */
export interface EmbedCodec {
  /** Maximum number of inputs of one call. More are split, and embedded concurrently. Default: no maximum. */
  readonly maxInputs?: number | ((model: string) => number)
  /**
   * Maximum number of tokens of the inputs of one call, as the gateway estimates them. A single input may have more. Default: no
   * maximum.
   */
  readonly maxInputTokens?: number
  encode(call: EmbedCall): EncodedRequest | Promise<EncodedRequest>
  decode(response: UpstreamResponse, call: EmbedCall): EmbedReply | Promise<EmbedReply>
}

/** What every call has that is not for a generated answer. */
export interface OperationCall {
  /** The upstream's own name for the model. */
  readonly model: string
  /** The `id` of the key to send, if the provider has `keys`. Absent: the first. */
  readonly key?: string
  readonly capabilities?: Capabilities | undefined
  /** How to handle parameters that the vendor does not support. Default `refuse`. */
  readonly unsupportedParameters?: UnsupportedParameters
  /** Aborts when the response is no longer needed. */
  readonly signal?: AbortSignal
}

/** A call to rank the documents of a request. */
export interface RerankCall extends OperationCall {
  readonly request: RerankRequest
}

/** The order of the documents of a call. */
export interface RerankReply {
  /** At least as many as the caller asked for, each of another document. The gateway sorts them, and leaves the rest out. */
  readonly results: readonly RerankResult[]
  /** The model that the vendor reports. */
  readonly model?: string
  /** Number of tokens that the vendor counts. Absent: it is estimated. */
  readonly promptTokens?: number
  /** Number of search units that the vendor bills. Absent: it bills none. */
  readonly searchUnits?: number
}

/** Translates requests to rank documents. `encode` and `decode` throw what those of `Provider` throw. */
export interface RerankCodec {
  /** Maximum number of documents of one call. A target with fewer than a request has is not called. Default: no maximum. */
  readonly maxDocuments?: number
  encode(call: RerankCall): EncodedRequest | Promise<EncodedRequest>
  decode(response: UpstreamResponse, call: RerankCall): RerankReply | Promise<RerankReply>
}

/** A call to moderate the inputs of a request. */
export interface ModerateCall extends OperationCall {
  readonly request: ModerateRequest
}

/** A vendor's result of a moderation. */
export interface ModerateReply {
  /** The JSON text of the vendor's answer: an object with `results`, at least one, and as many as the request says. */
  readonly native: string
  /** The model that the vendor reports. */
  readonly model?: string
  /** Number of tokens that the vendor counts. Absent: it is estimated. */
  readonly promptTokens?: number
}

/**
 * Passes on requests to moderate texts, to vendors with the moderations API. `encode` and `decode` throw what those of `Provider` throw.
 */
export interface ModerateCodec {
  encode(call: ModerateCall): EncodedRequest | Promise<EncodedRequest>
  decode(response: UpstreamResponse, call: ModerateCall): ModerateReply | Promise<ModerateReply>
}

/**
 * Passes on requests to complete texts, to vendors with the older API of text completions. They are never translated. `encode` and
 * `decode` throw what those of `Provider` throw.
 */
export interface CompleteCodec {
  encode(call: NativeCall): EncodedRequest | Promise<EncodedRequest>
  /** The reply has the vendor's own text: see `native` of `Reply`. The text of a completion is the `content` of a choice. */
  decode(response: UpstreamResponse, call: NativeCall): Reply | Promise<Reply>
}

/** The number of tokens of a prompt. */
export interface CountReply {
  readonly promptTokens: number
}

/** Asks a vendor for the number of tokens of a prompt. `encode` and `decode` throw what those of `Provider` throw. */
export interface CountCodec {
  /** Absent: the tokens of requests that are translated are estimated. */
  encode?(call: Call): EncodedRequest | Promise<EncodedRequest>
  /** Encodes a request whose dialect the vendor speaks. Default: `encode`. */
  encodeNative?(call: NativeCall): EncodedNativeRequest | Promise<EncodedNativeRequest>
  decode(response: UpstreamResponse, call: Call): CountReply | Promise<CountReply>
}

/**
 * How to handle a parameter that the vendor does not support and that would change the response. `refuse`: a 400. `drop`:
 * omit it, and report an adjustment.
 */
export type UnsupportedParameters = 'refuse' | 'drop'

/** An encoded request to a vendor, with the adjustments that it needed. */
export interface EncodedRequest extends UpstreamRequest {
  readonly adjustments?: readonly Adjustment[]
}

/** The body of a request. A list is sent as one body, in this order. */
export type NativeRequestBody = string | Uint8Array | readonly Uint8Array[]

/** A request with the caller's body. Its bytes may be those that were received, with edits between them. */
export interface EncodedNativeRequest extends Omit<EncodedRequest, 'body'> {
  readonly body?: NativeRequestBody
}

/** One of several API keys of a vendor's account. Each has its own cooldowns. */
export interface ProviderKey {
  /** Names it in `call.key`, events, traces and shared health, such as `key 2`: never the secret. One line of at most 64 characters. */
  readonly id: string
  /** Its share of the calls, relative to the others. 0: called only while all others are in cooldown. */
  readonly weight: number
}

/**
 * Translates between the gateway and the API of a vendor. The gateway sends the encoded requests, and handles retries,
 * timeouts and cancellation.
 */
export interface Provider {
  readonly name: string
  /**
   * Encodes a request to the vendor. Throws `GatewayError` (400) for what the vendor does not support, and `UpstreamError` if
   * I/O that it needs first fails, such as fetching a token.
   */
  encode(call: Call): EncodedRequest | Promise<EncodedRequest>
  /**
   * Decodes the vendor's response. Throws `UpstreamError` for any response that is not a completion. A stream that ends
   * before the vendor's end marker throws `UpstreamError` of kind `truncated`.
   */
  decode(response: UpstreamResponse, call: Call): Reply | Promise<Reply>
  /**
   * The names of the dialects that the vendor speaks itself, such as `messages`. With `encodeNative` and `decodeNative`, requests
   * in them are passed on as they came. A function decides by the upstream's name for the model. Default: none.
   */
  readonly speaks?: readonly string[] | ((model: string) => readonly string[])
  /** Encodes a request in a dialect of `speaks`. Throws what `encode` throws. */
  encodeNative?(call: NativeCall): EncodedNativeRequest | Promise<EncodedNativeRequest>
  /** Decodes the response to it, with the vendor's own text: see `native` of `Reply`. Throws what `decode` throws. */
  decodeNative?(response: UpstreamResponse, call: NativeCall): Reply | Promise<Reply>
  /**
   * The account, region or project that alone can read what the vendor wants back of its answers, such as encrypted reasoning:
   * any text without secrets that is the same for all providers of it. Callers never see it. A function decides by the upstream's
   * name for the model. Default: the name of the provider.
   */
  readonly realm?: string | ((model: string) => string)
  /** Embeds texts. Absent: the vendor has no embeddings. */
  readonly embed?: EmbedCodec
  /** Completes texts. Absent: the vendor does not. */
  readonly complete?: CompleteCodec
  /** Ranks documents. Absent: the vendor does not. */
  readonly rerank?: RerankCodec
  /** Moderates texts. Absent: the vendor does not. */
  readonly moderate?: ModerateCodec
  /** Counts the tokens of a prompt. Absent: they are estimated. */
  readonly count?: CountCodec
  /** Replaces the gateway's transport: for a provider that responds in process. */
  readonly transport?: Transport
  /** Maximum number of concurrent calls. Others are queued, fairly across principals. A call ends with its response. */
  readonly maxConcurrent?: number
  /**
   * API keys to distribute calls over, at most 100. The gateway chooses one per call (`call.key`) and skips those in cooldown.
   * Default: the provider has one key, which the gateway does not know of.
   */
  readonly keys?: readonly ProviderKey[]
  /**
   * The request fields outside the chat completions API that `encode` passes on and the upstream obeys to choose models,
   * routing, paid features or token bounds. The gateway rejects them from principals with limits or a list of models.
   * Default: none.
   */
  readonly restrictedFields?: RestrictedFields
  /**
   * The request extensions that the upstream supports and `encode` passes on unchanged. A target whose provider does not list
   * an extension never gets a request that uses it. The type `ChatRequest` does not include their values. Default: none.
   */
  readonly accepts?: readonly RequestExtension[]
}

/**
 * A kind of value that some vendors support in a request, and the protocol does not define:
 *
 * - `string_media`: `image_url` or `input_audio` as a plain string.
 * - `document_url`, `video_url`, `audio_url`, `file_url`: message parts of this type with a link or a data URL.
 * - `tool_result_media`: parts other than text in tool messages.
 * - `thinking_parts`: parts of the type `thinking` in assistant messages.
 * - `tool_choice_any`: `tool_choice: 'any'`.
 * - `untyped_tools`: functions in `tools` and `tool_calls` without `type`.
 * - `server_tools`: other types of `tools`, which the vendor runs itself, and usually bills. A provider that accepts them should
 *   list `server_tools` in its `restrictedFields` too.
 * - `service_tiers`: other names of a `service_tier`.
 */
export type RequestExtension =
  | 'string_media'
  | 'document_url'
  | 'video_url'
  | 'audio_url'
  | 'file_url'
  | 'tool_result_media'
  | 'thinking_parts'
  | 'tool_choice_any'
  | 'untyped_tools'
  | 'server_tools'
  | 'service_tiers'

/**
 * What a restricted field changes. `model`: which model responds. `routing`: which servers or settings the request gets.
 * `paid`: whether paid features are used. `output`: the maximum length of the output. `prompt`: the prompt, after its
 * tokens were counted. `scheduling`: which requests the upstream serves first.
 */
export type RestrictedFieldKind = 'model' | 'routing' | 'paid' | 'output' | 'prompt' | 'scheduling'

/**
 * Restricted fields by name. Names match in any case, with or without `_` and `-`. `'a.b'` is the member `b` of the object
 * `a`. A field of the chat completions API stands for its other spellings, such as `maxTokens`. The name of a
 * `RequestExtension` stands for its values: `server_tools`.
 */
export type RestrictedFields = Readonly<Record<string, RestrictedFieldKind>>

/** A model of a provider. */
export interface Target {
  readonly provider: Provider
  /** The upstream's own name for the model. */
  readonly model: string
  readonly capabilities?: Capabilities | undefined
  /**
   * Parameters that replace those of the request at this target: `{ temperature: 0 }`. `null` removes a parameter. They are
   * validated like those of a request.
   */
  readonly parameters?: ParameterOverrides | undefined
  /**
   * The name of the space of its embeddings, in one line. Vectors of different spaces must not be mixed, so a request for embeddings
   * falls back only to targets of the space of its first target. Default: the model's name is that of its space.
   */
  readonly embeddingSpace?: string | undefined
  /** Names of the provider's `restrictedFields` that every caller may send to this target. Default: none. */
  readonly allowFields?: readonly string[] | undefined
}

/** Parameters that a target may override. `max_completion_tokens` lowers the maximum of the request, but never raises it. */
export type ParameterOverrides = {
  readonly [Field in OverridableField]?: ChatRequest[Field] | null
}

/** The fields of a request that a target may override. */
export type OverridableField =
  | 'temperature'
  | 'top_p'
  | 'max_completion_tokens'
  | 'stop'
  | 'presence_penalty'
  | 'frequency_penalty'
  | 'logit_bias'
  | 'seed'
  | 'parallel_tool_calls'
  | 'reasoning_effort'
  | 'verbosity'
  | 'service_tier'
  | 'metadata'
  | 'store'
  | 'user'
  | 'safety_identifier'
  | 'prompt_cache_key'
  | 'prompt_cache_retention'
  | 'web_search_options'

/** What a model supports. A capability that is absent is not checked. */
export interface Capabilities {
  /** What the model can be asked for. Default: a generated answer. */
  readonly operations?: readonly Operation[] | undefined
  /** Content types of user messages beside text, which every model supports. */
  readonly input?: readonly ('image' | 'audio' | 'file' | 'video')[] | undefined
  /** Whether it is a reasoning model, which takes `max_completion_tokens` instead of `max_tokens`. */
  readonly reasoning?: boolean | undefined
  /** Maximum number of choices (`n`) of a request. */
  readonly maxChoices?: number | undefined
  /** Context length in tokens: prompt and response together. */
  readonly contextTokens?: number | undefined
  /** Maximum number of tokens of a response. */
  readonly maxOutputTokens?: number | undefined
  /** Whether it supports tool calls. */
  readonly tools?: boolean | undefined
  /** Whether it supports a JSON schema as `response_format`. */
  readonly jsonSchema?: boolean | undefined
}

/** A decoded response of a vendor: complete, or a stream of chunks. */
export type Reply =
  | {
      readonly kind: 'completion'
      readonly completion: PartialCompletion
      /**
       * The same response in the order in which it was generated, as a stream would have it, with an `index` for each tool
       * call: `foldChunks` returns its completion. Default: of each choice its reasoning, its text, then its calls.
       */
      readonly ordered?: readonly PartialChunk[]
      /** From `decodeNative`: the JSON text of the vendor's answer. */
      readonly native?: string
    }
  | { readonly kind: 'stream'; readonly chunks: AsyncIterable<ChunkBatch> }

/** The chunks of one upstream read: they are forwarded in one write. */
export type ChunkBatch = readonly PartialChunk[] & {
  /** From `decodeNative`: the vendor's events of this read, in order, also those that give no chunk. */
  readonly native?: readonly NativeEvent[]
}

/** An event of a vendor's stream, as the vendor wrote it. */
export interface NativeEvent {
  /** The `event:` field. */
  readonly event?: string
  /** The `data:` field. */
  readonly data: string
}

/**
 * Usage as the vendor reports it; the gateway fills in missing fields. Unknown counts are absent. `prompt_tokens` includes
 * cached tokens, `completion_tokens` includes reasoning tokens.
 */
export interface PartialUsage {
  readonly prompt_tokens?: number
  readonly completion_tokens?: number
  readonly cached_tokens?: number
  readonly cache_write_tokens?: number
  readonly reasoning_tokens?: number
  readonly prompt_audio_tokens?: number
  readonly completion_audio_tokens?: number
  readonly accepted_prediction_tokens?: number
  readonly rejected_prediction_tokens?: number
  /** Number of web searches, which are billed each. */
  readonly web_search_requests?: number
  readonly provider_specific_fields?: ProviderSpecificFields
}

/**
 * What a vendor adds to the protocol at one level of its answer, by the vendor's names. Callers receive it, so it must not
 * hold hosts, keys or account ids. Nothing is billed by it. In a stream, a later value replaces an earlier one of its name.
 */
export type ProviderSpecificFields = JsonObject

/**
 * A tool call as the vendor sent it, or a part of one in a stream. The gateway repairs an `index` or `id` that is missing
 * or repeated.
 */
export interface PartialToolCall {
  readonly index?: number
  readonly id?: string
  readonly type?: 'function' | 'custom'
  readonly function?: { readonly name?: string; readonly arguments?: string }
  readonly custom?: { readonly name?: string; readonly input?: string }
  /** A signature of the vendor, which a later request has to send back with the call. */
  readonly extra_content?: JsonObject
}

/** A message as the vendor sent it, or its delta in a chunk. The gateway fills in missing fields. */
export interface PartialMessage {
  readonly content?: string | null
  readonly refusal?: string | null
  readonly reasoning_content?: string
  /** Reasoning in blocks, with their signatures; `format` names the vendor and version of the block, such as `acme-v1`. */
  readonly reasoning_details?: readonly JsonObject[]
  /**
   * In a stream: a block of reasoning that has just ended, as it is in `reasoning_details`. For a vendor whose details are
   * given in one piece at the end, so that dialects with signatures in their place can send it before what follows. Not sent
   * in chat completions.
   */
  readonly ended_reasoning?: JsonObject
  /** Links, of the type `url_citation` only. */
  readonly annotations?: readonly JsonObject[]
  /** Citations of documents in the request. They have no URL, so they cannot be `annotations`. */
  readonly citations?: readonly JsonObject[]
  readonly tool_calls?: readonly PartialToolCall[]
  readonly function_call?: { readonly name?: string; readonly arguments?: string }
  readonly audio?: JsonObject
  readonly provider_specific_fields?: ProviderSpecificFields
}

/** A choice of a completion, as the vendor sent it. The gateway fills in missing fields. */
export interface PartialChoice {
  readonly index: number
  readonly message: PartialMessage
  readonly logprobs?: Logprobs | null
  readonly finish_reason?: FinishReason | null
  readonly provider_specific_fields?: ProviderSpecificFields
}

/** A completion as the vendor sent it. The gateway fills in missing fields. */
export interface PartialCompletion {
  readonly choices: readonly PartialChoice[]
  /** The model that the vendor reports. It may differ from the requested one, as with a router or an alias. */
  readonly model?: string
  readonly usage?: PartialUsage
  readonly service_tier?: string
  readonly system_fingerprint?: string | null
  readonly provider_specific_fields?: ProviderSpecificFields
}

/** A choice of a chunk, as the vendor sent it. The gateway fills in missing fields. */
export interface PartialChunkChoice {
  readonly index: number
  readonly delta: PartialMessage
  readonly logprobs?: Logprobs | null
  readonly finish_reason?: FinishReason | null
  readonly provider_specific_fields?: ProviderSpecificFields
}

/**
 * One event of a stream, as the vendor sent it; the gateway fills in missing fields. A chunk may have choices, usage, both or
 * neither.
 */
export interface PartialChunk {
  readonly choices: readonly PartialChunkChoice[]
  /** The model that the vendor reports. One chunk is enough; the last value counts. */
  readonly model?: string
  /** Cumulative: the last value counts. */
  readonly usage?: PartialUsage
  readonly service_tier?: string
  readonly system_fingerprint?: string | null
  readonly provider_specific_fields?: ProviderSpecificFields
}
