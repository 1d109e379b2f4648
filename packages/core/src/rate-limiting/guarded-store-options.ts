import type { Clock } from '../clock/clock.ts'
import type { Observer } from '../contracts/events.ts'
import type { LimitKind } from '../contracts/principal.ts'
import type { MemoryStore } from './memory-store.ts'
/**
 * How a rule goes on while its store does not answer: `local` counts in this process, `closed` refuses with 503,
 * `open` lets everything through.
 */
export type StoreFailurePolicy = 'local' | 'closed' | 'open'

export interface GuardedStoreOptions {
  /** By the kind of the rule that each counter of a claim belongs to. */
  readonly onStoreFailure: Readonly<Record<LimitKind, StoreFailurePolicy>>
  /** How many processes share the store: each counts a share of a limit while the store does not answer. */
  readonly instances: number
  /** Longest wait for one operation, in milliseconds. */
  readonly timeoutMs: number
  readonly observe: Observer
  readonly clock: Clock
  /** Counts while the store does not answer. Default: `memoryStore()`. */
  readonly local?: MemoryStore
}
