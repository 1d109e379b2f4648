import type { LimitStore } from '@sluice/core/store'
import { createLimitStore } from './limit-store.ts'
import { type RedisClient, scriptRunner } from './redis-client.ts'
import { storeKeys } from './store-keys.ts'

/** Options of `redisLimitStore()`. */
export interface RedisLimitStoreOptions {
  /**
   * The prefix of all keys; stores with the same prefix share their counters. Default `sluice`. It is also the hash tag:
   * in a cluster all keys of one prefix are on one node.
   */
  readonly prefix?: string | undefined
}

/**
 * Creates a limit store in Redis (5 and newer) or Valkey. Limits hold across all processes that share the server. Each
 * decision is one script and one round trip, and uses the server's clock. Every key has an expiry.
 *
 * You own the client: connect it, handle its errors, close it. An operation rejects with the client's error. Throws
 * `TypeError` for an invalid client or prefix.
 */
export function redisLimitStore(
  client: RedisClient,
  { prefix = 'sluice' }: RedisLimitStoreOptions = {},
): LimitStore {
  return createLimitStore(scriptRunner(client), storeKeys(prefix))
}
