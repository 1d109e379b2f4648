import type { LimitStore } from '@sluice/core'
import { redisLimitStore } from '@sluice/redis'
import { Redis } from 'ioredis'
import { onTestFinished } from 'vitest'
import { RedisServer } from '../../../stores/servers/redis-server.ts'

/** A Redis of one's own until the test ends. */
export async function redisDuring(): Promise<RedisServer> {
  const server = await RedisServer.start()
  onTestFinished(() => server.stop())
  return server
}

/**
 * Counts in a Redis, by a client of their own until the test ends. It keeps nothing to be sent later: what cannot be
 * asked now has failed. Resolves when it is connected, or could not be at first.
 */
export async function storeIn({ port }: RedisServer, prefix = 'sluice'): Promise<LimitStore> {
  const client = new Redis(port, '127.0.0.1', {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => 50,
  })
  client.on('error', () => {})
  onTestFinished(() => client.disconnect())
  await new Promise<void>(resolve => {
    client.once('ready', resolve)
    client.once('close', resolve)
  })
  return redisLimitStore(client, { prefix })
}
