import { alertStoreConformance } from '@sluice/testing/conformance'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sqliteAlertStore } from './alert-store.ts'
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
  describe(`sqliteAlertStore in ${name}`, () => {
    it.each(alertStoreConformance)('$name', ({ run }) =>
      run(async () => {
        const connection = await Connection.open(await database())
        onTestFinished(() => connection.close())
        await migrate(connection)
        return sqliteAlertStore(connection)
      }),
    )
  })
}

it('sqliteAlertStore deletes what has expired when an alert is added', async () => {
  const connection = await Connection.open(':memory:')
  onTestFinished(() => connection.close())
  await migrate(connection)
  const store = sqliteAlertStore(connection)
  const add = (owner: string, ttlMs: number) =>
    store.add({ owner, name: 'alert' }, 'sent', { ttlMs, pinned: true })
  for (let at = 0; at < 10; at++) await add(`${at}`, at % 2 === 0 ? 60_000 : 1)
  const until = performance.now() + 2
  while (performance.now() < until);
  await add('last', 60_000)
  expect(await connection.read('SELECT count(*) AS n FROM sluice_alert')).toMatchObject([{ n: 6 }])
})
