/** A JSON value. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined
}

export interface TextPart {
  readonly type: 'text'
  readonly text: string
}

export interface RefusalPart {
  readonly type: 'refusal'
  readonly refusal: string
}

export interface ImagePart {
  readonly type: 'image_url'
  readonly image_url: { readonly url: string; readonly detail?: 'auto' | 'low' | 'high' }
}

export interface AudioPart {
  readonly type: 'input_audio'
  readonly input_audio: { readonly data: string; readonly format: 'wav' | 'mp3' }
}

export interface FilePart {
  readonly type: 'file'
  readonly file: { readonly file_id?: string; readonly file_data?: string; readonly filename?: string }
}

/** A content part of a user message. */
export type UserPart = TextPart | ImagePart | AudioPart | FilePart

export interface SystemMessage {
  readonly role: 'system' | 'developer'
  readonly content: string | readonly TextPart[]
  readonly name?: string
}

export interface UserMessage {
  readonly role: 'user'
  readonly content: string | readonly UserPart[]
  readonly name?: string
}

export interface AssistantMessage {
  readonly role: 'assistant'
  readonly content?: string | readonly (TextPart | RefusalPart)[] | null
  readonly refusal?: string | null
  readonly name?: string
  readonly audio?: { readonly id: string } | null
  readonly tool_calls?: readonly ToolCall[]
  readonly function_call?: { readonly name: string; readonly arguments: string } | null
}

export interface ToolMessage {
  readonly role: 'tool'
  readonly content: string | readonly TextPart[]
  readonly tool_call_id: string
}

export interface FunctionMessage {
  readonly role: 'function'
  readonly content: string | null
  readonly name: string
}

/** A message of the conversation. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage | FunctionMessage

export interface FunctionToolCall {
  readonly id: string
  readonly type: 'function'
  /** `arguments` is JSON text, not an object. */
  readonly function: { readonly name: string; readonly arguments: string }
}

export interface CustomToolCall {
  readonly id: string
  readonly type: 'custom'
  readonly custom: { readonly name: string; readonly input: string }
}

export type ToolCall = FunctionToolCall | CustomToolCall

export interface FunctionDefinition {
  readonly name: string
  readonly description?: string
  /** A JSON Schema; absent means no parameters. */
  readonly parameters?: JsonObject
  readonly strict?: boolean | null
}

export interface FunctionTool {
  readonly type: 'function'
  readonly function: FunctionDefinition
}

export interface CustomTool {
  readonly type: 'custom'
  readonly custom: { readonly name: string; readonly description?: string; readonly format?: JsonObject }
}

export type Tool = FunctionTool | CustomTool

export type ToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | { readonly type: 'function'; readonly function: { readonly name: string } }
  | { readonly type: 'custom'; readonly custom: { readonly name: string } }
  | {
      readonly type: 'allowed_tools'
      readonly allowed_tools: { readonly mode: 'auto' | 'required'; readonly tools: readonly JsonObject[] }
    }

export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema'
      readonly json_schema: {
        readonly name: string
        readonly description?: string
        readonly schema?: JsonObject
        readonly strict?: boolean | null
      }
    }

/** A validated chat completion request. Optional fields that are `null` are removed, unknown fields are not. */
export interface ChatRequest {
  readonly model: string
  readonly messages: readonly Message[]
  readonly temperature?: number
  readonly top_p?: number
  readonly max_tokens?: number
  readonly max_completion_tokens?: number
  readonly n?: number
  readonly stream?: boolean
  readonly stream_options?: { readonly include_usage?: boolean; readonly include_obfuscation?: boolean }
  readonly stop?: string | readonly string[]
  readonly presence_penalty?: number
  readonly frequency_penalty?: number
  readonly logit_bias?: Readonly<Record<string, number>>
  readonly logprobs?: boolean
  readonly top_logprobs?: number
  readonly seed?: number
  readonly response_format?: ResponseFormat
  readonly tools?: readonly Tool[]
  readonly tool_choice?: ToolChoice
  readonly parallel_tool_calls?: boolean
  readonly functions?: readonly FunctionDefinition[]
  readonly function_call?: 'none' | 'auto' | { readonly name: string }
  readonly reasoning_effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'
  readonly verbosity?: 'low' | 'medium' | 'high'
  readonly service_tier?: 'auto' | 'default' | 'flex' | 'scale' | 'priority' | 'fast'
  readonly metadata?: Readonly<Record<string, string>>
  readonly store?: boolean
  readonly user?: string
  readonly safety_identifier?: string
  readonly prompt_cache_key?: string
  readonly prompt_cache_retention?: string
  readonly prompt_cache_options?: JsonObject
  readonly modalities?: readonly ('text' | 'audio')[]
  readonly audio?: { readonly voice: string | { readonly id: string }; readonly format: string }
  readonly prediction?: { readonly type: 'content'; readonly content: string | readonly TextPart[] }
  readonly web_search_options?: JsonObject
  readonly moderation?: JsonObject
  /** Fields that the chat completions API does not define. */
  readonly [extra: string]: unknown
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'function_call'

/** Token counts, all non-negative integers. */
export interface Usage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  /** The sum of the two above. */
  readonly total_tokens: number
  readonly prompt_tokens_details: {
    readonly cached_tokens: number
    readonly audio_tokens: number
    readonly cache_write_tokens?: number
  }
  readonly completion_tokens_details: {
    readonly reasoning_tokens: number
    readonly audio_tokens: number
    readonly accepted_prediction_tokens: number
    readonly rejected_prediction_tokens: number
  }
}

