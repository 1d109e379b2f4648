import type { RedisClient } from '@sluice/redis'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import type { RedisServer } from './servers/redis-server.ts'

/** A client, and how it is let go of. */
export interface OpenClient {
  readonly client: RedisClient
  close(): void
}

/** Clients that fail at once while their server is away, and look for it every 100 milliseconds: as gateways need them. */
export const impatientClients = {
  ioredis({ port }: Pick<RedisServer, 'port'>): OpenClient {
    const client = new Redis(port, '127.0.0.1', {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => 100,
    })
    client.on('error', () => {})
    return { client, close: () => client.disconnect() }
  },
  'node-redis'({ url }: Pick<RedisServer, 'url'>): OpenClient {
    const client = createClient({ url, disableOfflineQueue: true, socket: { reconnectStrategy: 100 } })
    client.on('error', () => {})
    client.connect().catch(() => {})
    return { client, close: () => client.destroy() }
  },
}
