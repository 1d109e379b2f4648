import type { CacheStore, LimitStore, SharedHealth } from '@sluice/core'
import { redisCacheStore, redisHealth, redisLimitStore } from '@sluice/redis'
import { CommandFault } from '../command.ts'
import type { StateConfig } from '../config/config.ts'
import { connectionNews } from './report-connection.ts'
import type { StateWorld } from './state-context.ts'

export interface RedisState {
  readonly limitStore: LimitStore
  readonly answers: CacheStore
  readonly health: SharedHealth
  close(): void
}

/**
 * What processes share by Redis. A server that cannot be reached does not keep the service from starting: until it can,
 * limits count in this process, as `onStoreFailure` says by default. Rejects with `CommandFault` for a URL that is none.
 */
export async function openRedis(
  { redis: url, prefix = 'sluice' }: StateConfig,
  world: StateWorld,
): Promise<RedisState> {
  const client = await clientOf(url!)
  const news = connectionNews('Redis', world.tell)
  client.on('error', news.failed)
  client.on('ready', news.works)
  return {
    limitStore: redisLimitStore(client, { prefix }),
    answers: redisCacheStore(client, { prefix }),
    health: redisHealth(client, { prefix }),
    close: () => client.disconnect(),
  }
}

/** The package is loaded only where there is a Redis. What it says of a URL may quote it. */
async function clientOf(url: string) {
  const { Redis } = await import('ioredis')
  try {
    return new Redis(url, {
      // Where there is no connection, it fails at once.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: 5_000,
    })
  } catch {
    throw new CommandFault(
      "state.redis is no URL that ioredis takes, such as 'redis://user:password@host:6379/0'. What a URL cannot hold in a password is written as %40 and so on.",
    )
  }
}