/** The usage in an answer: with what the vendor counts beyond the protocol, such as its cost. */
export interface CompletionUsage extends Usage {
  /** US dollars. Absent where no price is known, and where the caller does not get it. */
  readonly cost?: number
  readonly provider_specific_fields?: JsonObject
}

export interface TokenLogprob {
  readonly token: string
  readonly logprob: number
  readonly bytes: readonly number[] | null
  readonly top_logprobs: readonly {
    readonly token: string
    readonly logprob: number
    readonly bytes: readonly number[] | null
  }[]
}

export interface Logprobs {
  readonly content: readonly TokenLogprob[] | null
  readonly refusal: readonly TokenLogprob[] | null
}

/** The message of a choice. `tool_calls` is present only if tools were called. */
export interface CompletionMessage {
  readonly role: 'assistant'
  readonly content: string | null
  readonly refusal: string | null
  readonly annotations: readonly JsonObject[]
  readonly reasoning_content?: string
  readonly reasoning_details?: readonly JsonObject[]
  readonly citations?: readonly JsonObject[]
  readonly tool_calls?: readonly ToolCall[]
  readonly function_call?: { readonly name: string; readonly arguments: string }
  readonly audio?: JsonObject
  readonly provider_specific_fields?: JsonObject
}

export interface Choice {
  readonly index: number
  readonly message: CompletionMessage
  readonly logprobs: Logprobs | null
  readonly finish_reason: FinishReason
  readonly provider_specific_fields?: JsonObject
}

/** A response that is not streamed, in the exact shape of the chat completions API. */
export interface ChatCompletion {
  readonly id: string
  readonly object: 'chat.completion'
  /** Unix time in seconds. */
  readonly created: number
  readonly model: string
  readonly choices: readonly Choice[]
  readonly usage: CompletionUsage
  /** Absent if the vendor reports none. */
  readonly service_tier?: string
  readonly system_fingerprint: string | null
  readonly provider_specific_fields?: JsonObject
}

/** The delta of a choice in a chunk. */
export interface Delta {
  readonly role?: 'assistant'
  readonly content?: string | null
  readonly refusal?: string | null
  readonly reasoning_content?: string
  readonly reasoning_details?: readonly JsonObject[]
  readonly citations?: readonly JsonObject[]
  readonly annotations?: readonly JsonObject[]
  readonly tool_calls?: readonly ToolCallDelta[]
  readonly function_call?: { readonly name?: string; readonly arguments?: string }
  readonly audio?: JsonObject
  readonly provider_specific_fields?: JsonObject
}

export interface ToolCallDelta {
  readonly index: number
  readonly id?: string
  readonly type?: 'function' | 'custom'
  readonly function?: { readonly name?: string; readonly arguments?: string }
  readonly custom?: { readonly name?: string; readonly input?: string }
  readonly extra_content?: JsonObject
}

export interface ChunkChoice {
  readonly index: number
  readonly delta: Delta
  readonly logprobs: Logprobs | null
  readonly finish_reason: FinishReason | null
  readonly provider_specific_fields?: JsonObject
}

/** One event of a streamed response, in the exact shape of the chat completions API. */
export interface ChatCompletionChunk {
  readonly id: string
  readonly object: 'chat.completion.chunk'
  readonly created: number
  readonly model: string
  /** Absent if the vendor reports none, or has not yet. */
  readonly service_tier?: string
  readonly system_fingerprint: string | null
  readonly choices: readonly ChunkChoice[]
  /** With `stream_options.include_usage`: `null` except in the last chunk. Otherwise absent. */
  readonly usage?: CompletionUsage | null
  readonly provider_specific_fields?: JsonObject
}
