import { errorEvent } from '../dialects/chat/chunk-writer.ts'
import { LifeEnded } from '../errors/abort-reasons.ts'
import type { Lifetime } from '../http/lifetime.ts'
import { toFailure } from './failure.ts'
import type { RequestRecord } from './request-record.ts'

/** How much of the text is sent at once, in UTF-16 units: whole events, at least one. */
const pieceLength = 16_384

/**
 * The body of a streamed answer that was kept: its events, in pieces, as the reader asks for them. Whatever ends it, the
 * record is settled once.
 */
export class ReplayedStream implements AsyncIterableIterator<string> {
  readonly #record: RequestRecord
  readonly #lifetime: Lifetime
  readonly #text: string
  #at = 0
  /** The last words of one that was cut off. */
  #lastWords: string | undefined

  /** `text` is server-sent events, to the end mark. */
  constructor(text: string, record: RequestRecord, lifetime: Lifetime) {
    this.#text = text
    this.#record = record
    this.#lifetime = lifetime
    lifetime.onEnd(reason => this.#cut(new LifeEnded(reason)))
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<string>> {
    if (this.#lastWords !== undefined) {
      const value = this.#lastWords
      this.#lastWords = undefined
      return { done: false, value }
    }
    const from = this.#at
    if (from === this.#text.length) return { done: true, value: undefined }
    this.#at = pieceEnd(this.#text, from)
    this.#record.markFirstByte()
    if (this.#at === this.#text.length) {
      this.#lifetime.release()
      this.#record.settle('completed', 200)
    }
    return { done: false, value: this.#text.slice(from, this.#at) }
  }

  async return(): Promise<IteratorResult<string>> {
    this.#lifetime.end('client_disconnected')
    this.#at = this.#text.length
    this.#lastWords = undefined
    return { done: true, value: undefined }
  }

  #cut(error: LifeEnded): void {
    this.#at = this.#text.length
    const { outcome, clientError: told } = toFailure(error, this.#record.model ?? '', this.#lifetime)
    this.#lastWords = errorEvent(told.toBody())
    this.#lifetime.release()
    this.#record.settle(outcome, 200, error)
  }
}

/** Where the next piece ends: behind a whole event. */
function pieceEnd(text: string, from: number): number {
  if (text.length - from <= pieceLength) return text.length
  const last = text.lastIndexOf('\n\n', from + pieceLength - 2)
  const end = last > from ? last : text.indexOf('\n\n', from)
  return end === -1 ? text.length : end + 2
}
