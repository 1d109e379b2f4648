import { RedisServer, redisPath } from '../../test/stores/servers/redis-server.ts'
import { drive } from '../drive.ts'
import type { Plan } from '../plan.ts'
import { asAnn, path, small } from '../questions.ts'
import { notMeasured, type Row } from '../row.ts'
import { Subject } from '../subject.ts'

const what = 'Redis store on: round trips per request'
const goal = '<= 2: 1 to admit, 1 to settle'

/** What a Redis is asked for each request when it counts the limits. */
export async function measureRedis({ runtime, upstream, redisRequests }: Plan): Promise<Row[]> {
  if (redisPath === undefined) return [notMeasured('redis', what, goal, 'there is no redis-server')]
  const server = await RedisServer.start()
  try {
    const subject = await Subject.start('sluice-redis', upstream.url, runtime, { redis: server.url })
    try {
      const ask = (connections: number, seconds: number) =>
        drive({ port: subject.port, path, headers: asAnn, body: small, connections, seconds })
      // The first ones load the scripts.
      await ask(1, 0.05)
      await server.command('CONFIG', 'RESETSTAT')
      let requests = 0
      while (requests < redisRequests) requests += (await ask(8, 0.1)).requests
      // A request is settled after its answer.
      await new Promise(resolve => setTimeout(resolve, 300))
      const trips = scriptCalls(await server.command('INFO', 'commandstats')) / requests
      return [{ id: 'redis', what, figure: trips.toFixed(2), value: trips, goal, met: trips <= 2.005 }]
    } finally {
      await subject.stop()
    }
  } finally {
    await server.stop()
  }
}

function scriptCalls(stats: string): number {
  const calls = [...stats.matchAll(/cmdstat_(?:evalsha|eval):calls=(\d+)/g)]
  return calls.reduce((sum, [, count]) => sum + Number(count), 0)
}
