import type { Clock, Timer } from '../clock/clock.ts'
/** A source of text. `next` resolves to `undefined` at the end, and must not reject. */
export interface TextSource {
  next(): Promise<string | undefined>
  /** Called when the consumer stops reading. */
  cancel(): void
}

/**
 * The body of a streamed response. Forwards the text of a source, and yields a comment when a read has been pending for
 * `keepAliveMs`. Uses one timer per stream, re-armed when it fires.
 */
export class KeepAliveStream implements AsyncIterableIterator<string> {
  readonly #source: TextSource
  readonly #comment: string
  readonly #keepAliveMs: number
  readonly #clock: Clock
  // Allocated once per stream, not per piece.
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
    this.#source.cancel()
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
      // The next read arms it again. Without one, no timer is left.
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

/** A comment that keeps an idle connection open. Clients ignore it. */
export const keepAliveComment = ': keep-alive\n\n'
