import type { Clock } from '../clock/clock.ts'
import type { RetryOptions, Timeouts } from '../contracts/call-options.ts'
import type { Lease, Limiter } from '../contracts/limiter.ts'
import type {
  Adjustment,
  ChunkBatch,
  CountReply,
  EmbedReply,
  ModerateReply,
  RerankReply,
  Target,
  UnsupportedParameters,
} from '../contracts/provider.ts'
import type { Caller, HealthRegistry } from '../contracts/target-health.ts'
import type { SkipReason } from '../contracts/trace.ts'
import type { Transport } from '../contracts/transport.ts'
import type { Lifetime } from '../http/lifetime.ts'
import type { AttemptEntry, AttemptLog } from '../observability/attempt-log.ts'
import type { CountedUsage } from '../usage/usage.ts'
import type { RunningShadows } from './attempts/running-shadows.ts'
import type { CompleteReply } from './complete-reply.ts'

/** What a single provider call uses. */
export interface ProviderCallDependencies {
  readonly transport: Transport
  readonly timeouts: Timeouts
  readonly clock: Clock
}

/** What the upstream calls of a request use. */
export interface CallDependencies extends ProviderCallDependencies {
  readonly maxAttempts: number
  /** How long a stream waits for its first event after the upstream's head, in ms, where no other target could be called. */
  readonly holdMs: number
  /**
   * How long after the last target was called a stream's head may be sent without content, in ms; and how long after an
   * upstream's own head, where another target could be called.
   */
  readonly keepAliveMs: number
  readonly unsupportedParameters: UnsupportedParameters
  readonly health: HealthRegistry
  /** `undefined`: a target that failed is not called again. */
  readonly retry: RetryOptions | undefined
  /** Timeouts that those of a target do not replace. */
  readonly fixedTimeouts?: Partial<Timeouts>
  /** When the first call of the request began, in monotonic milliseconds, if not now. */
  readonly startedAt?: number
}

/** The request that upstream calls are made for. */
export interface CallContext {
  readonly lifetime: Lifetime
  /** The principal, as health counts it. */
  readonly caller: Caller
  /** The client has the head of the response: no further target is called. Set by the sender. */
  committed: boolean
  /**
   * From when on the head of a stream may be sent without content, in monotonic milliseconds. Infinite while another target
   * could still be called.
   */
  headAt: number
  /** Returns a number from 0 up to, but not including, 1. */
  random(): number
}

/** Receives what happens to the attempts of a request. */
export interface AttemptObserver {
  readonly attempts: AttemptLog
  /** Mirrored calls, which may outlive the request. */
  readonly shadows: RunningShadows
  /** Admits a call by the limits of its target. Throws `GatewayError` where they are exceeded. The call ends with `lifetime`. */
  admitCall(target: Target, limiter: Limiter, lifetime: Lifetime): Lease | Promise<Lease>
  /** Releases the lease of a call that was not made, or has failed. Never throws. */
  releaseLease(lease: Lease | undefined): void
  /** An attempt failed and another one follows. */
  attemptFailed(attempt: AttemptEntry): void
  /** Reports the adjustments of the current attempt, once its request is encoded. Throws `TypeError` for invalid ones. */
  adjusted(adjustments: readonly Adjustment[]): void
  /** A target is not called, or not again; with a key: only that key of its provider is not. */
  skipped(target: Target, why: SkipReason, key?: string): void
  /**
   * A call with a discarded response has ended, with its usage. `abandoned`: it was cancelled before any content arrived, so
   * its usage is unknown. `undefined`: the upstream did not accept it.
   */
  discarded(attempt: AttemptEntry, usage: CountedUsage | 'abandoned' | undefined): void
}

/** The chunks of a streamed response. */
export interface ChunkSource extends AsyncIterator<ChunkBatch> {
  /** Whether its batches have the vendor's own events, in the caller's dialect. */
  readonly native?: boolean
}

/** The response of an upstream. */
export type UpstreamReply =
  | CompleteReply
  | ChunkSource
  | EmbedReply
  | CountReply
  | RerankReply
  | ModerateReply

/** Whether an upstream streams its response. */
export function isStreamed(reply: UpstreamReply): reply is ChunkSource {
  return 'next' in reply && typeof reply.next === 'function'
}

/** An attempt that has answered. */
export interface UpstreamResult<T> {
  readonly answer: T
  /**
   * Releases the resources of the call. Always call it. Cancels the response unless it was read completely. `error` is the
   * reason for a failure.
   */
  end(completed: boolean, error?: unknown): void
  /** Calls `listener` when a deadline or the end of the gateway cancels the call, even if nothing is reading the response. */
  onCut(listener: (reason: Error) => void): void
}
