import { budget, concurrent, type GatewayOptions, limits, priceTable, requests, tokens } from '@sluice/core'
import { memoryLimitStore } from '@sluice/core/limits'
import type { Provider } from '@sluice/core/provider'
import { chunks, type Script, sse, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { scriptedLedger } from '../../../packages/core/test/support/scripted-ledger.ts'
import type { Mount } from '../../e2e/mounts/mounts.ts'
import { asking } from './harness/crowd.ts'
import { overServers } from './harness/servers.ts'
import { type Service, startService } from './harness/service.ts'
import { targetAt } from './harness/target-at.ts'
import { upstreamDuring } from './harness/upstream.ts'

const bound = 1_000
const good = { model: 'm', max_tokens: bound }
/** There is room for one of them at a time, and not for two: what is held is missed at once. */
const room = Math.floor(1.8 * bound)
const price = { input: 1, output: 1 }
const begun = [steps.stream(sse(chunks({ text: 'one two three' })).slice(0, 4))]
const failing = () => Promise.reject(new Error('the ledger is away'))

interface Exit {
  readonly script?: Script
  readonly options?: Partial<GatewayOptions>
  /** What of the provider is replaced. */
  readonly provider?: Partial<Provider>
  readonly fields?: object
  /** `false`: no record can be kept. */
  readonly kept?: boolean
  /** What the caller sees; `leaves` as soon as this text has come, or as the model has been asked. */
  readonly ends: number | { readonly leaves: string }
}

const broken = () => {
  throw new Error('a fault in a provider')
}

const exits: Readonly<Record<string, Exit>> = {
  'it is answered': { ends: 200 },
  'it is answered as a stream': { fields: { stream: true }, ends: 200 },
  'it is invalid': { fields: { temperature: 9 }, ends: 400 },
  'its model is overloaded': { script: steps.reply({}, { status: 503 }), ends: 503 },
  'its model cuts the connection': { script: steps.reset(), ends: 502 },
  'its model says nothing': { script: steps.hang(), ends: 504 },
  'its model falls silent in mid stream': {
    script: [...begun, steps.hang()],
    fields: { stream: true },
    ends: 200,
  },
  'its stream breaks off': { script: [...begun, steps.cut()], fields: { stream: true }, ends: 200 },
  'its time is over in mid stream': {
    script: [
      steps.stream([...sse(chunks({ text: 'one' })).slice(0, 2), ...Array<string>(500).fill(': x\n\n')], {
        delay: 10,
      }),
    ],
    options: { timeouts: { totalMs: 300 } },
    fields: { stream: true },
    ends: 200,
  },
  'its client leaves before the head': { script: steps.hang(), ends: { leaves: '' } },
  'its client leaves in mid stream': {
    script: [...begun, steps.hang()],
    options: { timeouts: { idleMs: 5_000 } },
    fields: { stream: true },
    ends: { leaves: 'two' },
  },
  'the provider cannot write it': { provider: { encode: broken }, ends: 500 },
  'the provider cannot read the answer': { provider: { decode: broken }, ends: 502 },
  'the transport throws': { provider: { transport: broken }, ends: 502 },
  'its record cannot be kept': {
    options: { ledger: scriptedLedger({ open: failing }) },
    kept: false,
    ends: 503,
  },
  'its record cannot be closed': { options: { ledger: scriptedLedger({ close: failing }) }, ends: 200 },
}

async function limited(mount: Mount, { script, options, provider }: Exit) {
  const store = memoryLimitStore()
  const upstream = await upstreamDuring(script ?? steps.answer())
  const target = targetAt(upstream)
  const service = await startService(mount, {
    models: { m: upstream, odd: { ...target, provider: { ...target.provider, ...provider } } },
    timeouts: { firstByteMs: 150, responseMs: 150, idleMs: 150, ...options?.timeouts },
    prices: priceTable({ m: price, odd: price }),
    // Else a request that was cut off in silence is charged all that it reserved.
    abandonedCalls: { charge: 'prompt' },
    ...(options?.ledger === undefined ? {} : { ledger: options.ledger }),
    limits: limits(
      [
        concurrent(1),
        tokens(room).per('day'),
        budget((room * price.input) / 1e6, 'usd').per('ever'),
        requests(99).per('day'),
      ],
      { store },
    ),
  })
  return { ...service, store, upstream }
}

async function leaveAfter(
  text: string,
  fields: object,
  { site, end }: Service,
  asked: () => Promise<unknown>,
) {
  const client = await asking(site, fields)
  await asked()
  if (text !== '') await client.waitFor(text)
  client.reset()
  expect((await end()).outcome).toBe('client_disconnected')
}

describe('F65 what a request has reserved is given back, however it ends', () => {
  overServers(mount => {
    it.each(Object.entries(exits))('%s', async (_, exit) => {
      const service = await limited(mount, exit)
      const { site, end, store, upstream } = service
      const model = exit.provider === undefined ? 'm' : 'odd'
      const fields = { ...good, model, ...exit.fields }
      if (typeof exit.ends === 'number') expect((await site.chat(fields)).status).toBe(exit.ends)
      else await leaveAfter(exit.ends.leaves, fields, service, () => upstream.waitForRequest())
      await end()
      expect(store.held).toBe(0)
      upstream.respondWith(steps.answer())
      // Where no record can be kept, one that is invalid shows the room: it needs none.
      const isKept = exit.kept !== false
      const next = await site.chat(isKept ? good : { ...good, temperature: 9 })
      expect(next.status).toBe(isKept ? 200 : 400)
      expect(next.headers).toMatchObject({
        'x-ratelimit-limit-tokens': String(room),
        'x-ratelimit-remaining-requests': '97',
      })
      const used = room - bound - Number(next.headers['x-ratelimit-remaining-tokens'])
      expect(used).toBeLessThan(100)
      await end(2)
      expect(store.held).toBe(0)
    })

    it('the gateway closes, and waits for nobody', async () => {
      const { site, gateway, store, upstream, end } = await limited(mount, {
        script: steps.hang(),
        ends: 503,
      })
      const asked = site.chat(good)
      await upstream.waitForRequest()
      expect(store.held).toBe(1)
      await gateway.close({ drainMs: 0 })
      expect([(await asked).status, (await end()).outcome, store.held]).toEqual([503, 'gateway_closed', 0])
    })
  })
})
