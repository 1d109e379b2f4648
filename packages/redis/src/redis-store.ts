import type { LimitStore } from '@sluice/core/store'
import { limitStoreOn } from './limit-store-on.ts'
import { type RedisClient, scriptRunner } from './redis-client.ts'
import { storeKeys } from './store-keys.ts'

export interface RedisLimitStoreOptions {
  /**
   * What the names of all keys begin with; stores with the same one share their counts. Default: `sluice`. It is their
   * hash tag too: in a cluster all keys of one prefix are on one node, and several prefixes are spread.
   */
  readonly prefix?: string
}

/**
 * Keeps counts in Redis (5 and newer) or Valkey: limits hold across all processes that share the server. One script and
 * one round trip decides a claim; the server's clock counts, and no other. No key is left behind: each has an expiry.
 *
 * The client is yours: connect it, listen to its errors, close it. An operation rejects with what the client rejects
 * with, and the next one works as soon as the server does. Throws `TypeError` for what is no client, and for a prefix
 * that cannot be a hash tag.
 */
export function redisLimitStore(
  client: RedisClient,
  { prefix = 'sluice' }: RedisLimitStoreOptions = {},
): LimitStore {
  return limitStoreOn(scriptRunner(client), storeKeys(prefix))
}
