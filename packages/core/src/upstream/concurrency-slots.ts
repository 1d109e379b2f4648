import pLimit from 'p-limit'
import type { Provider } from '../contracts/provider.ts'
import type { Caller } from '../contracts/target-health.ts'
import { memberOf } from '../primitives/own-members.ts'

/** Gives a slot back. Only the first call counts. */
export type Release = () => void

type Waiter = (release: Release) => void

/**
 * A bounded number of slots, each held until it is released. P-limit counts them. Each principal has a queue of its own, and
 * queues take turns: the calls of one do not delay another's by more than one call. Who leaves a queue is removed at once.
 */
export class Slots {
  readonly #limit: ReturnType<typeof pLimit>
  /** By principal; the next to be served first. None is empty. */
  readonly #queues = new Map<string, Set<Waiter>>()
  #size = 0

  constructor(size: number) {
    this.#limit = pLimit(size)
  }

  /** Calls `taken` when a slot is free. The function returned leaves the queue. */
  wait(caller: Caller, taken: Waiter): () => void {
    const key = caller.digest
    const queue = this.#queues.get(key) ?? new Set<Waiter>()
    this.#queues.set(key, queue.add(taken))
    this.#size++
    // Who has left leaves a turn behind, which the next one to come takes.
    if (this.#limit.pendingCount < this.#size) void this.#limit(() => this.#serveNext())
    return () => this.#leave(key, taken)
  }

  #leave(key: string, waiter: Waiter): void {
    const queue = this.#queues.get(key)
    if (queue?.delete(waiter) !== true) return
    this.#size--
    if (queue.size === 0) this.#queues.delete(key)
  }

  /** Serves the first of the next queue, until it releases; nobody, where all have left. */
  #serveNext(): Promise<void> | undefined {
    for (const [key, queue] of this.#queues) {
      for (const waiter of queue) {
        this.#leave(key, waiter)
        // A queue that is not empty goes behind the others.
        if (this.#queues.delete(key)) this.#queues.set(key, queue)
        return new Promise<void>(waiter)
      }
    }
    return undefined
  }
}

const slotsOfProvider = new WeakMap<Provider, Slots>()

/** The slots of a provider with `maxConcurrent`, shared by all gateways that use it. */
export function slotsOf(provider: Provider): Slots | undefined {
  const size = memberOf(provider, 'maxConcurrent')
  if (size === undefined) return undefined
  let slots = slotsOfProvider.get(provider)
  if (slots === undefined) {
    slots = new Slots(size)
    slotsOfProvider.set(provider, slots)
  }
  return slots
}
