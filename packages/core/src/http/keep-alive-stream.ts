import type { Clock, Timer } from '../clock/clock.ts'
/** Where the pieces come from. `next` resolves to `undefined` at the end; it is not meant to reject. */
export interface TextSource {
  next(): Promise<string | undefined>
  /** The reader has left. */
  leave(): void
}

/**
 * The body of a streamed answer: pieces of text as they come, and a comment when nothing came for
 * `keepAliveMs` although the reader waits. One timer a stream, re-armed when it fires and somebody waits.
 */
export class KeepAliveStream implements AsyncIterableIterator<string> {
  readonly #source: TextSource
  readonly #comment: string
  readonly #keepAliveMs: number
  readonly #clock: Clock
  // Made once, not for each piece.
  readonly #wait = (resolve: (result: IteratorResult<string>) => void) => this.#begin(resolve)
  readonly #came = (text: string | undefined) => this.#take(text)
  readonly #failed = () => this.#end()
  #timer: Timer | undefined
  #waiter: ((result: IteratorResult<string>) => void) | undefined
  #waitingSince = 0
  #reading = false
  #ready: string | undefined
  #ended = false

  constructor(source: TextSource, comment: string, keepAliveMs: number, clock: Clock) {
    this.#source = source
    this.#comment = comment
    this.#keepAliveMs = keepAliveMs
    this.#clock = clock
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<string>> {
    if (this.#ready !== undefined) {
      const value = this.#ready
      this.#ready = undefined
      return Promise.resolve({ done: false, value })
    }
    if (this.#ended) return Promise.resolve({ done: true, value: undefined })
    return new Promise(this.#wait)
  }

  return(): Promise<IteratorResult<string>> {
    this.#end()
    this.#source.leave()
    return Promise.resolve({ done: true, value: undefined })
  }

  #begin(waiter: (result: IteratorResult<string>) => void): void {
    this.#waiter = waiter
    this.#waitingSince = this.#clock.monotonic()
    if (this.#timer === undefined) this.#arm(this.#keepAliveMs)
    if (this.#reading) return
    this.#reading = true
    this.#source.next().then(this.#came, this.#failed)
  }

  #take(text: string | undefined): void {
    this.#reading = false
    if (text === undefined) this.#end()
    else if (this.#waiter === undefined) this.#ready = text
    else this.#give({ done: false, value: text })
  }

  #give(result: IteratorResult<string>): void {
    const waiter = this.#waiter
    this.#waiter = undefined
    waiter?.(result)
  }

  #end(): void {
    this.#ended = true
    this.#timer?.cancel()
    this.#give({ done: true, value: undefined })
  }

  #arm(ms: number): void {
    this.#timer = this.#clock.setTimer(ms, () => {
      this.#timer = undefined
      // A reader who comes back later arms it again; one who does not leaves nothing behind.
      if (this.#waiter === undefined) return
      const waited = this.#clock.monotonic() - this.#waitingSince
      if (waited < this.#keepAliveMs) {
        this.#arm(this.#keepAliveMs - waited)
        return
      }
      this.#arm(this.#keepAliveMs)
      this.#give({ done: false, value: this.#comment })
    })
  }
}
