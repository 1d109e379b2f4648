import pLimit from 'p-limit'
import type { SlotQueue } from '../contracts/process-stores.ts'
import type { Provider } from '../contracts/provider.ts'
import type { Caller } from '../contracts/target-health.ts'
import { memberOf } from '../primitives/own-members.ts'
import { processStores } from '../stores/process-stores.ts'

/** Releases a slot. Only the first call counts. */
export type Release = () => void

type Waiter = (release: Release) => void

/**
 * A limited number of slots, each held until it is released, counted by p-limit. Each principal has its own queue, and queues
 * take turns: the calls of one principal delay another's by at most one call. A call that is cut off leaves its queue at once.
 */
export class Slots implements SlotQueue {
  readonly #limit: ReturnType<typeof pLimit>
  /** By principal; the next to be served first. None is empty. */
  readonly #queues = new Map<string, Set<Waiter>>()
  #size = 0

  constructor(size: number) {
    this.#limit = pLimit(size)
  }

  /** Calls `taken` when a slot is free. The function returned leaves the queue. */
  wait(caller: Pick<Caller, 'digest'>, taken: Waiter): () => void {
    const key = caller.digest
    const queue = this.#queues.get(key) ?? new Set<Waiter>()
    this.#queues.set(key, queue.add(taken))
    this.#size++
    // A call that left its queue leaves a turn behind, which the next call takes.
    if (this.#limit.pendingCount < this.#size) void this.#limit(() => this.#serveNext())
    return () => this.#leave(key, taken)
  }

  #leave(key: string, waiter: Waiter): void {
    const queue = this.#queues.get(key)
    if (queue?.delete(waiter) !== true) return
    this.#size--
    if (queue.size === 0) this.#queues.delete(key)
  }

  /** Gives the slot to the first call of the next queue, until it is released; to none where all queues are empty. */
  #serveNext(): Promise<void> | undefined {
    for (const [key, queue] of this.#queues) {
      for (const waiter of queue) {
        this.#leave(key, waiter)
        // Round robin: a queue that is not empty goes last.
        if (this.#queues.delete(key)) this.#queues.set(key, queue)
        return new Promise<void>(waiter)
      }
    }
    return undefined
  }
}

/** Creates slots in this process, for processes that share them. */
export function slotQueue(size: number): SlotQueue {
  return new Slots(size)
}

const slotsOfProvider = new WeakMap<Provider, Slots>()

/** Returns the slots of a provider with `maxConcurrent`, shared by all gateways that use it, and by processes that share stores. */
export function slotsOf(provider: Provider): SlotQueue | undefined {
  const size = memberOf(provider, 'maxConcurrent')
  if (size === undefined) return undefined
  const shared = processStores()
  if (shared !== undefined) return shared.slots(provider.name, size)
  let slots = slotsOfProvider.get(provider)
  if (slots === undefined) {
    slots = new Slots(size)
    slotsOfProvider.set(provider, slots)
  }
  return slots
}
