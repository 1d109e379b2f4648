import type { ServerResponse } from 'node:http'
import { chunks, sse } from '@sluice/testing'

const [opening = '', word = '', ...last] = sse(chunks({ text: 'word' }))
const ending = last.join('')
const parts = 50

interface Live {
  readonly res: ServerResponse
  events: number
}

/**
 * Streams that say one word each period until they are ended. One timer for all of them, and each stream has its own
 * moment within the period.
 */
export class LiveStreams {
  readonly #slots: Set<Live>[] = Array.from({ length: parts }, () => new Set())
  #next = 0
  #turn = 0

  /** @param period milliseconds between two words of a stream */
  constructor(period: number) {
    setInterval(() => this.#tick(), period / parts)
  }

  get count(): number {
    return this.#slots.reduce((sum, slot) => sum + slot.size, 0)
  }

  /** The head of its answer has been sent. */
  add(res: ServerResponse): void {
    const slot = this.#slots[this.#next++ % parts]!
    const live: Live = { res, events: 1 }
    slot.add(live)
    res.once('close', () => slot.delete(live))
    res.write(opening)
  }

  /** Ends all of them well. Gives how many words they have said in all. */
  end(): number {
    let words = 0
    for (const slot of this.#slots) {
      for (const { res, events } of slot) {
        words += events - 1
        res.end(ending)
      }
      slot.clear()
    }
    return words
  }

  #tick(): void {
    for (const live of this.#slots[this.#turn++ % parts]!) {
      live.res.write(word)
      live.events++
    }
  }
}
