import type { RequestRow } from '../../src/api.ts'
import type { ChatDialectName } from './chat-dialects.ts'

/** How many tokens a request and its answer have. */
export interface TokenCounts {
  readonly input: number
  readonly output: number
}

/** One message of the conversation. */
export interface Turn {
  readonly role: 'user' | 'assistant'
  readonly text: string
  readonly state: 'complete' | 'streaming' | 'stopped' | 'failed'
  readonly failure?: ChatFailure
  readonly requestId?: string
  readonly usage?: TokenCounts
  readonly tookMs?: number
}

/** Options of the next request. */
export interface ChatOptions {
  readonly dialect: ChatDialectName
  readonly model: string
  readonly system: string
  /** As typed; empty leaves it to the provider. */
  readonly temperature: string
  readonly maxTokens: string
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
