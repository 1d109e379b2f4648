import { GatewayError } from '../errors/errors.ts'
import { spreadRetryAfterHeaders } from '../errors/retry-headers.ts'

/** Maximum number of prompts whose tokens are counted at the same time, for one principal and for all together. */
export const maxConcurrentCounts = { ofPrincipal: 100, total: 1_000 }

/**
 * Bounds the requests for the number of tokens of a prompt. Clients send dozens of them at once, so rate limits do not count
 * them.
 */
export class ConcurrentCounts {
  #total = 0
  readonly #ofPrincipals = new Map<string, number>()

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
  start(key: string, random: () => number): () => void {
    const { ofPrincipal, total } = maxConcurrentCounts
    const own = (this.#ofPrincipals.get(key) ?? 0) + 1
    if (own > ofPrincipal) {
      throw new GatewayError('rate_limit_exceeded', {
        message: `You are counting the tokens of ${own} prompts at once, expected at most ${ofPrincipal}. Please try again when others are counted.`,
        headers: spreadRetryAfterHeaders(random),
      })
    }
    if (this.#total >= total) {
      throw new GatewayError('service_overloaded', {
        headers: spreadRetryAfterHeaders(random),
        cause: new Error(`The tokens of ${this.#total} prompts are being counted, which is the maximum.`),
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
