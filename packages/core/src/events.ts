import type { Usage } from './protocol/chat.ts'
import type { Adjustment } from './provider.ts'
import type { Principal } from './stages/authenticate.ts'

/** One call to one upstream. */
export interface AttemptRecord {
  readonly provider: string
  /** The upstream's own name for the model. */
  readonly model: string
  /** Milliseconds from the call to its first byte, or to its failure. */
  readonly ms: number
  /** What went wrong, or `undefined` where it answered. */
  readonly error: unknown
}

/** How a request ended. `gateway_closed`: cut off by `close`. */
export type Outcome =
  | 'completed'
  | 'refused'
  | 'client_aborted'
  | 'upstream_failed'
  | 'gateway_closed'
  | 'internal_error'

/** The one record of a request to `chat/completions`, made when its answer has ended. */
export interface EndEvent {
  readonly type: 'end'
  readonly requestId: string
  readonly outcome: Outcome
  /** The status that the caller saw; 499 where the caller left before one. */
  readonly status: number
  readonly principal: Principal | undefined
  /** The public name, as the caller gave it. */
  readonly model: string | undefined
  readonly stream: boolean
  readonly attempts: readonly AttemptRecord[]
  /**
   * What the provider did, of which the answer or the error is, to parameters that its vendor lacks or has in another
   * form. Of more than 1,000 the last one is `*`, and its detail says how many are left out.
   */
  readonly adjustments: readonly Adjustment[]
  /** The vendor's counts, or an estimate where they never came and something was answered. */
  readonly usage: Usage | undefined
  readonly usageEstimated: boolean
  /** Milliseconds since the request came. */
  readonly timings: { readonly firstByte: number | undefined; readonly total: number }
  /** What went wrong, with its `cause`: for your log, not for the caller. */
  readonly error: unknown
}

/** One upstream failed and the next one is asked. */
export interface AttemptFailedEvent {
  readonly type: 'attempt_failed'
  readonly requestId: string
  readonly attempt: AttemptRecord
}

/** Something that its owner should know at start. */
export interface WarningEvent {
  readonly type: 'warning'
  readonly code: 'only_local_in_production'
  readonly message: string
}

/** What happens in a gateway. New kinds may be added: switch on `type` and ignore what you do not know. */
export type GatewayEvent = EndEvent | AttemptFailedEvent | WarningEvent

/** Sees what happens. It cannot change a request, and what it throws is ignored. */
export type Observer = (event: GatewayEvent) => void
