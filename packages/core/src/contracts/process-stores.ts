import type { CacheStore } from './cache-store.ts'
import type { LimitStore } from './limit-store.ts'
import type { ResponseStore } from './response-store.ts'
import type { SharedHealth } from './shared-health.ts'

/** The stores that a group of processes shares instead of those in the memory of each. */
export interface ProcessStores {
  /** Number of processes that share them. */
  readonly processes: number
  /**
   * Returns the store that replaces `memoryLimitStore(sizes)`: the same one for the same name. Its `settle` and `renew` return
   * nothing, and throw `Error` if what they send cannot arrive: nothing acknowledges it. It changes no counter.
   */
  limits(name: MemoryStoreName): LimitStore
  /** Returns the store that replaces `memoryCacheStore(sizes)`. */
  cache(name: MemoryStoreName): CacheStore
  /** Returns the store that replaces `memoryResponseStore(sizes)`. */
  responses(name: MemoryStoreName): ResponseStore
  /** The health of targets, for gateways without `sharedHealth`. */
  readonly health: SharedHealth
  /** Returns the slots that replace those of a provider with `maxConcurrent`. */
  slots(provider: string, size: number): SlotQueue
}

/**
 * By what all processes find the same store: each runs the same program, which creates its stores in the same order. Two gateways
 * of a program share nothing.
 */
export interface MemoryStoreName {
  /** How many stores of this kind the process had created before. */
  readonly ordinal: number
  readonly sizes: SizeOptions
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
