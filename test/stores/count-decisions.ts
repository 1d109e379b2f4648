import type { Counter } from '@sluice/core/store'
import { excessOfRate, mostAtOnce, roomOfRate } from './grants-oracle.ts'
import { Workers } from './programs/workers.ts'
import { RedisServer } from './servers/redis-server.ts'

// 100,000 decisions of 1, 2, 4 and 8 processes on one Redis against an oracle, the last run with a restart of Redis:
//   npx tsx --conditions=@sluice/source test/stores/count-decisions.ts

const decisions = Number(process.argv[2] ?? 100_000)
const limit = 500
const windowMs = 1_000
const atOnce = 20
const slots = 12
let missed = 0

await using server = await RedisServer.start({ appendOnly: true })
await using workers = await Workers.start(server.port, 8)
for (const count of [1, 2, 4, 8]) {
  const rate = {
    kind: 'rate',
    key: `rate ${count}`,
    limit,
    windowMs,
    dryRun: false,
    amount: 1,
    floor: 1,
  } as const
  const lease = { kind: 'lease', key: `lease ${count}`, limit: slots, dryRun: false } as const
  const of = (counters: readonly Counter[], heldMs: number) => ({
    does: 'traffic' as const,
    traffic: {
      ...{ counters, heldMs, atOnce },
      decisions: Math.ceil(decisions / 8 / count),
      charged: [1],
    },
  })
  const restarts = count === 8
  const rated = workers.run(of([rate], 0), count)
  if (restarts) await restart()
  const reports = await rated
  const grants = reports.flatMap(report => report.grants)
  const leased = await workers.run(of([lease], 2), count)
  const held = mostAtOnce(leased.flatMap(report => report.grants))
  const excess = excessOfRate(grants, limit, windowMs)
  const room = roomOfRate(
    reports.flatMap(({ told }) => told),
    limit,
    windowMs,
  )
  const met = excess < 1 && held <= slots && grants.length >= 0.99 * room
  if (!met) missed++
  print(
    `${count} processes${restarts ? ', one restart' : ''}: ${grants.length} grants, room for ${room}, ` +
      `${Math.max(0, Math.floor(excess))} too many; ${held} of ${slots} slots at once${met ? '' : ': NOT MET'}`,
  )
}
print(
  missed === 0
    ? 'No limit was exceeded, and what there was was used.'
    : `${missed} runs did not do as promised.`,
)
if (missed > 0) process.exitCode = 1

async function restart(): Promise<void> {
  await new Promise(resolve => setTimeout(resolve, 500))
  await server.kill()
  await server.restart()
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
