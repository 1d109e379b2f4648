import { type ResponseStore, responseStoreOf } from '@sluice/core/store'
import { redisCacheStore } from './redis-cache-store.ts'
import type { RedisClient } from './redis-client.ts'

/** Options of `redisResponseStore()`. */
export interface RedisResponseStoreOptions {
  /** The prefix of all keys; stores with the same prefix share their responses. Default `sluice`. */
  readonly prefix?: string
  /** How long a response is stored since it was last read, in milliseconds. Default 2,592,000,000 (30 days). */
  readonly ttlMs?: number
  /** Maximum number of entries per principal: one for each response, and one for each item of its output. Default 10,000. */
  readonly maxEntriesPerOwner?: number
}

/**
 * Creates a response store in Redis (5 and newer) or Valkey, for the option `responses` of a gateway. All processes that share the
 * server share it. For a principal at its maximum, the entry that expires first is evicted.
 *
 * You own the client: connect it, handle its errors, close it. Throws `TypeError` for an invalid client or option.
 */
export function redisResponseStore(
  client: RedisClient,
  options: RedisResponseStoreOptions = {},
): ResponseStore {
  const { prefix = 'sluice', ttlMs = 2_592_000_000, maxEntriesPerOwner = 10_000 } = options
  if (!(Number.isSafeInteger(ttlMs) && ttlMs > 0)) {
    throw new TypeError(`redisResponseStore(): got ttlMs ${String(ttlMs)}, expected milliseconds above 0.`)
  }
  return responseStoreOf(
    redisCacheStore(client, { prefix: `${prefix}-responses`, maxEntriesPerOwner }),
    ttlMs,
  )
}
