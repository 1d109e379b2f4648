import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { GatewayEvent } from '../../src/contracts/events.ts'
import type { Provider } from '../../src/contracts/provider.ts'
import type { Transport } from '../../src/contracts/transport.ts'
import { UpstreamError } from '../../src/errors/upstream-error.ts'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { concurrent, requests } from '../../src/rate-limiting/rule.ts'
import { models } from '../../src/routing/models.ts'
import { priceTable } from '../../src/usage/price-table.ts'
import { forever, scripted, serving, turn, whole } from '../support/scripted-gateway.ts'

/** The transports that gateways made themselves, in order. */
const made: { closed: number; calls: number }[] = []

vi.mock('#transport', () => ({
  defaultTransport: () => {
    const state = { closed: 0, calls: 0 }
    made.push(state)
    const transport: Transport = async () => {
      if (state.closed > 0) throw new Error('It was asked when it was closed.')
      state.calls++
      return { status: 200, headers: { get: () => null }, body: (async function* () {})() }
    }
    transport.close = async () => void state.closed++
    return transport
  },
}))

beforeEach(() => {
  made.length = 0
})

/** Answers over the gateway's own transport, when it is told to. */
function outside(name: string) {
  const waiting: (() => void)[] = []
  const provider: Provider = {
    name,
    encode: () => ({ method: 'POST', url: 'http://upstream.test/', headers: {} }),
    decode: async (_, { input }) => {
      if (input.stream !== true) return whole(name)
      return {
        kind: 'stream',
        chunks: (async function* () {
          yield [{ choices: [{ index: 0, delta: { content: name } }] }]
          await new Promise<void>(resolve => waiting.push(resolve))
          yield [{ choices: [{ index: 0, delta: {}, finish_reason: 'stop' as const }] }]
        })(),
      }
    },
  }
  const goOn = () => {
    for (const resolve of waiting.splice(0)) resolve()
  }
  return { target: { provider, model: 'up' }, goOn }
}

/** Options, and what their observer heard. */
function options(name: string, more: Partial<GatewayOptions> = {}) {
  const events: GatewayEvent[] = []
  const place = outside(name)
  const given: GatewayOptions = {
    authenticate: () => ({ id: 'ann' }),
    route: models({ m: place.target }),
    observe: event => event.type !== 'begin' && events.push(event),
    ...more,
  }
  return { given, events, ...place }
}

