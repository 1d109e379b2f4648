import type { Clock } from '../clock/clock.ts'
import type { Observer } from '../contracts/events.ts'
import type { Pepper } from './key-digest.ts'
import type { ValidatedKeyRecord } from './key-record.ts'

/** Options of `apiKeys`. */
export interface ApiKeysOptions {
  /**
   * The `source` of the principals, without spaces. Keys of two `apiKeys` with the same `id` share limits, cached responses and
   * idempotency keys unless their sources differ. Default `api_keys`.
   */
  readonly source?: string | undefined
  /**
   * Format of keys, such as `/^sk-[0-9A-Za-z]{40}$/`. Any other token is a 401 without a lookup. Default for a store: a
   * bearer token of RFC 6750, of letters, digits and `-._~+/`, then `=`. Default for a list: any.
   */
  readonly format?: RegExp | undefined
  /** Secrets for HMAC-SHA-256 digests of keys. Default: plain SHA-256. A `keyStore` has its own pepper. */
  readonly pepper?: Pepper
  /** How long a lookup is cached, in milliseconds: above 0, at most 5,000. Default 5,000. */
  readonly cacheMs?: number | undefined
  /** Maximum number of unknown keys to cache, each for `cacheMs`; at least 1. Default 10,000. */
  readonly maxUnknown?: number | undefined
  /** Timeout of a lookup in the store, in milliseconds. Default 250. */
  readonly lookupMs?: number | undefined
  /**
   * How long a cached key stays valid after `cacheMs` while the store fails or times out, in milliseconds; 0 to disable.
   * Default 60,000. Within this time a revoked key is still accepted; an expired one is not.
   */
  readonly staleMs?: number | undefined
  /** Receives a `store` event when the store has failed five times in a row, and one when it works again. */
  readonly observe?: Observer | undefined
  /** Reads the time and sets timers, such as the virtual clock of a simulation. Default: the system clock. */
  readonly clock?: Clock | undefined
  /** Returns milliseconds since 1970, for `expiresAt` and `cacheMs`. Default `Date.now`, and a monotonic clock for `cacheMs`. */
  readonly now?: (() => number) | undefined
}

/** Finds the record of a key by the digests under which it may be stored. */
export type Find = (
  digests: readonly string[],
) => ValidatedKeyRecord | undefined | Promise<ValidatedKeyRecord | undefined>
