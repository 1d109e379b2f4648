import type { SentRequest } from './chat-request.ts'

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

/** An exchange whose answer has not begun. */
export function unanswered(request: SentRequest): Exchange {
  return { request, status: undefined, headers: [], events: [], body: undefined }
}
