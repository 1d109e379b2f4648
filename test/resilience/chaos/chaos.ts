import { cpus } from 'node:os'
import { postgresBin } from '../../stores/servers/postgres-server.ts'
import { figureTable, shortened } from '../soak/print-figures.ts'
import { reconcile } from './books/reconcile.ts'
import { fullPlan } from './plan.ts'
import { printedRun } from './print-run.ts'
import { endsOutsideOutages, routingFigures } from './routing/routing-figures.ts'
import { fullRoutingPlan } from './routing/routing-plan.ts'
import { runRouting } from './routing/run-routing.ts'
import { runChaos } from './run-chaos.ts'
import { runStops } from './stops/run-stops.ts'
import { fullStopPlan } from './stops/stop-plan.ts'
import { postgresDatabase } from './stores/postgres-database.ts'
import { sqliteDatabase } from './stores/sqlite-database.ts'

// What can go wrong around a gateway goes wrong. Run it with
//   npx -y pnpm chaos 20
// for processes that are stopped and killed under 100 live streams, and whose stores are taken away, twenty times on each
// database (or on one: `sqlite`, `postgres`): then what clients, ledger, upstream and limits have written is held against
// each other. And with
//   npx -y pnpm chaos routing 10
// for ten minutes of upstreams that die, slow down, lie and recover, and with
//   npx -y pnpm chaos stops 100
// for a hundred stops under clients that keep their connections and clients that make new ones: none may lose a request that
// it sent on a connection. A last argument is the seed of chance.

const print = (line: string) => void process.stdout.write(`${line}\n`)

// Ends what was started, too.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

const [what = '20', ...more] = process.argv.slice(2)
if (what === 'routing') await routing(...more)
else if (what === 'stops') await stops(...more)
else await books(what, ...more)

async function routing(minutes = '10', seed = '1'): Promise<void> {
  print(`Node ${process.version}, ${cpus().length} cores, ${new Date().toISOString()}, seed ${seed}`)
  const alarms: string[] = []
  for (const kind of ['uncaughtException', 'unhandledRejection', 'warning']) {
    process.on(kind, (cause: unknown) => alarms.push(`${kind}: ${String(cause)}`))
  }
  const logs = await runRouting(fullRoutingPlan(Number(minutes), Number(seed)), line => print(`... ${line}`))
  const figures = routingFigures({ ...logs, alarms: [...logs.alarms, ...alarms] })
  for (const line of [...figureTable(figures), ...shortened('alarm', alarms)]) print(line)
  print('\nHow answers ended while some upstream was well:')
  for (const line of endsOutsideOutages(logs)) print(line)
  if (figures.some(({ met }) => met === false)) process.exitCode = 1
}

async function stops(rounds = '100', seed = '1'): Promise<void> {
  print(`Node ${process.version}, ${cpus().length} cores, ${new Date().toISOString()}, seed ${seed}`)
  const { answered, lost, refused } = await runStops(fullStopPlan(Number(rounds), Number(seed)))
  const sum = (counts: ReadonlyMap<unknown, number>) =>
    [...counts.values()].reduce((one, two) => one + two, 0)
  for (const [status, count] of answered) print(`answered ${status}: ${count}`)
  for (const [how, count] of lost) print(`lost, ${how}: ${count}`)
  print(`connections refused: ${refused}`)
  // Linux resets what is connected in the microseconds before a listener closes: nobody can accept it.
  if (sum(lost) * 2_000 > sum(answered) + sum(lost)) process.exitCode = 1
}

async function books(rounds: string, only = 'both', seed = '1'): Promise<void> {
  const plan = fullPlan(Number(rounds), Number(seed))
  const databases = {
    sqlite: sqliteDatabase,
    ...(postgresBin === undefined ? {} : { postgres: postgresDatabase }),
  }
  const chosen = Object.entries(databases).filter(([name]) => only === 'both' || only === name)
  if (chosen.length === 0)
    throw new Error(`database: got ${only}, expected ${Object.keys(databases).join(', ')} or both.`)

  print(`Node ${process.version}, ${cpus().length} cores, ${new Date().toISOString()}, seed ${seed}`)
  for (const [name, makeDatabase] of chosen) {
    print(`${rounds} rounds of ${plan.streams} streams on ${name} and Redis`)
    const logs = await runChaos(plan, makeDatabase, line => print(`... ${line}`))
    const result = reconcile(logs)
    for (const line of printedRun(result)) print(line)
    if (result.differences.length > 0) process.exitCode = 1
  }
}
