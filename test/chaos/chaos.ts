import { cpus } from 'node:os'
import { postgresBin } from '../servers/postgres-server.ts'
import { reconcile } from './books/reconcile.ts'
import { fullPlan } from './plan.ts'
import { printedRun } from './print-run.ts'
import { runChaos } from './run-chaos.ts'
import { postgresDatabase } from './stores/postgres-database.ts'
import { sqliteDatabase } from './stores/sqlite-database.ts'

// Processes of a gateway are stopped and killed under 100 live streams, and their stores are taken away; then what
// clients, ledger, upstream and limits have written is held against each other. Run it with
//   npx -y pnpm chaos 20
// for twenty rounds on each database, or with `sqlite` or `postgres` behind it for one of them. A third argument is the
// seed of chance.

const [rounds = '20', only = 'both', seed = '1'] = process.argv.slice(2)
const plan = fullPlan(Number(rounds), Number(seed))
const databases = {
  sqlite: sqliteDatabase,
  ...(postgresBin === undefined ? {} : { postgres: postgresDatabase }),
}
const chosen = Object.entries(databases).filter(([name]) => only === 'both' || only === name)
if (chosen.length === 0)
  throw new Error(`database: got ${only}, expected ${Object.keys(databases).join(', ')} or both.`)

// Ends what was started, too.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

const print = (line: string) => void process.stdout.write(`${line}\n`)
print(`Node ${process.version}, ${cpus().length} cores, ${new Date().toISOString()}, seed ${seed}`)
for (const [name, makeDatabase] of chosen) {
  print(`${rounds} rounds of ${plan.streams} streams on ${name} and Redis`)
  const logs = await runChaos(plan, makeDatabase, line => print(`... ${line}`))
  const result = reconcile(logs)
  for (const line of printedRun(result)) print(line)
  if (result.differences.length > 0) process.exitCode = 1
}
