import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '@sluice/sqlite'
import { chunks, hang, sse, stream, wait } from '@sluice/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { entry } from '../../packages/testing/src/ledger-records.ts'
import { startChild } from './harness/child-service.ts'
import { crowd } from './harness/crowd.ts'
import { upstreamDuring } from './harness/upstream.ts'

const many = 12
const events = sse(chunks({ text: 'one two three' }))
const begun = stream(events.slice(0, 4))
/** Ends soon after the signal. */
const short = [begun, wait(700), stream(events.slice(4))]
/** Never ends by itself. */
const endless = [begun, hang()]

/** A service in a process of its own with streams under way, every second one of them without an end. */
async function streaming(mount: 'serve' | 'express 5', drainMs: number) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-ledger-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const ledger = `file:${join(folder, 'ledger.db')}`
  const upstream = await upstreamDuring((_, index) => (index % 2 === 0 ? short : endless))
  const service = await startChild({ mount, routes: { m: [upstream.baseURL] }, ledger, drainMs })
  const clients = await crowd(service.site, many, { model: 'm', stream: true })
  await Promise.all(clients.map(client => client.waitFor('two')))
  return { ...service, clients, ledger, upstream }
}

/** What the next process finds in the file, and what it closes of it. */
async function found(url: string) {
  const database = await openSqlite({ url }, { heartbeatMs: 50, silentMs: 100 })
  onTestFinished(() => database.close())
  const own = entry({ principal: 'next' })
  await database.ledger.open(own, () => undefined)
  return async () => (await database.usage({ by: ['key'] })).find(({ by }) => by.key === 'ann')
}

describe('F75 SIGTERM while streams are under way, once and twice', () => {
  it.each(['serve', 'express 5'] as const)(
    'once: they end, or are ended, each with its record: %s',
    { timeout: 60_000 },
    async mount => {
      const { process, ended, clients, ledger } = await streaming(mount, 1_500)
      const from = performance.now()
      process.kill('SIGTERM')
      expect(await ended).toEqual([0, null])
      expect(performance.now() - from).toBeLessThan(1_500 + 3_000)
      await Promise.all(clients.map(client => client.waitForEnd()))
      const texts = clients.map(({ received }) => Buffer.from(received).toString())
      expect(texts.filter(text => text.includes('[DONE]'))).toHaveLength(many / 2)
      expect(texts.filter(text => text.includes('"error"') && !text.includes('[DONE]'))).toHaveLength(
        many / 2,
      )
      expect(await (await found(ledger))()).toMatchObject({
        requests: many,
        open: 0,
        estimated: many,
      })
    },
  )

  it.each(['serve', 'express 5'] as const)(
    'twice: the process ends at once, and whoever comes next finds each record and closes it: %s',
    { timeout: 60_000 },
    async mount => {
      const { process, ended, clients, ledger } = await streaming(mount, 30_000)
      process.kill('SIGTERM')
      // It has heard the first one when it takes no more requests.
      await vi.waitFor(
        () => expect(clients.some(({ received }) => Buffer.from(received).includes('[DONE]'))).toBe(true),
        5_000,
      )
      process.kill('SIGTERM')
      expect(await ended).toEqual([null, 'SIGTERM'])
      const totals = await found(ledger)
      expect(await totals()).toMatchObject({ requests: many })
      await vi.waitFor(async () => expect(await totals()).toMatchObject({ requests: many, open: 0 }), 10_000)
      const { promptTokens = 0 } = (await totals()) ?? {}
      expect(promptTokens).toBeGreaterThanOrEqual(many)
    },
  )
})
