import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { redisLimitStore } from '@sluice/redis'
import { Redis } from 'ioredis'
import { RedisServer } from '../test/stores/servers/redis-server.ts'
import { ask, gatewayWith, many, subjects } from './limited-gateways.ts'

// What limits cost: CPU of a whole request with rules counted in memory, beside one without any; and what a request asks
// of Redis. It measures the built packages, and starts a Redis of its own. Run it with
//   npx -y pnpm bench:limits

const rounds = Number(process.env.ROUNDS ?? 40)
const perRound = Number(process.env.REQUESTS ?? 2_000)
const warmUp = 10
/** Microseconds of CPU that rules in memory may add to a request. */
const goal = 10

/** One process for each, which take turns. */
const measured = Object.keys(subjects).map(name => {
  const program = fileURLToPath(new URL('limits-process.ts', import.meta.url))
  return { name, process: fork(program, [name]), micros: [] as number[] }
})
async function microsOf(child: ChildProcess): Promise<number> {
  child.send(perRound)
  const [micros] = await once(child, 'message')
  return micros as number
}
for (let round = -warmUp; round < rounds; round++) {
  for (const [at] of measured.entries()) {
    const { process, micros } = measured[(at + round + warmUp) % measured.length]!
    const cost = await microsOf(process)
    if (round >= 0) micros.push(cost)
  }
}
for (const { process } of measured) process.disconnect()

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
const bare = median(measured[0]!.micros)
console.log(`CPU of a request in process, median of ${rounds} rounds of ${perRound}, Node ${process.version}`)
for (const { name, micros } of measured) {
  const cost = median(micros)
  const added = cost - bare
  const row = `  ${name.padEnd(8)} ${cost.toFixed(1).padStart(7)} us   + ${added.toFixed(1).padStart(5)} us`
  console.log(name === 'no rule' ? row : `${row}   ${added <= goal ? 'met' : 'NOT MET'}`)
}
console.log(`goal: at most + ${goal} us for a request`)

const server = await RedisServer.start()
const redis = new Redis(server.url)
try {
  const gateway = gatewayWith(many, redisLimitStore(redis))
  // The scripts are loaded by the first ones.
  for (let at = 0; at < 10; at++) await ask(gateway)
  await redis.config('RESETSTAT')
  const count = 500
  for (let at = 0; at < count; at++) await ask(gateway)
  await gateway.close()
  const calls = [...(await redis.info('commandstats')).matchAll(/cmdstat_(evalsha|eval):calls=(\d+)/g)]
  const trips = calls.reduce((sum, [, , number]) => sum + Number(number), 0) / count
  console.log(`\nRedis, 6 rules: ${trips.toFixed(2)} round trips a request, of which the caller waits for 1`)
  console.log(`goal: 1 to admit, 1 to settle: ${trips <= 2.01 ? 'met' : 'NOT MET'}`)
} finally {
  redis.disconnect()
  await server.stop()
}
