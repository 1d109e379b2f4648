import pLimit from 'p-limit'
import { memberOf } from '../protocol/own-members.ts'
import type { Provider } from '../provider.ts'

/** Gives a slot back. Only the first call counts. */
export type Release = () => void

/**
 * A bounded number of slots, each held until it is released. P-limit counts them; who waits stands in a set
 * of our own, so that one who leaves is gone at once, wherever it stood.
 */
export class Slots {
  readonly #limit: ReturnType<typeof pLimit>
  readonly #waiting = new Set<(release: Release) => void>()

  constructor(size: number) {
    this.#limit = pLimit(size)
  }

  /** Calls `taken` when a slot is free. The function returned leaves the queue. */
  wait(taken: (release: Release) => void): () => void {
    this.#waiting.add(taken)
    // Who has left leaves a turn behind, which the next one to come takes.
    if (this.#limit.pendingCount < this.#waiting.size) void this.#limit(() => this.#serveNext())
    return () => this.#waiting.delete(taken)
  }

  /** Serves the first who still waits, until it releases; nobody, where all have left. */
  #serveNext(): Promise<void> | undefined {
    for (const taken of this.#waiting) {
      this.#waiting.delete(taken)
      return new Promise<void>(taken)
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
