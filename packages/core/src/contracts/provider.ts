import type { ChatRequest, FinishReason, JsonObject, Logprobs } from '../protocol/chat.ts'
import type { Transport, UpstreamRequest, UpstreamResponse } from './transport.ts'

/** One request to one upstream model. */
export interface Call {
  readonly input: ChatRequest
  /** The upstream's own name for the model. */
  readonly model: string
  /** What the target said of its model; absent means that nothing is known. */
  readonly capabilities?: Capabilities
  /** What becomes of a parameter that the vendor lacks and that changes the answer. Absent: `refuse`. */
  readonly unsupportedParameters?: UnsupportedParameters
  /** Aborts when nobody waits for the answer any more: for an `encode` that has to ask elsewhere first. */
  readonly signal?: AbortSignal
}

/**
 * What becomes of a parameter that the vendor lacks and that changes the answer: `refuse` is a 400, `drop`
 * leaves it out and says so in the adjustments.
 */
export type UnsupportedParameters = 'refuse' | 'drop'

/** What a provider did to a parameter that its vendor lacks, or has in another form. */
export interface Adjustment {
  /** The parameter's path in the caller's request: `seed`, `messages[2].name`. */
  readonly parameter: string
  /**
   * `dropped`: left out. `mapped`: said in the vendor's own terms, which are not quite the same. `defaulted`:
   * the caller gave none, the vendor needs one.
   */
  readonly action: 'dropped' | 'mapped' | 'defaulted'
  /** What was sent instead, or why nothing was, in a few words. Never a value of the caller's messages. */
  readonly detail?: string
}

/** A vendor's request, and what had to be adjusted for it. */
export interface EncodedRequest extends UpstreamRequest {
  readonly adjustments?: readonly Adjustment[]
}

/**
 * One vendor's wire protocol: two pure functions. What leaves the process, retries, deadlines and
 * cancellation live elsewhere, once.
 */
export interface Provider {
  readonly name: string
  /**
   * Writes the vendor's request. Throws `GatewayError` (400) for what the vendor cannot express, and
   * `UpstreamError` where it has to ask elsewhere first (for a token) and cannot.
   */
  encode(call: Call): EncodedRequest | Promise<EncodedRequest>
  /**
   * Reads the vendor's answer. Throws `UpstreamError` for any answer that is not a completion. A stream
   * that ends before the vendor's own end mark throws `UpstreamError` of kind `truncated`.
   */
  decode(response: UpstreamResponse, call: Call): Reply | Promise<Reply>
  /** Replaces the gateway's transport: for a provider that answers in process. */
  readonly transport?: Transport
  /** How many calls may run at once; a further one waits, principals by turns. A call runs until its answer has ended. */
  readonly maxConcurrent?: number
  /**
   * The request fields outside the protocol that `encode` passes on and the upstream obeys to choose models, routing, paid
   * features or token bounds. The gateway rejects them from principals with limits or a list of models. Default: none.
   */
  readonly restrictedFields?: RestrictedFields
}

/**
 * What a restricted field changes: the `model` that answers; `routing`, which servers or settings the request gets; `paid`
 * features; the bound of the `output`; the `prompt` that was counted; `scheduling`, which requests are served first.
 */
export type RestrictedFieldKind = 'model' | 'routing' | 'paid' | 'output' | 'prompt' | 'scheduling'

/**
 * Restricted fields by name. Names match in any case, with or without `_` and `-`. `'a.b'` is the member `b` of the object
 * `a`. A protocol field stands for its other spellings, such as `maxTokens`.
 */
export type RestrictedFields = Readonly<Record<string, RestrictedFieldKind>>

/** A place where a model can be answered. */
export interface Target {
  readonly provider: Provider
  readonly model: string
  readonly capabilities?: Capabilities
  /**
   * Fields of the request that are different at this place: `{ temperature: 0 }`. `null` leaves a field out. They stand
   * in the place of the caller's, and are checked as those are.
   */
  readonly parameters?: ParameterOverrides
  /** Names from the provider's `restrictedFields` that every caller may send to this target. Default: none. */
  readonly allowFields?: readonly string[]
}

