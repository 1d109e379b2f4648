import { describe, expect, it, vi } from 'vitest'
import type { LoadShedder, LoadSnapshot } from '../../src/contracts/load-shedder.ts'
import { GatewayError } from '../../src/errors/errors.ts'
import { inFlightCap } from '../../src/rate-limiting/load-shedding.ts'
import { forever, scripted, serving, turn, whole } from '../support/scripted-gateway.ts'

const answering = () => scripted(() => whole('Hi')).target
const notRead = {
  duplex: 'half',
  body: new ReadableStream({
    pull() {
      throw new Error('The body was read.')
    },
  }),
} as RequestInit

describe('a gateway that sheds', () => {
  it('refuses before it asks who is there, and reads nothing', async () => {
    const authenticate = vi.fn(() => ({ id: 'ann' }))
    const onPrincipal = vi.fn()
    const { gateway, ends } = serving(answering(), { loadShedder: () => 'the disk is full', authenticate })
    const request = new Request('http://sluice.test/v1/chat/completions', { method: 'POST', ...notRead })
    const response = await gateway.fetch(request, { onPrincipal })
    expect(response.status).toBe(503)
    expect(await response.text()).not.toContain('disk')
    expect(request.bodyUsed).toBe(false)
    expect(authenticate).not.toHaveBeenCalled()
    expect(onPrincipal).not.toHaveBeenCalled()
    expect(ends()).toMatchObject([
      { outcome: 'refused', status: 503, principal: undefined, model: undefined, attempts: [], cost: null },
    ])
    const error = ends()[0]?.error
    expect(GatewayError.is(error) && [error.reason, error.cause]).toEqual([
      'service_overloaded',
      'the disk is full',
    ])
  })

  it.each([
    [0, '1', '1000'],
    [0.25, '2', '2000'],
    [0.5003, '4', '3001'],
    [0.999_999, '5', '4999'],
  ])('spreads those that it refuses over time: %d', async (drawn, seconds, ms) => {
    const { post } = serving(answering(), { loadShedder: () => 'full', random: () => drawn })
    const { headers } = await post({})
    expect([headers.get('retry-after'), headers.get('retry-after-ms')]).toEqual([seconds, ms])
  })

  it('does not refuse the models, nor tell a wrong path from its load', async () => {
    const { gateway } = serving(answering(), { loadShedder: () => 'full' })
    const status = async (method: string, path: string) =>
      (await gateway.fetch(new Request(`http://sluice.test/v1${path}`, { method }))).status
    expect(await status('GET', '/models')).toBe(200)
    expect(await status('GET', '/models/m')).toBe(200)
    expect(await status('GET', '/chat/completions')).toBe(405)
    expect(await status('POST', '/elsewhere')).toBe(404)
  })

  it('tells how many requests are being answered, until each has ended', async () => {
    const loads: LoadSnapshot[] = []
    const held = scripted(signal => forever(signal))
    const leaving = [new AbortController(), new AbortController()]
    const { post } = serving(held.target, { loadShedder: load => void loads.push(load) })
    const answers = leaving.map(({ signal }) => post({}, { signal }))
    await turn()
    for (const each of leaving) each.abort()
    await Promise.all(answers)
    const last = new AbortController()
    const again = post({}, { signal: last.signal })
    last.abort()
    await again
    // Each is asked about twice, as its body has to be waited for: the last one leaves before it has arrived.
    expect(loads.map(({ inFlight }) => inFlight)).toEqual([0, 0, 0, 1, 0])
    expect(loads).toEqual(loads.map(({ inFlight }) => ({ inFlight })))
  })

  it('lets in again as soon as there is room', async () => {
    const upstream = scripted((signal, index) => (index < 2 ? forever(signal) : whole('Hi')))
    const { post, ends } = serving(upstream.target, { loadShedder: inFlightCap(2) })
    const left = new AbortController()
    const first = post({}, { signal: left.signal })
    const second = post({}, { signal: left.signal })
    await turn()
    expect((await post({})).status).toBe(503)
    expect((await post({})).status).toBe(503)
    left.abort()
    await Promise.all([first, second])
    expect((await post({})).status).toBe(200)
    expect(ends().map(({ outcome }) => outcome)).toEqual([
      'refused',
      'refused',
      'client_disconnected',
      'client_disconnected',
      'completed',
    ])
  })

  const broken = new Error('broken')
  it.each<[string, unknown, unknown]>([
    [
      'throws',
      () => {
        throw broken
      },
      broken,
    ],
    [
      'is async',
      async () => 'full',
      expect.objectContaining({ message: expect.stringMatching(/a promise/) }),
    ],
    ['rejects', () => Promise.reject(broken), expect.any(TypeError)],
    ['says false', () => false, expect.objectContaining({ message: expect.stringMatching(/boolean/) })],
  ])('lets in where its shedder %s, and tells so once', async (_, shed, error) => {
    const { post, events } = serving(answering(), { loadShedder: shed as LoadShedder })
    expect([(await post({})).status, (await post({})).status]).toEqual([200, 200])
    await turn()
    expect(events.filter(({ type }) => type === 'warning')).toEqual([
      { type: 'warning', code: 'load_shedder_failed', message: expect.any(String), error },
    ])
  })

  it.each([
    [
      'throws',
      () => {
        throw broken
      },
    ],
    ['rejects', () => Promise.reject(broken)],
  ])('closes where its shedder %s as it is closed, and reports that', async (_, close) => {
    const loadShedder: LoadShedder = Object.assign(() => undefined, { close })
    const { gateway, events } = serving(answering(), { loadShedder })
    await gateway.close({ drainMs: 0 })
    await turn()
    expect(events).toMatchObject([{ type: 'warning', code: 'load_shedder_failed', error: broken }])
  })

  it('tells again that its shedder fails, once it has worked', async () => {
    let works = false
    const { post, events } = serving(answering(), {
      loadShedder: () => {
        if (works) return undefined
        throw broken
      },
    })
    for (const now of [false, false, true, true, false, false]) {
      works = now
      await post({})
    }
    expect(events.filter(({ type }) => type === 'warning')).toHaveLength(2)
  })

  it('closes its shedder when it is closed, whatever that says', async () => {
    const close = vi.fn(() => {
      throw broken
    })
    const { gateway } = serving(answering(), { loadShedder: Object.assign(() => undefined, { close }) })
    expect(close).not.toHaveBeenCalled()
    await gateway.close()
    expect(close).toHaveBeenCalledTimes(1)
  })

  it('refuses an option that is no function', () => {
    expect(() => serving(answering(), { loadShedder: 500 as never })).toThrow(
      'loadShedder: got 500, expected a function',
    )
  })
})

describe('inFlightCap', () => {
  it('has room up to so many', () => {
    const cap = inFlightCap(3)
    expect([0, 2].map(inFlight => cap({ inFlight }))).toEqual([undefined, undefined])
    expect(cap({ inFlight: 3 })).toBe('3 requests in flight')
    expect(cap({ inFlight: 9 })).toBe('9 requests in flight')
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '3' as never])('refuses %s', most => {
    expect(() => inFlightCap(most)).toThrow(TypeError)
  })
})
