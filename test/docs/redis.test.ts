import { once } from 'node:events'
import type { Limiter } from '@sluice/core'
import type { Redis } from 'ioredis'
import { expect } from 'vitest'
import { describeWithRedis } from '../stores/servers/describe-with-redis.ts'
import { RedisServer } from '../stores/servers/redis-server.ts'
import { describePage } from './runner/describe-page.ts'

describeWithRedis('the page of the store', () => {
  describePage('packages/redis/README.md', {
    '': async ({ run }) => {
      const server = await RedisServer.start()
      try {
        const { exports } = await run({ REDIS_URL: server.url })
        const client = exports.client as Redis
        if (client.status !== 'ready') await once(client, 'ready')
        expect(await client.ping()).toBe('PONG')
        client.removeAllListeners('error').on('error', () => {})
        expect((exports.limit as Limiter).admit).toBeTypeOf('function')
        client.disconnect()
      } finally {
        await server.stop()
      }
    },
  })
})
