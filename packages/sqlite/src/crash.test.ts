import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Connection } from './connection.ts'
import { openSqlite } from './open-sqlite.ts'
import { temporaryFile } from './temporary-file.ts'

const loader = createRequire(import.meta.url).resolve('tsx')

/** Opens records, closes some of them, and tells what the open ones have used, until it is killed. */
const program = `
import { openSqlite } from ${JSON.stringify(new URL('./open-sqlite.ts', import.meta.url).href)}
const [url, name] = process.argv.slice(1)
const database = await openSqlite({ url }, { heartbeatMs: 20, silentMs: 60_000 })
const charge = (tokens, cost) =>
  ({ promptTokens: tokens, completionTokens: tokens, cachedTokens: 0, reasoningTokens: 0, cost })
const entries = Array.from({ length: 10 }, (_, index) => ({
  id: name + index, requestId: 'req', principal: name, tags: {}, model: 'small', stream: true,
  openedAt: Date.now(), estimate: charge(5, 0.005),
}))
await Promise.all(entries.map((entry, index) =>
  database.ledger.open(entry, () => (index < 6 ? charge(40, 0.04) : undefined))))
await Promise.all(entries.slice(0, 4).map(entry => database.ledger.close({
  entry, closedAt: Date.now(), outcome: 'completed', status: 200, provider: 'p', upstreamModel: 'm', attempts: 1,
  charge: charge(100, 0.1), estimated: false, firstByteMs: 1, totalMs: 2,
})))
process.stdout.write('opened')
setInterval(() => {}, 1_000)
`

function started(url: string, name: string): ChildProcess {
  const child = spawn(
    process.execPath,
    ['--import', loader, '--conditions=@sluice/source', '--input-type=module', '-e', program, url, name],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function until(met: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 10_000
  while (!(await met())) {
    if (performance.now() > end) throw new Error('It has not come to that within 10 seconds.')
    await sleep(20)
  }
}

describe('a process that is killed', () => {
  it('loses no record; what it left open is closed by another one, with the last that was heard (P6)', async () => {
    const { url, remove } = await temporaryFile()
    onTestFinished(remove)
    const children = ['ann', 'bob'].map(name => started(url, name))
    await Promise.all(children.map(child => once(child.stdout!, 'data')))
    const watching = await Connection.open(url)
    onTestFinished(() => watching.close())
    // Two of each are open and have told of 40 tokens.
    await until(async () => {
      const told = await watching.read(
        'SELECT 1 FROM sluice_record WHERE closed_at IS NULL AND completion_tokens = 40',
      )
      return told.length === 4
    })
    for (const child of children) child.kill('SIGKILL')
    await Promise.all(children.map(child => once(child, 'exit')))
    expect(await watching.read('PRAGMA integrity_check')).toMatchObject([{ integrity_check: 'ok' }])

    const database = await openSqlite({ url }, { heartbeatMs: 50, silentMs: 200 })
    onTestFinished(() => database.close())
    const charge = { promptTokens: 0, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0, cost: 0 }
    const entry = {
      id: 'carl',
      requestId: 'req',
      operation: 'generate' as const,
      dialect: 'chat',
      principal: 'carl',
      tags: {},
      model: 'small',
      stream: true,
      openedAt: Date.now(),
      estimate: charge,
    }
    await database.ledger.open(entry, () => undefined)
    await until(async () => (await database.usage({ by: [] }))[0]?.open === 1)
    const rows = await database.usage({ by: ['key'] })
    for (const name of ['ann', 'bob']) {
      expect(rows.find(({ by }) => by.key === name)).toEqual({
        by: { key: name },
        requests: 10,
        promptTokens: 4 * 100 + 2 * 40 + 4 * 5,
        completionTokens: 4 * 100 + 2 * 40 + 4 * 5,
        cachedTokens: 0,
        reasoningTokens: 0,
        cost: 0.5,
        unpriced: 0,
        estimated: 6,
        open: 0,
      })
    }
    expect(rows.find(({ by }) => by.key === 'carl')).toMatchObject({ requests: 1, open: 1 })
  })
})
