import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { apiKeys } from '@sluice/core'
import { openPostgres } from '@sluice/postgres'
import pg from 'pg'
import { charge, closing, entry } from '../../../packages/testing/src/conformance/ledger/records.ts'
import type { PostgresTask } from './postgres-tasks.ts'

const task = JSON.parse(process.argv[2] ?? '') as PostgresTask
const pool = new pg.Pool({ connectionString: task.url })
pool.on('error', () => {})
const tell = (text: string) => process.send?.(text)

if (task.what === 'migrate') {
  const database = await openPostgres(pool, { migrate: true })
  await database.close()
} else if (task.what === 'record') {
  const { principal } = task
  const { ledger, close } = await openPostgres(pool)
  const records = Array.from({ length: task.count }, async () => {
    const opened = entry({ id: randomUUID(), principal })
    await ledger.open(opened, () => charge(1))
    await ledger.close(closing(opened))
  })
  await Promise.all(records)
  await close()
} else if (task.what === 'open') {
  const { ledger } = await openPostgres(pool, { journal: task.journal })
  for (;;) {
    const opened = entry({ id: randomUUID(), principal: task.principal })
    await ledger.open(opened, () => charge(1))
    tell(opened.id)
    await sleep(5)
  }
} else {
  const { keys } = await openPostgres(pool)
  const authenticate = apiKeys(keys)
  const request = new Request('http://127.0.0.1/', { headers: { authorization: `Bearer ${task.key}` } })
  let last: string | undefined
  for (;;) {
    const principal = await authenticate(request, undefined)
    const answer = principal === undefined ? 'refused' : 'let in'
    if (answer !== last) tell(answer)
    last = answer
    await sleep(10)
  }
}
tell('done')
await pool.end()
process.disconnect()
