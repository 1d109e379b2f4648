import type { RequestRow } from '../../src/api.ts'
import type { ChatDialectName } from './chat-dialects.ts'

/** How many tokens a request and its answer have. */
export interface TokenCounts {
  readonly input: number
  readonly output: number
}

/** An image of a message. */
export interface ChatImage {
  readonly name: string
  /** Such as `image/png`. */
  readonly type: string
  /** The size of the file. */
  readonly bytes: number
  /** The file in base64. */
  readonly data: string
}

/** A tool call of an answer. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON as the model wrote it. */
  readonly arguments: string
}

/** What an event adds to a tool call. */
export interface ToolCallPiece {
  /** Which call of the answer it is. */
  readonly at: number
  readonly id?: string
  readonly name?: string
  readonly arguments?: string
}

/** One message of the conversation. */
export interface Turn {
  /** `tool`: the result of a tool call. */
  readonly role: 'user' | 'assistant' | 'tool'
  readonly text: string
  readonly state: 'complete' | 'streaming' | 'stopped' | 'failed'
  readonly images?: readonly ChatImage[]
  /** The reasoning that the model shows. It is not sent back. */
  readonly reasoning?: string
  readonly calls?: readonly ToolCall[]
  /** The call that a result belongs to. */
  readonly resultOf?: Pick<ToolCall, 'id' | 'name'>
  readonly failure?: ChatFailure
  readonly requestId?: string
  readonly usage?: TokenCounts
  readonly tookMs?: number
}

/** A tool as it is typed. */
export interface ChatTool {
  readonly name: string
  readonly description: string
  /** The JSON Schema of its arguments. */
  readonly parameters: string
}

/** Options of the next request. */
export interface ChatOptions {
  readonly dialect: ChatDialectName
  readonly model: string
  readonly system: string
  /** As typed; empty leaves it to the provider. */
  readonly temperature: string
  readonly maxTokens: string
  readonly topP: string
  /** One sequence per line. */
  readonly stop: string
  readonly seed: string
  readonly effort: string
  readonly tools: readonly ChatTool[]
  /** The key of a caller; empty: the console calls as itself. */
  readonly callerKey: string
}

/** A request as it is sent. */
export interface SentRequest {
  readonly url: string
  /** Whose key it carries: the admin's, for the console to call as itself, or a caller's. */
  readonly as: 'console' | 'caller'
  readonly dialect: ChatDialectName
  readonly key: string
  readonly body: string
}

/** A request and its answer as they went over the wire. */
export interface Exchange {
  readonly request: SentRequest
  readonly status: number | undefined
  readonly headers: readonly (readonly [string, string])[]
  /** Server-sent events as they came, each with its milliseconds since the request. */
  readonly events: readonly { readonly atMs: number; readonly raw: string }[]
  /** The body of an answer that is no stream. */
  readonly body: string | undefined
}

/** Why a chat has no answer. */
export interface ChatFailure {
  /** The message of the error response. */
  readonly message: string
  /** `undefined` where there was no response. */
  readonly status: number | undefined
  readonly code: string | undefined
  readonly as: SentRequest['as']
  /** How the request ended for the gateway; `undefined` while that is not known. */
  readonly outcome?: RequestRow['outcome']
}
