import { serve } from '@sluice/node'
import { redisLimitStore } from '@sluice/redis'
import { Redis } from 'ioredis'
import { fullGateway } from '../gateway.mjs'

/** Limits are counted by a Redis. */
export async function start(upstream, { redis }) {
  const gateway = fullGateway(upstream, redisLimitStore(new Redis(redis)))
  const { port } = await serve(gateway, { port: 0, signals: false })
  return port
}
