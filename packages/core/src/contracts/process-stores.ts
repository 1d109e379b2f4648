import type { CacheStore } from './cache-store.ts'
import type { LimitStore } from './limit-store.ts'
import type { ResponseStore } from './response-store.ts'
import type { SharedHealth } from './shared-health.ts'

/** The stores that a group of processes shares instead of those in the memory of each. */
export interface ProcessStores {
  /** Number of processes that share them. */
  readonly processes: number
  /** Returns the store that replaces `memoryLimitStore(options)`, the same one for the same options. */
  limits(options: SizeOptions): LimitStore
  /** Returns the store that replaces `memoryCacheStore(options)`. */
  cache(options: SizeOptions): CacheStore
  /** Returns the store that replaces `memoryResponseStore(options)`. */
  responses(options: SizeOptions): ResponseStore
  /** The health of targets, for gateways without `sharedHealth`. */
  readonly health: SharedHealth
  /** Returns the slots that replace those of a provider with `maxConcurrent`. */
  slots(provider: string, size: number): SlotQueue
}

/** The sizes of a store in memory, such as `{ maxKeys: 1000 }`. */
export type SizeOptions = Readonly<Record<string, number>>

/** A limited number of slots, and the callers that wait for one. */
export interface SlotQueue {
  /**
   * Calls `taken` once a slot is free, with a function that releases it. Each principal has its own queue, and queues take turns.
   * Returns a function that leaves the queue.
   *
   * @param caller - has the digest of the principal.
   */
  wait(caller: { readonly digest: string }, taken: (release: () => void) => void): () => void
}
