import type { Observer } from '../contracts/events.ts'
import type { Pepper } from './key-digest.ts'
import type { SoundRecord } from './key-record.ts'

export interface ApiKeysOptions {
  /**
   * The `source` of the principals: no spaces. Callers of two `apiKeys` with the same `id` share limits, cached responses
   * and idempotency keys unless their sources differ. Default `api_keys`.
   */
  readonly source?: string
  /**
   * What a key looks like, such as `/^sk-[0-9A-Za-z]{40}$/`: anything else is a 401 without a look into the list or
   * the store. Default for a store: a token as RFC 6750 has it, of letters, digits and `-._~+/`, then `=`.
   */
  readonly format?: RegExp
  /** Keys are kept as HMAC-SHA-256 under these secrets; without it as plain SHA-256. A `keyStore` has its own. */
  readonly pepper?: Pepper
  /** How long a found key is remembered, in milliseconds: at most, and by default, 5,000. */
  readonly cacheMs?: number
  /** How many unknown keys are remembered, each for `cacheMs`: a whole number from 1. Default 10,000. */
  readonly maxUnknown?: number
  /** How long the store may take to find a key, in milliseconds. Default 250. */
  readonly lookupMs?: number
  /**
   * How long a found key is remembered beyond `cacheMs` where the store fails or takes too long, in milliseconds; 0 for
   * not at all. Default 60,000. Until then a key that was revoked meanwhile is let in; one that has expired is not.
   */
  readonly staleMs?: number
  /** Hears that the store fails, after five failures in a row, and that it works again. */
  readonly observe?: Observer
  /** Milliseconds since 1970, for `expiresAt` and `cacheMs`. Default `Date.now`, and a steady clock for `cacheMs`. */
  readonly now?: () => number
}

/** Finds the record of a key by all the digests under which it may be kept. */
export type Find = (digests: readonly string[]) => SoundRecord | undefined | Promise<SoundRecord | undefined>
