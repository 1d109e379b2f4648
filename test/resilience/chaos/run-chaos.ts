import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom as randomOf } from '@sluice/testing'
import { RedisServer, until } from '../../stores/servers/redis-server.ts'
import type { ChaosLogs } from './books/chaos-logs.ts'
import { GatewayProcess } from './gateway/gateway-process.ts'
import type { GatewaySettings } from './gateway/gateway-settings.ts'
import { troubleOf } from './outages.ts'
import type { ChaosPlan } from './plan.ts'
import { Returns } from './returns.ts'
import { type Generation, type RoundOptions, runRound, worksAgain } from './round.ts'
import type { LedgerDatabase } from './stores/ledger-database.ts'
import { limitsAtRest } from './stores/limits-at-rest.ts'
import { Crowd } from './traffic/crowd.ts'
import { Upstream } from './traffic/upstream.ts'

/**
 * Runs the rounds, lets everything come to rest, and gathers what client, ledger, upstream and limits have written.
 * Whatever happens, its processes have ended when this has.
 */
export async function runChaos(
  plan: ChaosPlan,
  makeDatabase: () => Promise<LedgerDatabase>,
  say: (line: string) => void,
): Promise<ChaosLogs> {
  await using database = await makeDatabase()
  await using redis = await RedisServer.start({ appendOnly: true })
  await using returns = new Returns()
  await using upstream = await Upstream.start()
  const random = randomOf(plan.seed)
  await using crowd = new Crowd(plan.streams, random, plan.longMs)
  const { concurrent, drainMs, heartbeatMs, silentMs, leaseMs } = plan
  const settings: GatewaySettings = {
    upstreamPort: upstream.port,
    redisPort: redis.port,
    database: database.settings,
    concurrent,
    drainMs,
    heartbeatMs,
    silentMs,
    leaseMs,
  }
  const options: RoundOptions = { plan, crowd, settings, random, returns }
  const generations: Generation[] = []
  for (let index = 0; index < plan.rounds; index++) {
    const generation = await runRound(index, troubleOf(index, redis, database), options)
    generations.push(generation)
    say(`round ${index + 1}: ${shown(generation)}`)
  }
  generations.push(await runLast(options, database))
  say('at rest')
  const rows = await database.rows()
  const usage = await database.usageByKey()
  const waiting = await database.waiting()
  // What the dead held is held no longer than this.
  await sleep(leaseMs)
  const limits = await limitsAtRest(redis.port, concurrent, [...crowd.logs.keys()])
  return { plan, generations, clients: crowd.logs, upstream, rows, usage, waiting, limits }
}

/** The last process lets its answers end, closes what the dead have left, and is told to stop. */
async function runLast(
  { plan, crowd, settings, returns }: RoundOptions,
  database: LedgerDatabase,
): Promise<Generation> {
  const gateway = await GatewayProcess.start(settings)
  let ended = false
  try {
    crowd.address = { port: gateway.port, generation: plan.rounds }
    await sleep(plan.busyMs[0])
    for (const store of await returns.all()) await worksAgain(gateway, store, plan.graceMs)
    await crowd.stop()
    // Where it does not come to that, the books will say what is left.
    await until(async () => (await isWritten(database)) && gateway.works('limits'), 30_000).catch(() => {})
    const signalledAt = performance.now()
    const exit = await gateway.end('SIGTERM')
    ended = true
    const { alarms } = gateway
    const doubtFrom = Number.POSITIVE_INFINITY
    return { signal: 'SIGTERM', trouble: undefined, live: 0, signalledAt, doubtFrom, exit, alarms }
  } finally {
    if (!ended) await gateway.end('SIGKILL')
  }
}

async function isWritten(database: LedgerDatabase): Promise<boolean> {
  await sleep(100)
  return (await database.waiting()).length === 0 && (await database.rows()).every(({ closed }) => closed)
}

function shown({ signal, trouble, live, exit }: Generation): string {
  const { code, ms } = exit
  return `${signal} at ${live} live answers${trouble === undefined ? '' : `, ${trouble}`}; ended after ${ms.toFixed(0)} ms with ${code ?? exit.signal}`
}
