import { serve } from '@sluice/node'
import { redisLimitStore, redisResponseStore } from '@sluice/redis'
import { Redis } from 'ioredis'
import { fullGateway } from '../gateway.mjs'

/** Limits are counted by a Redis, which also stores responses. */
export async function start(upstream, { redis }) {
  const client = new Redis(redis)
  const gateway = fullGateway(upstream, redisLimitStore(client), redisResponseStore(client))
  const { port } = await serve(gateway, { port: 0, signals: false })
  return port
}
