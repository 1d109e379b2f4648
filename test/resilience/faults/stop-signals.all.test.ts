import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '@sluice/sqlite'
import { chunks, connectRawClient, requestBytes, sse, steps } from '@sluice/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { entry } from '../../../packages/testing/src/conformance/ledger/records.ts'
import { startChild } from './harness/child-service.ts'
import { asking, crowd } from './harness/crowd.ts'
import { upstreamDuring } from './harness/upstream.ts'

const many = 12
const events = sse(chunks({ text: 'one two three' }))
const begun = steps.stream(events.slice(0, 4))
/** Ends soon after the signal. */
const short = [begun, steps.wait(700), steps.stream(events.slice(4))]
/** Never ends by itself. */
const endless = [begun, steps.hang()]

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

/**
 * A service in a process of its own that is busy finding who answers: streams of a second target, streams whose first
 * target is silent, and one that is to be asked again.
 */
async function routing(drainMs: number) {
  const refusing = steps.reply({ error: { message: 'busy' } }, { status: 503 })
  const pausing = steps.reply(
    { error: { message: 'slow down' } },
    { status: 429, headers: { 'retry-after-ms': '800' } },
  )
  const silent = await upstreamDuring(steps.hang())
  const busy = await upstreamDuring(refusing)
  const limited = await upstreamDuring(pausing, steps.answer())
  const well = await upstreamDuring(short)
  const { process, ended, ends, site } = await startChild({
    mount: 'serve',
    routes: {
      moved: [busy.baseURL, well.baseURL],
      waiting: [silent.baseURL, well.baseURL],
      again: [limited.baseURL],
    },
    timeouts: { firstByteMs: 1_000, responseMs: 1_000 },
    retry: {},
    drainMs,
  })
  const [moved, waiting, again] = await Promise.all([
    crowd(site, 4, { model: 'moved', stream: true }),
    crowd(site, 4, { model: 'waiting', stream: true }),
    crowd(site, 1, { model: 'again', stream: true }),
  ])
  await Promise.all([
    ...moved.map(client => client.waitFor('two')),
    silent.waitForRequest(4),
    limited.waitForRequest(),
  ])
  return {
    process,
    ended,
    ends,
    clients: [...moved, ...waiting, ...again],
    upstreams: [silent, well, limited],
  }
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

  it('once: requests that wait for another target, or to ask again, get their answer too', async () => {
    const { process, ended, ends, clients } = await routing(10_000)
    process.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    await Promise.all(clients.map(client => client.waitForEnd()))
    for (const { received } of clients) expect(Buffer.from(received).toString()).toContain('[DONE]')
    expect(ends).toHaveLength(clients.length)
    expect(new Set(ends.map(({ outcome, attempts }) => `${outcome} ${attempts.length}`))).toEqual(
      new Set(['completed 2']),
    )
  })

  it('twice: the process ends at once, whomever it would have asked next', async () => {
    const { process, ended, clients, upstreams } = await routing(30_000)
    process.kill('SIGTERM')
    process.kill('SIGTERM')
    // Of two signals that come at once the system may tell one.
    const again = setInterval(() => process.kill('SIGTERM'), 100)
    expect(await ended.finally(() => clearInterval(again))).toEqual([null, 'SIGTERM'])
    await Promise.all(clients.map(client => client.waitForEnd()))
    // None that was cut off looks finished.
    const cut = clients.filter(({ received }) => !Buffer.from(received).includes('[DONE]'))
    expect(cut.length).toBeGreaterThan(0)
    await Promise.all(upstreams.map(upstream => upstream.waitForIdle()))
  })

  it('once: it ends a second after the answers had to, whoever is connected: serve', async () => {
    const upstream = await upstreamDuring(endless)
    const service = await startChild({
      mount: 'serve',
      routes: { m: [upstream.baseURL] },
      drainMs: 500,
    })
    const { port } = service.site
    const [idle, half, pausing] = await Promise.all([
      connectRawClient({ port }),
      connectRawClient({ port }),
      asking(service.site, { model: 'm', stream: true }, true),
    ])
    onTestFinished(async () => void (await Promise.all([idle, half, pausing].map(client => client.close()))))
    await idle.send(requestBytes({ path: '/v1/models', headers: { authorization: 'Bearer good-key' } }))
    await idle.response()
    await half.send('POST /v1/chat/completions HTTP/1.1\r\n')
    await upstream.waitForRequest(1)
    const from = performance.now()
    service.process.kill('SIGTERM')
    expect(await service.ended).toEqual([0, null])
    // And what a busy machine takes.
    expect(performance.now() - from).toBeLessThan(500 + 1_000 + 1_500)
    expect(await idle.waitForEnd()).toBe('end')
  })

  it.each(['serve', 'express 5'] as const)(
    'twice: the process ends at once, and whoever comes next finds each record and closes it: %s',
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
