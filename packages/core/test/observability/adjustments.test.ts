import { describe, expect, it } from 'vitest'
import type { EndEvent } from '../../src/contracts/events.ts'
import type { Adjustment, EncodedRequest, Provider, Reply } from '../../src/contracts/provider.ts'
import { GatewayError } from '../../src/errors/errors.ts'
import { UpstreamError } from '../../src/errors/upstream-error.ts'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { models } from '../../src/routing/models.ts'

const dropped = (parameter: string): Adjustment => ({ parameter, action: 'dropped' })
const request = { method: 'POST', url: 'scripted:', headers: {} } as const
const adjusted = (...parameters: string[]): EncodedRequest => ({
  ...request,
  adjustments: parameters.map(dropped),
})

const whole: Reply = {
  kind: 'completion',
  completion: { choices: [{ index: 0, message: { content: 'Hi.' }, finish_reason: 'stop' }] },
}
async function* chunks() {
  yield [{ choices: [{ index: 0, delta: { content: 'Hi.' }, finish_reason: 'stop' as const }] }]
}

/** A provider that answers in process. */
function provider(encode: Provider['encode'], fails = false): Provider {
  return {
    name: 'scripted',
    encode,
    transport: async () => ({ status: 200, headers: { get: () => null }, body: (async function* () {})() }),
    decode: (_response, { input }) => {
      if (fails) throw new UpstreamError('No.', { kind: 'refused', status: 500 })
      return input.stream === true ? { kind: 'stream', chunks: chunks() } : whole
    },
  }
}

/** What is told of one request: in the head of its answer, and in its record. */
async function told(
  providers: readonly Provider[],
  body: object = {},
  options: Partial<GatewayOptions> = {},
) {
  const ends: EndEvent[] = []
  const gateway = createGateway({
    authenticate: () => ({ id: 'ann' }),
    route: models({ m: providers.map(provider => ({ provider, model: 'm' })) }),
    observe: event => {
      if (event.type === 'end') ends.push(event)
    },
    retry: false,
    ...options,
  })
  const response = await gateway.fetch('http://sluice.test/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...body }),
  })
  const text = await response.text()
  const header = response.headers.get('x-sluice-adjustments')
  return { status: response.status, header, text, ends, adjustments: ends[0]?.adjustments }
}

const failing = provider(() => adjusted('seed'), true)
const refusing = provider(() => {
  throw new GatewayError('unsupported_parameter', { param: 'n' })
})

describe('what was adjusted', () => {
  it.each([false, true])(
    'for a target before is not told of one that refuses by itself (stream: %s)',
    async stream => {
      const { status, header, adjustments } = await told([failing, refusing], { stream })
      expect([status, header, adjustments]).toEqual([400, null, []])
    },
  )

  it('is not told of while a target has not yet been asked', async () => {
    let answer: (request: EncodedRequest) => void = () => {}
    const asking = provider(
      () =>
        new Promise(resolve => {
          answer = resolve
        }),
    )
    const seen: string[] = []
    const gateway = createGateway({
      authenticate: () => ({ id: 'ann' }),
      route: models({ m: { provider: asking, model: 'm' } }),
      observe: event => {
        if (event.type === 'end') seen.push(...event.adjustments.map(({ parameter }) => parameter))
      },
      stream: { keepAliveMs: 10 },
    })
    const response = await gateway.fetch('http://sluice.test/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"model":"m","stream":true,"messages":[{"role":"user","content":"Hi"}]}',
    })
    // The head was sent before the request was written: only the record can still have it.
    expect(response.headers.get('x-sluice-adjustments')).toBeNull()
    answer(adjusted('user'))
    expect(await response.text()).toContain('Hi.')
    expect(seen).toEqual(['user'])
  })

  it('is bounded in the record, as callers choose names and how many there are', async () => {
    const names = Array.from({ length: 1_500 }, (_, index) => `field ${index}`)
    const many = await told([provider(() => adjusted(...names))])
    expect(many.adjustments).toHaveLength(1_001)
    expect(many.adjustments?.[999]).toEqual(dropped('field 999'))
    expect(many.adjustments?.[1_000]).toEqual({ parameter: '*', action: 'dropped', detail: '500 more' })
    const more = Number(/"\*";more=(\d+)$/.exec(many.header ?? '')?.[1])
    expect(many.header?.split('action=')).toHaveLength(1_500 - more + 1)
    const long = 'x'.repeat(100_000)
    const adjustments = [{ parameter: long, action: 'mapped', detail: long }, dropped('seed')] as const
    expect((await told([provider(() => ({ ...request, adjustments }))])).adjustments).toEqual([
      { parameter: `${'x'.repeat(200)}...`, action: 'mapped', detail: `${'x'.repeat(200)}...` },
      dropped('seed'),
    ])
  })

  it.each<[string, unknown]>([
    ['no list', 'seed'],
    ['no objects', [null]],
    ['no name', [{ parameter: 7, action: 'dropped' }]],
    ['a detail that is no text', [{ parameter: 'seed', action: 'mapped', detail: 8192 }]],
  ])("is a provider's fault where it is %s: 500, and nothing is asked", async (_name, adjustments) => {
    const odd = provider(() => ({ ...request, adjustments }) as never)
    const { status, text, ends } = await told([odd])
    expect(status).toBe(500)
    expect(JSON.parse(text)).toMatchObject({ error: { type: 'server_error' } })
    expect(ends).toMatchObject([
      { outcome: 'internal_error', error: expect.any(TypeError), attempts: [{ called: false }] },
    ])
  })
})

describe('a provider that has to ask elsewhere first', () => {
  it('has as long as for a first byte; then the next target is asked', async () => {
    let reason: unknown
    const hanging = provider(
      ({ signal }) =>
        new Promise(() => {
          signal?.addEventListener('abort', () => {
            reason = signal.reason
          })
        }),
    )
    const timeouts = { firstByteMs: 20 }
    expect(await told([hanging, provider(() => adjusted('user'))], {}, { timeouts })).toMatchObject({
      status: 200,
      header: '"user";action=dropped',
    })
    expect(reason).toMatchObject({
      kind: 'first_byte_timeout',
      message: 'The request was not written in 20 ms (timeouts.firstByteMs).',
    })
    expect(await told([hanging], { stream: true }, { timeouts })).toMatchObject({ status: 504 })
  })
})