/**
 * Fields of a request that a place may have of its own. `max_completion_tokens` lowers the caller's bound, and never
 * raises it.
 */
export type ParameterOverrides = {
  readonly [Field in OverridableField]?: ChatRequest[Field] | null
}

type OverridableField =
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

/** What a model can do, as far as it is known. What is not said is not checked. */
export interface Capabilities {
  /** What a user's message may hold; text is always taken. */
  readonly input?: readonly ('image' | 'audio' | 'file')[]
  /** A reasoning model: it knows `max_completion_tokens`, not `max_tokens`. */
  readonly reasoning?: boolean
  /** The most choices (`n`) of one request. */
  readonly maxChoices?: number
  /** How many tokens prompt and answer may have together. */
  readonly contextTokens?: number
  /** The most tokens of one answer. */
  readonly maxOutputTokens?: number
  /** Whether it calls tools. */
  readonly tools?: boolean
  /** Whether it answers by a JSON schema (`response_format`). */
  readonly jsonSchema?: boolean
}

/** What a vendor answered, translated. */
export type Reply =
  | { readonly kind: 'completion'; readonly completion: PartialCompletion }
  /** One array per upstream read, so that what came together leaves together. */
  | { readonly kind: 'stream'; readonly chunks: AsyncIterable<readonly PartialChunk[]> }

/**
 * Counts as a vendor gave them. What is not known is absent. `prompt_tokens` includes cached tokens,
 * `completion_tokens` includes reasoning tokens.
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
  /** Searches of the web that are billed by the piece. */
  readonly web_search_requests?: number
}

/** A tool call, or a piece of one. `index` and `id` may be missing or repeated; `normalize` sorts them out. */
export interface PartialToolCall {
  readonly index?: number
  readonly id?: string
  readonly type?: 'function' | 'custom'
  readonly function?: { readonly name?: string; readonly arguments?: string }
  readonly custom?: { readonly name?: string; readonly input?: string }
  /** A vendor's signature that has to come back with the call. */
  readonly extra_content?: JsonObject
}

/** A message, or what one chunk adds to it. */
export interface PartialMessage {
  readonly content?: string | null
  readonly refusal?: string | null
  readonly reasoning_content?: string
  readonly reasoning_details?: readonly JsonObject[]
  /** Links: `url_citation` and nothing else (protocol section 2). */
  readonly annotations?: readonly JsonObject[]
  /** Places in documents that the caller sent: they have no link, and so no place among the annotations. */
  readonly citations?: readonly JsonObject[]
  readonly tool_calls?: readonly PartialToolCall[]
  readonly function_call?: { readonly name?: string; readonly arguments?: string }
  readonly audio?: JsonObject
}

export interface PartialChoice {
  readonly index: number
  readonly message: PartialMessage
  readonly logprobs?: Logprobs | null
  readonly finish_reason?: FinishReason | null
}

export interface PartialCompletion {
  readonly choices: readonly PartialChoice[]
  /** The model that the vendor says has answered. It may be another than was asked, as with a router or an alias. */
  readonly model?: string
  readonly usage?: PartialUsage
  readonly service_tier?: string
  readonly system_fingerprint?: string | null
}

export interface PartialChunkChoice {
  readonly index: number
  readonly delta: PartialMessage
  readonly logprobs?: Logprobs | null
  readonly finish_reason?: FinishReason | null
}

/** What one event adds. A chunk may carry choices, usage, both or neither. */
export interface PartialChunk {
  readonly choices: readonly PartialChunkChoice[]
  /** As of a whole completion. One chunk is enough; the last one given holds. */
  readonly model?: string
  /** Cumulative: the last one given holds. */
  readonly usage?: PartialUsage
  readonly service_tier?: string
  readonly system_fingerprint?: string | null
}
