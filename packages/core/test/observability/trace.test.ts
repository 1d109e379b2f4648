import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Provider, Target } from '../../src/contracts/provider.ts'
import type { Route } from '../../src/contracts/route.ts'
import { GatewayError } from '../../src/errors/errors.ts'
import { UpstreamError } from '../../src/errors/upstream-error.ts'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import { seededRandom } from '../../src/primitives/seeded-random.ts'
import { forever, scripted, serving, stop, stream, text, whole } from '../support/scripted-gateway.ts'

const model = 'upstream-model'
const fine = (name: string) => scripted(() => whole('Hi.'), { name }).target
const failing = (name: string, error: unknown, more: Partial<Provider> = {}) =>
  scripted(() => Promise.reject(error), { name, ...more }).target
const down = (name: string) => failing(name, new UpstreamError('x', { kind: 'refused', status: 500 }))
const traceOf = (response: Response) => JSON.parse(response.headers.get('x-sluice-trace') ?? 'null')

describe('the trace of a request', () => {
  it('tells the candidates in order, also those that were not needed', async () => {
    const { post, ends } = serving([down('a'), fine('b'), fine('c')])
    await post({})
    const { trace, attempts } = ends()[0]!
    expect(trace.candidates).toEqual(['a', 'b', 'c'].map(provider => ({ provider, model })))
    expect(attempts.map(({ provider }) => provider)).toEqual(['a', 'b'])
  })

  it('tells why places were skipped: as they are left alone, unfit, or not chosen', async () => {
    const blind: Target = { ...fine('blind'), capabilities: { tools: false } }
    const [open, good, other] = [down('open'), fine('good'), fine('other')]
    const route: Route = (_, { skip }) => {
      skip(other, { why: 'not_chosen', detail: 'by the wind' })
      return [open, blind, good]
    }
    const { post, ends } = serving(good, { route, breaker: { failures: 1 }, retry: false })
    const tools = [{ type: 'function', function: { name: 'f' } }]
    await post({ tools })
    await post({ tools })
    const [first, second] = ends().map(({ trace }) => trace.candidates)
    expect(first).toEqual([
      { provider: 'open', model },
      { provider: 'blind', model, skipped: { why: 'unfit', detail: expect.any(String) } },
      { provider: 'good', model },
      { provider: 'other', model, skipped: { why: 'not_chosen', detail: 'by the wind' } },
    ])
    expect(second).toEqual([
      { provider: 'open', model, skipped: { why: 'open', waitMs: expect.any(Number), detail: 'overloaded' } },
      ...first!.slice(1),
    ])
    expect(ends()[1]!.attempts.map(({ provider }) => provider)).toEqual(['good'])
  })

  it('tells what this service took, without the wait for an upstream', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const after = <T>(ms: number, value: T) => new Promise<T>(resolve => setTimeout(() => resolve(value), ms))
    const slow = scripted(() => after(100, whole('Hi.')))
    const { post, ends } = serving(slow.target, { authenticate: () => after(7, { id: 'ann' }) })
    const answering = post({})
    await vi.advanceTimersByTimeAsync(107)
    await answering
    const { trace, timings } = ends()[0]!
    expect([timings.firstByte, trace.overheadMs]).toEqual([107, 7])
  })

  it('has no overhead where there was no answer, and no candidates where none were looked for', async () => {
    const { post, ends } = serving(down('a'), { retry: false })
    await post({})
    await post({ model: 7 })
    const seed = expect.any(Number)
    expect(ends().map(({ trace }) => trace)).toEqual([
      { seed, candidates: [{ provider: 'a', model }], overheadMs: undefined },
      { seed, candidates: [], overheadMs: undefined },
    ])
  })

  it('holds the seed that decided, for members that are taken one by one', async () => {
    const a = fine('a')
    const drawn: number[] = []
    let draws = 0
    const random = () => {
      draws++
      return 0.25
    }
    const route: Route = (_, { random: next }) => {
      drawn.push(next(), next())
      return [a]
    }
    const { post, ends } = serving(a, { route, random })
    await post({})
    const again = seededRandom(ends()[0]!.trace.seed)
    expect(drawn).toEqual([again(), again()])
    expect([draws, ends()[0]!.trace.seed]).toEqual([1, 2 ** 30])
  })

  it('is a 500 where a route says what is no reason', async () => {
    const route = ((_, { skip }) => {
      skip(fine('a'), undefined as never)
      return [fine('b')]
    }) as Route
    const { post, ends } = serving(fine('a'), { route })
    expect((await post({})).status).toBe(500)
    expect(ends()).toMatchObject([{ outcome: 'internal_error', error: expect.any(TypeError) }])
  })
})

