import { bodyLogConformance } from '@sluice/testing/conformance'
import { describe, it, onTestFinished } from 'vitest'
import { sqliteBodyLogRepository } from './body-log-repository.ts'
import { Connection } from './connection.ts'
import { migrate } from './migrate.ts'
import { temporaryFile } from './temporary-file.ts'

async function inFile(): Promise<string> {
  const { url, remove } = await temporaryFile()
  onTestFinished(remove)
  return url
}

const databases = { 'a file': inFile, memory: async () => ':memory:' }

for (const [name, database] of Object.entries(databases)) {
  describe(`sqliteBodyLogRepository in ${name}`, () => {
    it.each(bodyLogConformance)('$name', ({ run }) =>
      run(async () => {
        const connection = await Connection.open(await database())
        onTestFinished(() => connection.close())
        await migrate(connection)
        return sqliteBodyLogRepository(connection)
      }),
    )
  })
}
