import { setTimeout as sleep } from 'node:timers/promises'
import { PostgresServer, postgresBin } from '../../test/stores/servers/postgres-server.ts'
import { drive } from '../drive.ts'
import { figure } from '../figures.ts'
import type { Plan } from '../plan.ts'
import { asAnn, path, small } from '../questions.ts'
import { notMeasured, type Row } from '../row.ts'
import { Subject } from '../subject.ts'

const kinds = { ledger: 'the ledger', log: 'the request log' } as const

/** What each request writes to a PostgreSQL with the ledger, and to one with the request log. */
export async function measurePostgres(plan: Plan): Promise<Row[]> {
  const what = (kind: keyof typeof kinds) => `PostgreSQL with ${kinds[kind]}: rows that a request writes`
  if (postgresBin === undefined) {
    return [notMeasured('postgres', what('ledger'), '', 'there is no PostgreSQL')]
  }
  const server = await PostgresServer.start()
  try {
    const rows: Row[] = []
    for (const kind of ['ledger', 'log'] as const) {
      const { written, transactions, bytes } = await perRequest(server, kind, plan)
      rows.push(
        { id: 'postgres', what: what(kind), figure: written.toFixed(2), value: written },
        {
          id: 'postgres',
          what: `- ${kind}: transactions that a request takes, 8 connections`,
          figure: transactions.toFixed(2),
          value: transactions,
        },
        {
          id: 'postgres',
          what: `- ${kind}: disk that a request takes, with indexes`,
          figure: figure(bytes, 'bytes'),
          value: bytes,
        },
      )
    }
    return rows
  } finally {
    await server.dispose()
  }
}

interface PerRequest {
  readonly written: number
  readonly transactions: number
  readonly bytes: number
}

async function perRequest(
  server: PostgresServer,
  kind: keyof typeof kinds,
  { runtime, upstream, storedRequests, statisticsMs }: Plan,
): Promise<PerRequest> {
  const database = await server.database()
  const further = { postgres: server.url(database), kind }
  const subject = await Subject.start('sluice-postgres', upstream.url, runtime, further)
  const number = async (sql: string, from?: string) => Number((await server.run(sql, from))[0]!.value)
  const commits = () =>
    number(`SELECT xact_commit AS value FROM pg_stat_database WHERE datname = '${database}'`)
  const written = () => number('SELECT sum(n_tup_ins) AS value FROM pg_stat_user_tables', database)
  const bytes = () =>
    number('SELECT sum(pg_total_relation_size(relid)) AS value FROM pg_stat_user_tables', database)
  try {
    const before = {
      commits: await settled(commits, statisticsMs),
      written: await written(),
      bytes: await bytes(),
    }
    const load = { port: subject.port, path, headers: asAnn, body: small, connections: 8, seconds: 0 }
    const { requests } = await drive({ ...load, atLeast: storedRequests })
    // Records are written after the answer, in batches.
    const after = {
      commits: await settled(commits, statisticsMs),
      written: await written(),
      bytes: await bytes(),
    }
    // The two statements above that read the figures of its tables are transactions, too.
    const own = 2
    return {
      written: (after.written - before.written) / requests,
      transactions: (after.commits - before.commits - own) / requests,
      bytes: (after.bytes - before.bytes) / requests,
    }
  } finally {
    await subject.stop()
  }
}

/** Reads a number until it has been the same for so long that all connections have published theirs. */
async function settled(read: () => Promise<number>, publishedMs: number): Promise<number> {
  let last = await read()
  let since = performance.now()
  while (performance.now() - since <= publishedMs) {
    await sleep(500)
    const now = await read()
    if (now !== last) since = performance.now()
    last = now
  }
  return last
}
