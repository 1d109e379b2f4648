import { ledgerConformance } from '@sluice/testing/conformance'
import { describe, it, onTestFinished } from 'vitest'
import { Connection } from './connection.ts'
import { sqliteLedgerRepository } from './ledger-repository.ts'
import { migrate } from './migrate.ts'
import { temporaryFile } from './temporary-file.ts'

async function inFile(): Promise<string> {
  const { url, remove } = await temporaryFile()
  onTestFinished(remove)
  return url
}

const places = { 'a file': inFile, memory: async () => ':memory:' }

for (const [name, place] of Object.entries(places)) {
  describe(`sqliteLedgerRepository in ${name}`, () => {
    it.each(ledgerConformance)('$name', ({ run }) =>
      run(async () => {
        const connection = await Connection.open(await place())
        onTestFinished(() => connection.close())
        await connection.useWriteAheadLog()
        await migrate(connection)
        return sqliteLedgerRepository(connection)
      }),
    )
  })
}