describe('the header x-sluice-trace', () => {
  it('is not there where nobody asked for it', async () => {
    const { post } = serving(fine('a'))
    expect((await post({})).headers.has('x-sluice-trace')).toBe(false)
  })

  it('tells a whole answer what its event tells', async () => {
    const { post, ends } = serving([down('a'), fine('b')], { traceHeader: true })
    const told = traceOf(await post({}))
    const { trace } = ends()[0]!
    expect(told).toMatchObject({ seed: trace.seed, candidates: trace.candidates })
    expect(told.overheadMs).toBeCloseTo(trace.overheadMs!, 2)
    expect(told.attempts).toMatchObject([
      { provider: 'a', model, called: true, why: 'first', status: 500, error: 'refused' },
      { provider: 'b', model, called: true, why: 'fallback' },
    ])
  })

  it('tells a stream what is known with its head', async () => {
    const { target } = scripted(() => stream([text('a')], [text('b'), stop]), { name: 'b' })
    const { post } = serving([down('a'), target], { traceHeader: true })
    const response = await post({ stream: true })
    const told = traceOf(response)
    expect(told.attempts).toMatchObject([{ provider: 'a', error: 'refused' }, { provider: 'b' }])
    expect(told.overheadMs).toBeGreaterThanOrEqual(0)
    await response.text()
  })

  it('tells a stream whose head had to be sent that its attempt goes on', async () => {
    const { target } = scripted(forever)
    const { post, gateway } = serving(target, { traceHeader: true, stream: { keepAliveMs: 5 } })
    const told = traceOf(await post({ stream: true }))
    expect(told.attempts).toMatchObject([{ called: true }])
    expect(told).not.toHaveProperty('overheadMs')
    await gateway.close({ drainMs: 0 })
  })

  it('is on refusals from routing on, and on none before', async () => {
    const nobody = { authenticate: () => undefined, traceHeader: true }
    expect((await serving(fine('a'), nobody).post({})).headers.has('x-sluice-trace')).toBe(false)
    const { post } = serving({ ...fine('a'), capabilities: { maxChoices: 1 } }, { traceHeader: true })
    expect((await post({ model: 7 })).headers.has('x-sluice-trace')).toBe(false)
    const unknown = await post({ model: 'x' })
    expect([unknown.status, traceOf(unknown).candidates]).toEqual([404, []])
    const unfit = await post({ n: 2 })
    expect([unfit.status, traceOf(unfit)]).toMatchObject([
      400,
      { attempts: [], candidates: [{ provider: 'a' }] },
    ])
    const failed = await serving(down('a'), { traceHeader: true, retry: false }).post({})
    expect([failed.status, traceOf(failed)]).toMatchObject([502, { attempts: [{ status: 500 }] }])
  })

  it('holds no key, host or word of a failure', async () => {
    const canary = 'canary-5e1f'
    const error = new UpstreamError(`${canary} in a message`, {
      kind: 'refused',
      status: 401,
      code: canary,
      type: canary,
      vendorMessage: canary,
      cause: new Error(canary),
    })
    const encode: Provider['encode'] = () => ({
      method: 'POST',
      url: `https://${canary}.test/?key=${canary}`,
      headers: { authorization: `Bearer ${canary}` },
    })
    const places = [
      failing('a', error, { encode }),
      failing('b', new Error(canary), { encode }),
      failing('c', new GatewayError('invalid_value', { message: canary, param: canary }), { encode }),
    ]
    for (const route of [places, ...places.map(place => [place])]) {
      const { post } = serving(route, { traceHeader: true, retry: false })
      const response = await post({ user: canary, messages: [{ role: 'user', content: canary }] })
      expect(response.headers.get('x-sluice-trace')).toContain('"attempts":[{')
      expect(response.headers.get('x-sluice-trace')).not.toContain(canary)
    }
  })

  it('is ASCII, and at most 4 KiB', async () => {
    const names = Array.from({ length: 90 }, (_, index) => fine(`Größe ${index} \u{1f30a}`))
    const { post } = serving(names, { traceHeader: true })
    const value = (await post({})).headers.get('x-sluice-trace')!
    expect(value).toMatch(/^[\x20-\x7e]{3000,4096}$/)
    expect(JSON.parse(value)).toMatchObject({
      truncated: true,
      attempts: [{ provider: 'Größe 0 \u{1f30a}' }],
    })
  })

  it('is there for whom a function says so', async () => {
    const { post } = serving(fine('a'), {
      authenticate: request => ({ id: request.headers.get('x-name') ?? 'ann' }),
      traceHeader: ({ id }) => id === 'eve',
    })
    const headers = { 'content-type': 'application/json', 'x-name': 'eve' }
    expect((await post({})).headers.has('x-sluice-trace')).toBe(false)
    expect((await post({}, { headers })).headers.has('x-sluice-trace')).toBe(true)
  })

  it.each<[string, unknown]>([
    [
      'throws',
      () => {
        throw new Error('x')
      },
    ],
    ['rejects', () => Promise.reject(new Error('x'))],
    ['gives a promise', async () => true],
    ['gives what is only like true', () => 1],
  ])('is not there where the function %s, which is told once until it works', async (_, fails) => {
    let works = false
    const traceHeader = ((principal: never) =>
      works || (fails as (principal: never) => unknown)(principal)) as GatewayOptions['traceHeader'] & {}
    const { post, events } = serving(fine('a'), { traceHeader })
    const has = async () => (await post({})).headers.has('x-sluice-trace')
    expect([await has(), await has()]).toEqual([false, false])
    works = true
    expect(await has()).toBe(true)
    works = false
    expect(await has()).toBe(false)
    const warnings = events.filter(({ type }) => type === 'warning')
    expect(warnings).toMatchObject(
      [1, 2].map(() => ({ code: 'trace_header_failed', error: expect.any(Error) })),
    )
  })

  it('refuses an option that is neither', () => {
    expect(() => serving(fine('a'), { traceHeader: 'yes' as never })).toThrow(
      "traceHeader: got 'yes', expected true, false or a function",
    )
  })
})
