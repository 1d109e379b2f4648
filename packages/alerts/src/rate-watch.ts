/** When a share of requests is too high. */
export interface RateBound {
  /** The share of requests above which it is an alert. */
  readonly above: number
  readonly windowMs: number
  /** Of fewer requests in a window, no share is taken. */
  readonly minRequests: number
}

/** The share of one window of time. */
export interface WindowShare {
  /** The number of the window since 1970: the same in all processes. */
  readonly window: number
  readonly requests: number
  readonly share: number
}

/** What a request has shown: that the share is above its bound, or was below it for a whole window after that. */
export interface RateChange {
  readonly above?: WindowShare
  /** `since`: the last window that was above. */
  readonly recovered?: WindowShare & { readonly since: number }
}

/** Counts requests by windows of time, and how many of them failed or were slow. */
export class RateWatch {
  readonly #bound: RateBound
  #window = Number.NEGATIVE_INFINITY
  #requests = 0
  #marked = 0
  #lastAbove: number | undefined

  constructor(bound: RateBound) {
    this.#bound = bound
  }

  get windowMs(): number {
    return this.#bound.windowMs
  }

  /** Adds a request. Windows begin at the same times in all processes. */
  add(now: number, isMarked: boolean): RateChange {
    const window = Math.floor(now / this.#bound.windowMs)
    const recovered = window === this.#window ? undefined : this.#next(window)
    this.#requests++
    if (isMarked) this.#marked++
    const current = this.#share()
    if (!(this.#isMeasured() && current.share > this.#bound.above)) return { ...(recovered && { recovered }) }
    this.#lastAbove = window
    return { above: current, ...(recovered && { recovered }) }
  }

  /** Forgets that the share was above, once that is over. */
  end(since: number): void {
    if (this.#lastAbove === since) this.#lastAbove = undefined
  }

  /** Begins a window. Returns the one before if it has recovered: too few requests show nothing. */
  #next(window: number): RateChange['recovered'] {
    const since = this.#lastAbove
    const isOver = since !== undefined && this.#window > since && this.#isMeasured()
    const before = isOver ? { ...this.#share(), since } : undefined
    this.#window = window
    this.#requests = 0
    this.#marked = 0
    return before
  }

  #isMeasured(): boolean {
    return this.#requests >= this.#bound.minRequests
  }

  #share(): WindowShare {
    const share = this.#requests === 0 ? 0 : this.#marked / this.#requests
    return { window: this.#window, requests: this.#requests, share }
  }
}
