/** Why a request ended before its answer did. */
export type EndReason = 'client_left' | 'gateway_closed'

/** What to do when a life ends. */
export type EndListener = (reason: EndReason) => void

/** One request's life, from outside: it ends when the client leaves or the gateway closes. */
export class Lifetime {
  /** Set once the life has ended. */
  ended: EndReason | undefined
  readonly #signal: AbortSignal
  readonly #heard = () => this.end('client_left')
  readonly #listeners = new Set<EndListener>()
  #ending: AbortController | undefined

  constructor(signal: AbortSignal) {
    this.#signal = signal
    if (signal.aborted) this.ended = 'client_left'
    else signal.addEventListener('abort', this.#heard, { once: true })
  }

  /** Aborts when the life ends. Made when it is first asked for: most requests never need it. */
  get ending(): AbortSignal {
    if (this.#ending === undefined) {
      const ending = new AbortController()
      this.#ending = ending
      this.onEnd(() => ending.abort(this.#signal.reason))
    }
    return this.#ending.signal
  }

  /** Does something when the life ends; at once where it has ended. */
  onEnd(listener: EndListener): void {
    if (this.ended !== undefined) listener(this.ended)
    else this.#listeners.add(listener)
  }

  /** Takes back `onEnd`. */
  offEnd(listener: EndListener): void {
    this.#listeners.delete(listener)
  }

  end(reason: EndReason): void {
    if (this.ended !== undefined) return
    this.ended = reason
    for (const listener of this.#listeners) listener(reason)
  }

  /** The answer has ended: nothing is listened to any more. */
  release(): void {
    this.#listeners.clear()
    this.#signal.removeEventListener('abort', this.#heard)
  }
}
