import { apiKeys, type GatewayOptions, type ManagedGateway, models } from '@sluice/core'
import { type RawClient, steps } from '@sluice/testing'
import { describe, expect, it, vi } from 'vitest'
import { crowd } from './harness/crowd.ts'
import { heldStreams } from './harness/held-streams.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { targetAt } from './harness/target-at.ts'
import { upstreamDuring } from './harness/upstream.ts'

const many = 20
const busy = steps.reply({ error: { message: 'busy' } }, { status: 503 })

/** From now on another place answers for the model, by a connection of its own. */
function reload(
  gateway: ManagedGateway,
  place: { readonly baseURL: string },
  more?: Partial<GatewayOptions>,
) {
  gateway.reload({
    authenticate: apiKeys([{ id: 'ann', key: 'good-key' }]),
    route: models({ m: targetAt(place) }),
    ...more,
  })
}

/** Streams that say their first words. */
async function begun(clients: readonly RawClient[]): Promise<void> {
  await Promise.all(clients.map(client => client.waitFor('two')))
}

async function expectWhole(clients: readonly RawClient[]): Promise<void> {
  const answers = await Promise.all(clients.map(client => client.response()))
  for (const answered of answers) {
    expect(answered).toMatchObject({ status: 200, complete: true })
    expect(answered?.body).toContain('three')
    expect(answered?.body).toContain('[DONE]')
    expect(answered?.body).not.toContain('"error"')
  }
}

describe('F76 connections are in use when others take their place', () => {
  overServers(mount => {
    it('stay open for the streams on them, whatever is reloaded meanwhile, and are closed after those', async () => {
      const before = await heldStreams()
      const { site, gateway, ends } = await startService(mount, { models: { m: targetAt(before) } })
      const clients = await crowd(site, many, { model: 'm', stream: true })
      await begun(clients)
      const after = await upstreamDuring(steps.answer({ text: 'the other one' }))
      for (let n = 0; n < 10; n++) {
        reload(gateway, after)
        expect((await site.chat({ model: 'm' })).body).toContain('the other one')
        expect(() => gateway.reload({ authenticate: 7 } as never)).toThrow(TypeError)
      }
      expect([before.open, before.asked, ends.length]).toEqual([many, many, 0])
      before.letGo()
      await expectWhole(clients)
      await expect.poll(() => ends).toHaveLength(many)
      expect(new Set(ends.map(({ outcome }) => outcome))).toEqual(new Set(['completed']))
      await vi.waitFor(() => expect(before.open).toBe(0), 5_000)
      expect((await site.chat({ model: 'm' })).status).toBe(200)
    })

    it('serve a request that waits for its next target, or to ask the same again', async () => {
      const silent = await upstreamDuring(steps.hang())
      const limited = await upstreamDuring(
        steps.reply(
          { error: { message: 'slow down' } },
          { status: 429, headers: { 'retry-after-ms': '300' } },
        ),
        steps.answer({ text: 'again' }),
      )
      const second = await upstreamDuring(steps.answer({ text: 'the second' }))
      const { site, gateway, end } = await startService(mount, {
        models: { m: [silent, second].map(targetAt), again: limited },
        timeouts: { firstByteMs: 400, responseMs: 400 },
        retry: {},
      })
      const waiting = ['m', 'again'].map(model => site.chat({ model, stream: true }))
      await Promise.all([silent.waitForRequest(), limited.waitForRequest()])
      const after = await upstreamDuring(steps.answer({ text: 'the other one' }))
      reload(gateway, after)
      expect((await site.chat({ model: 'm' })).body).toContain('the other one')
      const [moved, again] = await Promise.all(waiting)
      expect([moved?.body.includes('second'), again?.body.includes('again')]).toEqual([true, true])
      expect([second.requests.length, limited.requests.length, after.requests.length]).toEqual([1, 2, 1])
      for (const n of [1, 2]) expect(await end(n)).toMatchObject({ outcome: 'completed', attempts: [{}, {}] })
    })

    it('are not taken for those of a place that is left alone: its streams go on', async () => {
      const held = await heldStreams()
      const failing = await upstreamDuring(busy)
      const target = targetAt(held)
      // The same place by another address, as a load balancer in front of it has it.
      let broken = false
      const provider = {
        ...target.provider,
        encode: (call: Parameters<typeof target.provider.encode>[0]) => {
          const other = targetAt(broken ? failing : held)
          return other.provider.encode(call)
        },
      }
      const { site, events } = await startService(mount, {
        models: { m: { ...target, provider } },
        breaker: { failures: 2 },
      })
      const clients = await crowd(site, many, { model: 'm', stream: true })
      await begun(clients)
      broken = true
      for (const status of [503, 503, 503]) expect((await site.chat({ model: 'm' })).status).toBe(status)
      expect(events.filter(({ type }) => type === 'target')).toMatchObject([{ state: 'open' }])
      expect(failing.requests).toHaveLength(2)
      held.letGo()
      await expectWhole(clients)
    })
  })
})
