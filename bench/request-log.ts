import { mkdtemp, rm, stat } from 'node:fs/promises'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import type { RequestLogRepository } from '@sluice/core/store'
import { openPostgres } from '@sluice/postgres'
import { openSqlite } from '@sluice/sqlite'
import { listedFilters, loggedRequests } from '../test/stores/request-log-filters.ts'
import { PostgresServer, postgresBin } from '../test/stores/servers/postgres-server.ts'
import { goalMicros, measureLogPath } from './request-log-path.ts'

// `pnpm bench:log [rows] [path|sqlite|postgres]`: measures what the request log takes on the path of a request, fills it in SQLite and in
// PostgreSQL, and measures each listed filter. The first page has 50 rows. SQLite runs in this thread: the longest time for which the
// event loop was blocked is measured, too.

const rowCount = Number(process.argv[2] ?? 1_000_000)
const only = process.argv[3]
const batchSize = 500
const rounds = 12
const pageSize = 50

console.log(
  `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
)
if (only === undefined || only === 'path') await benchPath()
if (only === undefined || only === 'sqlite') await benchSqlite()
if ((only === undefined || only === 'postgres') && postgresBin !== undefined) await benchPostgres()

async function benchPath(): Promise<void> {
  const { median, p99 } = await measureLogPath()
  console.log(
    `Path of a request: p50 ${median.toFixed(2)} us, p99 ${p99.toFixed(2)} us (goal: p50 <= ${goalMicros} us)`,
  )
}

async function benchSqlite(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-log-'))
  const file = join(folder, 'log.db')
  const database = await openSqlite({ url: `file:${file}` })
  await bench('SQLite', database.requestLog)
  await database.close()
  console.log(`  file: ${Math.round((await stat(file)).size / 2 ** 20)} MiB`)
  await rm(folder, { recursive: true })
}

async function benchPostgres(): Promise<void> {
  const server = await PostgresServer.start()
  const pool = server.pool()
  const database = await openPostgres(pool, { migrate: true })
  await bench('PostgreSQL', database.requestLog, () => pool.query('vacuum analyze'))
  const { rows } = await pool.query(
    `select pg_size_pretty(sum(pg_total_relation_size(oid))) as size from pg_class where relname in ('request_log', 'request_log_tags')`,
  )
  console.log(`  tables with indexes: ${rows[0]?.size}`)
  await database.close()
  await server.dispose()
}

async function bench(
  name: string,
  log: RequestLogRepository,
  analyze?: () => Promise<unknown>,
): Promise<void> {
  const started = performance.now()
  let batch = []
  for (const row of loggedRequests(rowCount)) {
    batch.push(row)
    if (batch.length === batchSize) {
      await log.insert(batch)
      batch = []
    }
  }
  await log.insert(batch)
  const seconds = (performance.now() - started) / 1_000
  console.log(
    `${name}: ${rowCount} rows in ${seconds.toFixed(0)} s, ${((seconds / rowCount) * 1e6).toFixed(0)} us each`,
  )
  await analyze?.()
  const all: number[] = []
  for (const { name, search } of listedFilters) {
    const times: number[] = []
    let found = 0
    const watch = watchEventLoop()
    for (let round = 0; round < rounds; round++) {
      const begun = performance.now()
      const query = {
        from: undefined,
        to: undefined,
        where: {},
        after: undefined,
        limit: pageSize,
        ...search(round),
      }
      found += (await log.search(query)).length
      times.push(performance.now() - begun)
    }
    all.push(...times)
    const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)]
    console.log(
      `  ${name.padEnd(34)} p50 ${p50.toFixed(1).padStart(7)} ms  p95 ${p95.toFixed(1).padStart(7)} ms  ${String(found / rounds).padStart(6)} rows  blocked ${watch().toFixed(0)} ms`,
    )
  }
  console.log(
    `  all ${listedFilters.length} filters: p50 ${percentile(all, 0.5).toFixed(1)} ms, p95 ${percentile(all, 0.95).toFixed(1)} ms, most ${Math.max(...all).toFixed(1)} ms`,
  )
  const begun = performance.now()
  await log.excessBefore({ maxRows: rowCount - 10_000 })
  console.log(`  excessBefore: ${(performance.now() - begun).toFixed(0)} ms`)
  const deleting = performance.now()
  const deleted = await log.deletePrincipal({ id: 'key-150', source: 'api_keys' })
  console.log(`  deletePrincipal: ${deleted} rows in ${(performance.now() - deleting).toFixed(0)} ms`)
}

/** Returns the longest time between two turns of the event loop, in milliseconds. */
function watchEventLoop(): () => number {
  let last = performance.now()
  let longest = 0
  let running = true
  const turn = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    if (running) setImmediate(turn)
  }
  setImmediate(turn)
  return () => {
    running = false
    return longest
  }
}

function percentile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((one, other) => one - other)
  return sorted[Math.min(Math.ceil(sorted.length * share) - 1, sorted.length - 1)] ?? Number.NaN
}
