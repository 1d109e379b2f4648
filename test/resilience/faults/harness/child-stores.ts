import { type GatewayOptions, limits } from '@sluice/core'
import { redisLimitStore } from '@sluice/redis'
import { openSqlite } from '@sluice/sqlite'
import { Redis } from 'ioredis'
import type { ChildOptions } from './child-service.ts'

/** What a gateway in a process of its own remembers outside of it. */
export interface ChildStores {
  readonly options: Pick<GatewayOptions, 'limits' | 'ledger'>
  /** After the gateway is closed. */
  close(): Promise<void>
}

export async function openStores(given: Pick<ChildOptions, 'limits' | 'ledger'>): Promise<ChildStores> {
  const redis = given.limits && new Redis(given.limits.redisPort, '127.0.0.1')
  redis?.on('error', () => {})
  const database = given.ledger === undefined ? undefined : await openSqlite({ url: given.ledger })
  return {
    options: {
      ...(given.limits && redis ? { limits: limitOf(given.limits, redis) } : {}),
      ...(database ? { ledger: database.ledger } : {}),
    },
    async close() {
      await database?.close()
      redis?.disconnect()
    },
  }
}

function limitOf({ rules, leaseMs }: NonNullable<ChildOptions['limits']>, redis: Redis) {
  // A machine that has much to do is no outage.
  return limits(rules, { store: redisLimitStore(redis), leaseMs, storeTimeoutMs: 5_000 })
}