const asked = (body: object = {}, base = '/v1') =>
  new Request(`http://sluice.test${base}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello!' }], ...body }),
  })
const contentOf = async (response: Response) => (await response.json()).choices[0].message.content

describe('gateway.reload', () => {
  it('takes base, models, route and observer of the new options at once', async () => {
    const [before, after] = [options('before'), options('after', { basePath: '/ai' })]
    const gateway = createGateway(before.given)
    expect([gateway.models, gateway.matches('/v1/models')]).toEqual([['m'], true])
    gateway.reload({ ...after.given, route: models({ large: after.target, small: after.target }) })
    expect(gateway.models).toEqual(['large', 'small'])
    expect([gateway.matches('/v1/models'), gateway.matches('/ai/models')]).toEqual([false, true])
    expect((await gateway.fetch(asked())).status).toBe(404)
    expect(await contentOf(await gateway.fetch(asked({ model: 'small' }, '/ai')))).toBe('after')
    expect([before.events, after.events]).toMatchObject([[], [{ type: 'end', outcome: 'completed' }]])
    await gateway.close()
  })

  it('lets a stream end with what it began with, and closes its transport then', async () => {
    const [before, after] = [options('before'), options('after')]
    const gateway = createGateway(before.given)
    const response = await gateway.fetch(asked({ stream: true }))
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    await reader.read()
    gateway.reload(after.given)
    expect(await contentOf(await gateway.fetch(asked()))).toBe('after')
    expect(made).toMatchObject([
      { closed: 0, calls: 1 },
      { closed: 0, calls: 1 },
    ])
    before.goOn()
    let rest = ''
    for (let read = await reader.read(); !read.done; read = await reader.read()) rest += read.value
    expect(rest).toContain('[DONE]')
    expect(before.events).toMatchObject([{ type: 'end', outcome: 'completed' }])
    await turn()
    expect(made).toMatchObject([{ closed: 1 }, { closed: 0 }])
    await gateway.close()
    expect(made).toMatchObject([{ closed: 1 }, { closed: 1 }])
  })

  it('finishes a request between two stages with what it began with', async () => {
    const after = options('after')
    let goOn = () => {}
    const gate = (value: unknown) =>
      new Promise<never>(resolve => {
        goOn = () => resolve(value as never)
      })
    for (const stage of ['authenticate', 'authorize', 'limits'] as const) {
      const values = {
        authenticate: () => gate({ id: 'ann' }),
        authorize: () => gate(true),
        limits: { admit: () => gate({ settle() {} }) },
      }
      const before = options('before', { [stage]: values[stage] })
      const gateway = createGateway(before.given)
      const answering = gateway.fetch(asked())
      await turn()
      gateway.reload(after.given)
      await turn()
      goOn()
      expect(await contentOf(await answering), stage).toBe('before')
      expect(before.events, stage).toHaveLength(1)
      await gateway.close()
    }
    expect(made.every(({ closed }) => closed === 1)).toBe(true)
  })

  it('gives back the room of a caller who leaves after it, and closes the old transport', async () => {
    const settled: unknown[] = []
    const limit = { admit: () => ({ settle: (usage: unknown) => void settled.push(usage) }) }
    const [before, after] = [options('before', { limits: limit }), options('after')]
    const gateway = createGateway(before.given)
    const response = await gateway.fetch(asked({ stream: true }))
    gateway.reload(after.given)
    expect(settled).toEqual([])
    await response.body!.cancel()
    await turn()
    expect(settled).toHaveLength(1)
    expect(before.events).toMatchObject([{ outcome: 'client_disconnected' }])
    expect(made).toMatchObject([{ closed: 1 }, { closed: 0 }])
    await gateway.close()
  })

  it('names every fault of options that it cannot use, and changes nothing', async () => {
    const before = options('before')
    const gateway = createGateway(before.given)
    const bad = {
      authenticate: 'me',
      route: undefined,
      limits: [{ kind: 'requests', limit: -1, per: 'minute' }],
      base: 'v1/',
      traceHeader: 3,
      timeouts: { idleMs: 0 },
      nothing: 1,
    } as unknown as GatewayOptions
    const named = [
      'authenticate',
      'route',
      'limits[0].limit',
      'base',
      'traceHeader',
      'timeouts.idleMs',
      'nothing',
    ]
    let message = ''
    expect(() => {
      try {
        gateway.reload(bad)
      } catch (error) {
        message = (error as Error).message
        throw error
      }
    }).toThrow(TypeError)
    for (const name of named) expect(message).toContain(`- ${name}: `)
    for (const wrong of [undefined, null, 7, {}, { ...before.given, limits: [{ kind: 'x' }] }]) {
      expect(() => gateway.reload(wrong as never)).toThrow(TypeError)
    }
    expect(made).toHaveLength(1)
    expect(await contentOf(await gateway.fetch(asked()))).toBe('before')
    expect(before.events).toHaveLength(1)
    await gateway.close()
  })

  it('F69: keeps the last good prices where the new ones are none', async () => {
    const before = options('before', { prices: priceTable({ m: { input: 1_000_000, output: 0 } }) })
    const gateway = createGateway(before.given)
    expect(() =>
      gateway.reload({ ...before.given, prices: priceTable({ m: { input: -1, output: 0 } }) }),
    ).toThrow(TypeError)
    expect(() => gateway.reload({ ...before.given, prices: { m: 1 } as never })).toThrow(
      /prices: got an object/,
    )
    await gateway.fetch(asked())
    expect(before.events).toMatchObject([{ cost: 3 }])
    await gateway.close()
  })

  it('closes nothing of the user, whose transport and ledger the new options may share', async () => {
    const told: string[] = []
    const transport: Transport = async () => ({
      status: 200,
      headers: { get: () => null },
      body: (async function* () {})(),
    })
    transport.close = async () => void told.push('transport closed')
    const ledger = { open() {}, close() {}, flush: () => void told.push('flush') }
    const shed = Object.assign(() => undefined, { close: () => void told.push('shed closed') })
    const shared = { transport, ledger, loadShedder: shed }
    const [before, after] = [options('before', shared), options('after', shared)]
    const gateway = createGateway(before.given)
    await gateway.fetch(asked())
    // Its entry is closed beside its answer.
    await turn()
    gateway.reload(after.given)
    await gateway.fetch(asked())
    await turn()
    expect(told).toEqual([])
    await gateway.close()
    expect(told).toEqual(['shed closed', 'flush'])
    expect(made).toEqual([])
  })

  it('flushes a ledger, and closes a load shedder, that the new options do not have', async () => {
    const told: string[] = []
    const ledger = { open() {}, close() {}, flush: () => void told.push('flush') }
    const shed = Object.assign(() => undefined, { close: () => void told.push('shed closed') })
    const gateway = createGateway(options('before', { ledger, loadShedder: shed }).given)
    gateway.reload(options('after').given)
    await turn()
    expect(told).toEqual(['shed closed', 'flush'])
    await gateway.close()
    expect(told).toHaveLength(2)
  })

  it('does so where the same object is given again, and was changed', async () => {
    const told: string[] = []
    const ledger = { open() {}, close() {}, flush: () => void told.push('flush') }
    const shed = Object.assign(() => undefined, { close: () => void told.push('shed closed') })
    const { ledger: _, loadShedder: __, ...others } = options('same').given
    const given: { -readonly [Name in keyof GatewayOptions]: GatewayOptions[Name] } = {
      ...others,
      ledger,
      loadShedder: shed,
    }
    const gateway = createGateway(given)
    delete given.ledger
    delete given.loadShedder
    gateway.reload(given)
    await turn()
    expect(told).toEqual(['shed closed', 'flush'])
    await gateway.close()
  })

  it('does not keep an old transport for a ledger that hangs, nor a lease that comes late', async () => {
    let unhang = () => {}
    const hanging = new Promise<void>(resolve => {
      unhang = resolve
    })
    const ledger = { open() {}, close: () => hanging }
    let admit = () => {}
    const settled: unknown[] = []
    const lease = { settle: (usage: unknown) => void settled.push(usage) }
    const late = new Promise<typeof lease>(resolve => {
      admit = () => resolve(lease)
    })
    const left = new AbortController()
    const [hung, slow] = [options('hung', { ledger }), options('slow', { limits: { admit: () => late } })]
    const gateway = createGateway(hung.given)
    await gateway.fetch(asked())
    gateway.reload(slow.given)
    const leaving = gateway.fetch(new Request(asked(), { signal: left.signal }))
    await turn()
    gateway.reload(options('after').given)
    left.abort()
    expect((await leaving).status).toBe(499)
    await turn()
    expect(made.map(({ closed }) => closed)).toEqual([1, 1, 0])
    admit()
    await turn()
    expect(settled).toEqual([undefined])
    unhang()
    await gateway.close()
    expect(made.map(({ closed }) => closed)).toEqual([1, 1, 1])
  })

  it('counts on where rules stay, with the requests that run', async () => {
    const rules = () => [requests(2).per('hour'), concurrent(1)]
    const [before, after] = [options('before', { limits: rules() }), options('after', { limits: rules() })]
    const gateway = createGateway(before.given)
    const response = await gateway.fetch(asked({ stream: true }))
    gateway.reload(after.given)
    expect((await gateway.fetch(asked())).status).toBe(429)
    await response.body!.cancel()
    expect((await gateway.fetch(asked())).status).toBe(200)
    expect((await gateway.fetch(asked())).status).toBe(429)
    await gateway.close()
  })

  it('keeps what is known of the health of places, and judges it by the new options', async () => {
    const { target, signals } = scripted(() =>
      Promise.reject(new UpstreamError('x', { kind: 'refused', status: 500 })),
    )
    const breaker = { failures: 2 }
    const { gateway, post } = serving(target, { breaker, retry: false })
    const next = (more: Partial<GatewayOptions>) =>
      gateway.reload({
        authenticate: () => ({ id: 'ann' }),
        route: models({ m: target }),
        retry: false,
        ...more,
      })
    await post({})
    next({ breaker })
    await post({})
    next({ breaker })
    expect((await post({})).status).toBe(503)
    expect(signals).toHaveLength(2)
    next({ breaker: false })
    expect((await post({})).status).toBe(502)
    expect(signals).toHaveLength(3)
  })

  it('leaks nothing over a thousand reloads under load', async () => {
    const gateway = createGateway(options('first').given)
    const heard: GatewayEvent[][] = []
    const places: { goOn(): void }[] = []
    const answers: Promise<string>[] = []
    let sent = 0
    for (let round = 0; round < 1_000; round++) {
      const next = options(`r${round}`)
      heard.push(next.events)
      places.push(next)
      gateway.reload(next.given)
      for (let index = 0; index < round % 3; index++) {
        sent++
        answers.push(gateway.fetch(asked({ stream: index === 0 })).then(response => response.text()))
      }
      if (round % 50 === 0) await turn()
      if (round % 100 === 99) for (const { goOn } of places) goOn()
    }
    await turn()
    const ending = setInterval(() => {
      for (const { goOn } of places) goOn()
    }, 1)
    const texts = await Promise.all(answers)
    clearInterval(ending)
    await turn()
    expect(texts.filter(text => text.includes('error'))).toEqual([])
    // The first, and each after it but the one that is in use.
    expect(made).toHaveLength(1_001)
    expect(made.map(({ closed }) => closed)).toEqual([...Array.from({ length: 1_000 }, () => 1), 0])
    expect(heard.flat()).toHaveLength(sent)
    await gateway.close()
    expect(made.at(-1)).toMatchObject({ closed: 1 })
  })

  it('throws when the gateway is closing or closed', async () => {
    const { target } = scripted(forever)
    const { gateway, post } = serving(target)
    const running = post({})
    await turn()
    expect(gateway.ready).toBe(true)
    const closing = gateway.close({ drainMs: 20 })
    expect(gateway.ready).toBe(false)
    expect(() => gateway.reload(options('after').given)).toThrow(TypeError)
    await Promise.all([closing, running])
    expect(() => gateway.reload(options('after').given)).toThrow('reload: the gateway is closed')
  })
})

describe('gateway.close', () => {
  it('ends what runs with old options too, and closes every transport', async () => {
    const [before, after] = [options('before'), options('after')]
    const gateway = createGateway(before.given)
    const answers = [await gateway.fetch(asked({ stream: true }))]
    gateway.reload(after.given)
    answers.push(await gateway.fetch(asked({ stream: true })))
    const texts = Promise.all(answers.map(answer => answer.text()))
    await gateway.close({ drainMs: 20 })
    for (const text of await texts) expect(text).toContain('error')
    for (const { events } of [before, after]) expect(events).toMatchObject([{ outcome: 'gateway_closed' }])
    expect(made.map(({ closed }) => closed)).toEqual([1, 1])
  })

  it('takes the shorter time of two calls', async () => {
    const { target } = scripted(forever)
    const { gateway, post, ends } = serving(target)
    const running = post({})
    await turn()
    const closings = [gateway.close({ drainMs: 60_000 }), gateway.close({ drainMs: 10 })]
    await Promise.all([...closings, running])
    expect(ends()).toMatchObject([{ outcome: 'gateway_closed' }])
  })
})
