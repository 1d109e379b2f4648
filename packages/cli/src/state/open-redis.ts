import type { AnswerStore, LimitStore, SharedHealth } from '@sluice/core'
import { redisAnswers, redisHealth, redisStore } from '@sluice/redis'
import { Redis } from 'ioredis'
import type { StateConfig } from '../config/config.ts'
import { connectionNews } from './connection-news.ts'
import type { StateWorld } from './open-state.ts'

export interface RedisState {
  readonly limitStore: LimitStore
  readonly answers: AnswerStore
  readonly health: SharedHealth
  close(): void
}

/**
 * What processes share by Redis. A server that cannot be reached does not keep the service from starting: until it can,
 * limits count in this process, as `onStoreFailure` says by default.
 */
export function openRedis({ redis: url, prefix = 'sluice' }: StateConfig, world: StateWorld): RedisState {
  const client = new Redis(url!, {
    // Where there is no connection, it fails at once.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 5_000,
  })
  const news = connectionNews('Redis', world.tell)
  client.on('error', news.failed)
  client.on('ready', news.works)
  return {
    limitStore: redisStore(client, { prefix }),
    answers: redisAnswers(client, { prefix }),
    health: redisHealth(client, { prefix }),
    close: () => client.disconnect(),
  }
}
