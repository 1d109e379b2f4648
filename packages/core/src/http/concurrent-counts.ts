import { GatewayError } from '../errors/errors.ts'
import { spreadRetryAfterHeaders } from '../errors/retry-headers.ts'

/** How many of something may be in progress at the same time, for one principal and for all together. */
export interface ConcurrencyBounds {
  readonly ofPrincipal: number
  readonly total: number
}

/** Maximum number of prompts whose tokens are counted at the same time. */
export const maxConcurrentCounts: ConcurrencyBounds = { ofPrincipal: 100, total: 1_000 }

/** The messages for the caller of one too many, and for the operator. */
interface ConcurrencyMessages {
  readonly caller: (own: number, maximum: number) => string
  readonly operator: (total: number) => string
}

const countMessages: ConcurrencyMessages = {
  caller: (own, maximum) =>
    `You are counting the tokens of ${own} prompts at once, expected at most ${maximum}. Please try again when others are counted.`,
  operator: total => `The tokens of ${total} prompts are being counted, which is the maximum.`,
}

/**
 * Bounds what is in progress at the same time, where rate limits do not: by default the requests for the number of tokens of a
 * prompt, of which clients send dozens at once.
 */
export class ConcurrentCounts {
  readonly #messages: ConcurrencyMessages
  #total = 0
  readonly #ofPrincipals = new Map<string, number>()

  constructor(messages: ConcurrencyMessages = countMessages) {
    this.#messages = messages
  }

  /** Number of principals with a request. */
  get principals(): number {
    return this.#ofPrincipals.size
  }

  /**
   * Starts a request, and returns a function that ends it. `key` is that of the principal; `random` spreads the retries of
   * rejected clients.
   *
   * Throws `GatewayError` (429 or 503) if that exceeds a bound.
   */
  start(key: string, random: () => number, bounds: ConcurrencyBounds = maxConcurrentCounts): () => void {
    const { ofPrincipal, total } = bounds
    const own = (this.#ofPrincipals.get(key) ?? 0) + 1
    if (own > ofPrincipal) {
      throw new GatewayError('rate_limit_exceeded', {
        message: this.#messages.caller(own, ofPrincipal),
        headers: spreadRetryAfterHeaders(random),
      })
    }
    if (this.#total >= total) {
      throw new GatewayError('service_overloaded', {
        headers: spreadRetryAfterHeaders(random),
        cause: new Error(this.#messages.operator(this.#total)),
      })
    }
    this.#total++
    this.#ofPrincipals.set(key, own)
    let ended = false
    return () => {
      if (ended) return
      ended = true
      this.#total--
      const left = this.#ofPrincipals.get(key)! - 1
      if (left === 0) this.#ofPrincipals.delete(key)
      else this.#ofPrincipals.set(key, left)
    }
  }
}
