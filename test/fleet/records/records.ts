import type { Call } from '../traffic/call.ts'

/** How a call ended, as its client saw it. */
export type ClientEnd =
  | {
      readonly how: 'completed'
      readonly promptTokens: number
      readonly completionTokens: number
      readonly text: string
    }
  /** The gateway answered with an error. */
  | { readonly how: 'refused'; readonly status: number; readonly code: string }
  /** A stream that ended with an error event. */
  | { readonly how: 'failed'; readonly code: string }
  /** The client disconnected, as it meant to. */
  | { readonly how: 'disconnected' }
  /** nginx answered with an error of its own. */
  | { readonly how: 'proxy-error'; readonly status: number }
  /** The connection broke after the head of the response; before it, or nothing came in time. */
  | { readonly how: 'cut' | 'unanswered'; readonly reason: string }

/** What a client recorded. Times are milliseconds of `monotonicNow`. */
export interface CallRecord {
  readonly call: Call
  readonly sentAt: number
  readonly endedAt: number
  readonly end: ClientEnd
  readonly requestId: string | undefined
}

/** A row of the ledger. */
export interface LedgerRow {
  readonly mark: string
  readonly principal: string
  readonly requestId: string
  readonly kind: string
  readonly closed: boolean
  readonly outcome: string
  readonly attempts: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly estimated: boolean
  readonly nanoDollars: number
  /** Milliseconds since 1970, by the clock of the gateway. */
  readonly openedAt: number
}
