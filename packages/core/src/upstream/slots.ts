import pLimit from 'p-limit'
import type { Provider } from '../provider.ts'

/** Gives a slot back. Only the first call counts. */
export type Release = () => void

/**
 * A bounded number of slots, each held until it is released. P-limit runs one loop per slot; who waits
 * stands in a set of our own, so that one who leaves is gone at once, wherever it stood.
 */
export class Slots {
  readonly #size: number
  readonly #limit: ReturnType<typeof pLimit>
  readonly #waiting = new Set<(release: Release) => void>()

  constructor(size: number) {
    this.#size = size
    this.#limit = pLimit(size)
  }

  /** Calls `taken` when a slot is free. The function returned leaves the queue. */
  wait(taken: (release: Release) => void): () => void {
    this.#waiting.add(taken)
    if (this.#limit.activeCount + this.#limit.pendingCount < this.#size) void this.#limit(() => this.#serve())
    return () => this.#waiting.delete(taken)
  }

  async #serve(): Promise<void> {
    for (const taken of this.#waiting) {
      this.#waiting.delete(taken)
      await new Promise<void>(taken)
    }
  }
}

const slotsOfProvider = new WeakMap<Provider, Slots>()

/** The slots of a provider with `maxConcurrent`, shared by all gateways that use it. */
export function slotsOf(provider: Provider): Slots | undefined {
  if (provider.maxConcurrent === undefined) return undefined
  let slots = slotsOfProvider.get(provider)
  if (slots === undefined) {
    slots = new Slots(provider.maxConcurrent)
    slotsOfProvider.set(provider, slots)
  }
  return slots
}
