import { requestLogConformance } from '@sluice/testing/conformance'
import { describe, it, onTestFinished } from 'vitest'
import { Connection } from './connection.ts'
import { migrate } from './migrate.ts'
import { sqliteRequestLogRepository } from './request-log-repository.ts'
import { temporaryFile } from './temporary-file.ts'

async function inFile(): Promise<string> {
  const { url, remove } = await temporaryFile()
  onTestFinished(remove)
  return url
}

const databases = { 'a file': inFile, memory: async () => ':memory:' }

for (const [name, database] of Object.entries(databases)) {
  describe(`sqliteRequestLogRepository in ${name}`, () => {
    it.each(requestLogConformance)('$name', ({ run }) =>
      run(async () => {
        const connection = await Connection.open(await database())
        onTestFinished(() => connection.close())
        await connection.useWriteAheadLog()
        await migrate(connection)
        return sqliteRequestLogRepository(connection)
      }),
    )
  })
}
