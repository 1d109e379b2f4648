import { openSqlite } from '@sluice/sqlite'
import { Connection } from '../../../../packages/sqlite/src/connection.ts'
import { temporaryFile } from '../../../../packages/sqlite/src/temporary-file.ts'
import { holdFile } from './hold-file.ts'
import { type LedgerDatabase, ledgerRow } from './ledger-database.ts'

/** A fresh file. It is away while somebody else holds it. */
export async function sqliteDatabase(): Promise<LedgerDatabase> {
  const { url, path, remove } = await temporaryFile()
  const made = await openSqlite({ url })
  await made.close()
  return {
    name: 'SQLite',
    settings: { kind: 'sqlite', url },
    outages: ['held'],
    journalled: false,
    takeAway: () => holdFile(path),
    async rows() {
      const connection = await Connection.open(url)
      try {
        const rows = await connection.read('SELECT *, cost AS nano_dollars FROM sluice_record ORDER BY row')
        return rows.map(ledgerRow)
      } finally {
        connection.close()
      }
    },
    async usageByKey() {
      const database = await openSqlite({ url })
      try {
        return await database.usage({ by: ['key'] })
      } finally {
        await database.close()
      }
    },
    waiting: async () => [],
    [Symbol.asyncDispose]: remove,
  }
}
