import { inFlightCap, type Target } from '@sluice/core'
import type { PartialChunk } from '@sluice/core/provider'
import { loadShedding } from '@sluice/node'
import { connectRawClient, requestBytes } from '@sluice/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { base, type Site } from '../../e2e/conformance/site.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'

const text = (content: string): PartialChunk => ({ choices: [{ index: 0, delta: { content } }] })

/** A model whose streams stop in the middle until they are let go. */
function held() {
  let go = () => {}
  const gone = new Promise<void>(resolve => {
    go = resolve
  })
  const target: Target = {
    model: 'm',
    provider: {
      name: 'held',
      encode: () => ({ method: 'POST', url: 'held:', headers: {} }),
      transport: async () => ({ status: 200, headers: { get: () => null }, body: (async function* () {})() }),
      decode: () => ({
        kind: 'stream',
        chunks: (async function* () {
          yield [text('one')]
          await gone
          yield [text('two')]
          yield [{ choices: [{ index: 0, delta: {}, finish_reason: 'stop' as const }] }]
        })(),
      }),
    },
  }
  return { target, go: () => go() }
}

/** A stream that runs, on a connection of its own. */
async function running(site: Site) {
  const client = await connectRawClient({ port: site.port })
  onTestFinished(() => client.close())
  const headers = { authorization: 'Bearer good-key' }
  const body = { ...base, model: 'm', stream: true }
  await client.send(requestBytes({ path: site.pathOf('/chat/completions'), headers, body }))
  await client.waitFor('one')
  return client
}

/** Holds the event loop up again and again, until it is told to stop. */
function holdingUp(): () => void {
  const timer = setInterval(() => {
    const end = performance.now() + 150
    while (performance.now() < end);
  }, 10)
  onTestFinished(() => clearInterval(timer))
  return () => clearInterval(timer)
}

describe('a service that has no room for more', () => {
  overServers(mount => {
    it('refuses what is above its cap, until one of those that run has ended', async () => {
      const { target, go } = held()
      const { site, end, leases } = await startService(mount, {
        models: { m: target },
        loadShedder: inFlightCap(1),
      })
      const stream = await running(site)
      // Nobody is asked who they are: the key is wrong.
      const refused = await site.chat({ model: 'm' }, { key: 'wrong' })
      expect([refused.status, refused.json]).toMatchObject([503, { error: { code: 'server_is_overloaded' } }])
      expect(Number(refused.headers['retry-after-ms'])).toBeGreaterThanOrEqual(1_000)
      expect((await site.get('/models')).status).toBe(200)
      expect(stream.ended).toBeUndefined()
      go()
      expect((await stream.response())?.body).toContain('[DONE]')
      expect(await end(2)).toMatchObject({ outcome: 'completed', stream: true })
      expect((await site.chat({ model: 'm', stream: true })).status).toBe(200)
      expect(leases.admitted).toBe(2)
    })

    it('answers before the body has come, and closes the connection that it would come on', async () => {
      const { site, end } = await startService(mount, {
        models: { m: held().target },
        loadShedder: () => 'full',
      })
      const client = await connectRawClient({ port: site.port })
      onTestFinished(() => client.close())
      const headers = { 'content-length': '20000000', 'content-type': 'application/json' }
      await client.send(requestBytes({ method: 'POST', path: site.pathOf('/chat/completions'), headers }))
      const answer = await client.response()
      expect([answer?.status, answer?.headers.connection]).toEqual([503, 'close'])
      expect(await end()).toMatchObject({ outcome: 'refused', status: 503 })
    })

    it('refuses while its event loop is late, and lets in again when that is over', async () => {
      const { target, go } = held()
      const shed = loadShedding({ maxLagMs: 100, sampleMs: 300 })
      const { site } = await startService(mount, { models: { m: target }, loadShedder: shed })
      const stream = await running(site)
      const status = async () => (await site.chat({ model: 'm', stream: true })).status
      const release = holdingUp()
      // Those that are let in wait for the end of the test: one at a time is enough.
      const asked = async () => (await site.send('/chat/completions', { method: 'POST', key: null })).status
      await vi.waitFor(async () => expect(await asked()).toBe(503), 10_000)
      release()
      await vi.waitFor(async () => expect(await asked()).toBe(401), 10_000)
      go()
      expect((await stream.response())?.body).toContain('[DONE]')
      expect(await status()).toBe(200)
    })
  })
})
