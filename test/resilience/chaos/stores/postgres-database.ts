import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPostgres } from '@sluice/postgres'
import { PostgresServer } from '../../../stores/servers/postgres-server.ts'
import { type LedgerDatabase, ledgerRow } from './ledger-database.ts'

/** A server of its own, and a folder for the journals of the processes that use it. */
export async function postgresDatabase(): Promise<LedgerDatabase> {
  const server = await PostgresServer.start()
  const journal = await mkdtemp(join(tmpdir(), 'sluice-journals-'))
  const dispose = async () => {
    await server.dispose()
    await rm(journal, { recursive: true, force: true })
  }
  try {
    await openPostgres(server.pool(), { migrate: true })
  } catch (error) {
    await dispose()
    throw error
  }
  return {
    name: 'PostgreSQL',
    settings: { kind: 'postgres', url: server.url(), journal },
    outages: ['stopped', 'frozen', 'killed'],
    journalled: true,
    async takeAway(outage) {
      if (outage === 'frozen') {
        server.freeze()
        return async () => server.thaw()
      }
      await (outage === 'killed' ? server.kill() : server.stop())
      return () => server.restart()
    },
    async rows() {
      const rows = await server.run('select * from sluice.requests order by opened_at')
      return rows.map(ledgerRow)
    },
    async usageByKey() {
      const database = await openPostgres(server.pool())
      try {
        return await database.usage({ by: ['key'] })
      } finally {
        await database.close()
      }
    },
    waiting: () => readdir(journal),
    [Symbol.asyncDispose]: dispose,
  }
}
