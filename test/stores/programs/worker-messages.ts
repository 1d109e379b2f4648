import type { Counter } from '@sluice/core/store'

/** What a worker is started with. */
export interface WorkerOptions {
  readonly port: number
  readonly client: 'ioredis' | 'node-redis'
  /** How far its own clock is wrong, in milliseconds. */
  readonly skewMs: number
}

/** What a worker is told to do. */
export type Task =
  /** Asks for the same as often at once. */
  | { readonly does: 'burst'; readonly counters: readonly Counter[]; readonly times: number }
  /** Asks for the same as often, holds what it is given and renews it until it dies. */
  | {
      readonly does: 'hold'
      readonly counters: readonly Counter[]
      readonly times: number
      readonly ttlMs: number
    }
  /** Asks again and again, so many at once, and settles what it was given a while later. */
  | { readonly does: 'traffic'; readonly traffic: Traffic }

export interface Traffic {
  readonly decisions: number
  readonly atOnce: number
  /** How long it keeps what it is given, in milliseconds. */
  readonly heldMs: number
  readonly counters: readonly Counter[]
  /** Charged of each counter. */
  readonly charged: readonly number[]
}

/** A claim that was allowed. Times are the machine's, in milliseconds, the same for all processes. */
export interface Grant {
  readonly asked: number
  readonly told: number
  /** When it began to settle. */
  readonly settling: number
}

export interface Report {
  /** When each decision was told, allowed or not. */
  readonly told: readonly number[]
  /** Asked or settled in vain: the server did not answer. */
  readonly failures: number
  readonly grants: readonly Grant[]
}
