import { alertStoreConformance } from '@sluice/testing/conformance'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sqliteAlertStore } from './alert-store.ts'
import { migratedConnections } from './migrated-connections.ts'

for (const [name, open] of Object.entries(migratedConnections(onTestFinished))) {
  describe(`sqliteAlertStore in ${name}`, () => {
    it.each(alertStoreConformance)('$name', ({ run }) => run(async () => sqliteAlertStore(await open())))
  })
}

it('sqliteAlertStore deletes what has expired when an alert is added', async () => {
  const connection = await migratedConnections(onTestFinished).memory()
  const store = sqliteAlertStore(connection)
  const add = (owner: string, ttlMs: number) =>
    store.add({ owner, name: 'alert' }, 'sent', { ttlMs, pinned: true })
  for (let at = 0; at < 10; at++) await add(`${at}`, at % 2 === 0 ? 60_000 : 1)
  const until = performance.now() + 2
  while (performance.now() < until);
  await add('last', 60_000)
  expect(await connection.read('SELECT count(*) AS n FROM sluice_alert')).toMatchObject([{ n: 6 }])
})
