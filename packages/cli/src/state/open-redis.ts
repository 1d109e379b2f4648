import { once } from 'node:events'
import type { CacheStore, LimitStore, SharedHealth } from '@sluice/core'
import type { ResponseStore, ResponseStoreOptions } from '@sluice/core/store'
import { redisCacheStore, redisHealth, redisLimitStore, redisResponseStore } from '@sluice/redis'
import { CommandError } from '../command.ts'
import type { StateConfig } from '../config/config.ts'
import { reportConnection } from './report-connection.ts'
import type { StateContext } from './state-context.ts'
import { loadIoredis } from './state-packages.ts'

/** How long a start waits for the connection. */
const connectMs = 5_000
/** A host that has vanished answers nothing: without a timeout, the kernel sends again for many minutes. */
const silenceMs = 2_000

export interface RedisState {
  readonly limitStore: LimitStore
  readonly cacheStore: CacheStore
  readonly health: SharedHealth
  responseStore(options: ResponseStoreOptions): ResponseStore
  /** Resolves once it is connected, or after some seconds without a connection. */
  connected(): Promise<void>
  close(): void
}

/**
 * What processes share by Redis. A server that cannot be reached does not keep the service from starting: until it can,
 * limits count in this process, as `onStoreFailure` says by default. Rejects with `CommandError` for a URL that is none.
 */
export async function openRedis(
  { redis: url, prefix = 'sluice' }: StateConfig,
  context: StateContext,
): Promise<RedisState> {
  const client = await clientOf(url!, context.cwd)
  const news = reportConnection('Redis', context.log)
  client.on('error', news.failed)
  client.on('ready', news.works)
  return {
    limitStore: redisLimitStore(client, { prefix }),
    cacheStore: redisCacheStore(client, { prefix }),
    health: redisHealth(client, { prefix }),
    responseStore: options => redisResponseStore(client, { prefix, ...options }),
    connected: async () => {
      if (client.status === 'ready') return
      await once(client, 'ready', { signal: AbortSignal.timeout(connectMs) }).catch(() => {})
    },
    close: () => client.disconnect(),
  }
}

/** The package is loaded only where there is a Redis. What it says of a URL may quote it. */
async function clientOf(url: string, folder: string) {
  const { Redis } = await loadIoredis(folder)
  try {
    return new Redis(url, {
      // Where there is no connection, it fails at once.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: silenceMs,
      socketTimeout: silenceMs,
      // Of a server that has become a replica: the name may be that of the new primary by now.
      reconnectOnError: error => error.message.startsWith('READONLY'),
    })
  } catch {
    throw new CommandError(
      "state.redis is not a valid URL for ioredis. Expected 'redis://user:password@host:6379/0'; percent-encode special characters of the password, such as %40 for @.",
    )
  }
}
