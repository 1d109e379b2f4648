import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { WarningEvent } from '../../src/contracts/events.ts'
import type { Provider } from '../../src/contracts/provider.ts'
import type { RoutedTarget } from '../../src/contracts/route.ts'
import type {
  AttemptEnd,
  AttemptSpan,
  RequestSpan,
  Tracer,
  UpstreamCall,
} from '../../src/contracts/tracer.ts'
import type { UpstreamRequest } from '../../src/contracts/transport.ts'
import { UpstreamError } from '../../src/errors/upstream-error.ts'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import {
  forever,
  type Scripted,
  scripted,
  serving,
  stop,
  stream,
  text,
  turn,
  whole,
} from '../support/scripted-gateway.ts'

const failure = (status: number) => new UpstreamError('It failed.', { kind: 'refused', status })
const named = (model: string, { target }: Scripted, more: Partial<RoutedTarget> = {}): RoutedTarget => ({
  ...target,
  model,
  ...more,
})

/** Writes down what it is told, in order. */
function recording(headers?: AttemptSpan['headers']) {
  const told: string[] = []
  const asked: UpstreamCall[] = []
  const attemptEnds: AttemptEnd[] = []
  const requestEnds: Parameters<RequestSpan['end']>[] = []
  const tracer: Tracer = {
    start: request => {
      told.push(`start ${request.method}`)
      return {
        attempt: upstream => {
          asked.push(upstream)
          const { model, why } = upstream
          told.push(`${why} ${model}`)
          return {
            ...(headers && { headers }),
            firstContent: () => told.push(`${model} content`),
            end: end => {
              attemptEnds.push(end)
              told.push(`${model} ${end.outcome}`)
            },
          }
        },
        end: (...end) => {
          requestEnds.push(end)
          told.push(`end ${end[0].outcome}`)
        },
      }
    },
  }
  return { tracer, told, asked, attemptEnds, requestEnds }
}

function traced(
  candidates: readonly RoutedTarget[],
  options: Partial<GatewayOptions> = {},
  headers?: AttemptSpan['headers'],
) {
  const record = recording(headers)
  return { ...record, ...serving(candidates, { route: () => candidates, tracer: record.tracer, ...options }) }
}

describe('a tracer', () => {
  it('follows a whole answer, with what it used', async () => {
    const { post, told, attemptEnds, asked, requestEnds, events } = traced([
      named(
        'a',
        scripted(() => whole('hi')),
      ),
    ])
    const { id } = (await (await post({ temperature: 0.5 })).json()) as { id: string }
    expect(told).toEqual(['start POST', 'first a', 'a answered', 'end completed'])
    expect(asked).toMatchObject([
      { provider: 'scripted', model: 'a', why: 'first', input: { temperature: 0.5 }, address: undefined },
    ])
    expect(attemptEnds).toMatchObject([
      { error: undefined, usage: { prompt_tokens: 3 }, usageEstimated: false, finishReasons: ['stop'] },
    ])
    expect(requestEnds).toEqual([[events.at(-1), id]])
  })

  it('follows a stream to its end, and hears of its first content once', async () => {
    const usage = { choices: [], usage: { prompt_tokens: 7, completion_tokens: 2, reasoning_tokens: 1 } }
    const source = scripted(() => stream([text('a')], [text('b')], [stop, usage]))
    const { post, told, attemptEnds } = traced([named('a', source)])
    const response = await post({ stream: true })
    expect(told).toEqual(['start POST', 'first a', 'a content'])
    await response.text()
    expect(told.slice(3)).toEqual(['a answered', 'end completed'])
    expect(attemptEnds).toMatchObject([
      {
        usage: { prompt_tokens: 7, completion_tokens_details: { reasoning_tokens: 1 } },
        finishReasons: ['stop'],
      },
    ])
  })

  it('follows each retry and each fallback', async () => {
    const flaky = scripted((_, index) => (index < 2 ? Promise.reject(failure(503)) : whole('late')))
    // By then the wait of `a`, of a millisecond at most, is over, and its own begins.
    const b = scripted(async () => {
      await setTimeout(5)
      throw failure(500)
    })
    const { post, told, attemptEnds } = traced([named('a', flaky), named('b', b)], {
      retry: { baseMs: 1, maxMs: 1 },
    })
    expect((await post({})).status).toBe(503)
    expect(told).toEqual([
      ...['start POST', 'first a', 'a failed', 'fallback b', 'b failed', 'retry a', 'a failed'],
      'end upstream_failed',
    ])
    expect(attemptEnds.map(({ error }) => UpstreamError.is(error) && error.status)).toEqual([503, 500, 503])
    expect(attemptEnds.map(({ usage }) => usage)).toEqual([undefined, undefined, undefined])
  })

  it('follows both calls of a hedge, and the loser is cut off', async () => {
    const a = scripted(signal => forever(signal))
    const { post, told } = traced([
      named('a', a, { hedgeAfterMs: 5 }),
      named(
        'b',
        scripted(() => whole('b')),
      ),
    ])
    expect((await post({})).status).toBe(200)
    expect(told).toEqual(['start POST', 'first a', 'hedge b', 'a cut_off', 'b answered', 'end completed'])
  })

  it.each([false, true])('follows a shadow, whose end comes by itself, stream: %j', async streamed => {
    const reply = (said: string) => () => (streamed ? stream([text(said)], [stop]) : whole(said))
    const shadow = named('shadow', scripted(reply('x')))
    const { post, told, attemptEnds } = traced([named('a', scripted(reply('a')), { shadows: [shadow] })])
    await (await post({ stream: streamed })).text()
    await expect.poll(() => told.at(-1)).toBe('shadow answered')
    expect(told).toContain('shadow shadow')
    expect(told.filter(line => line === 'shadow content')).toHaveLength(streamed ? 1 : 0)
    expect(told.indexOf('end completed')).toBeGreaterThan(told.indexOf('a answered'))
    expect(attemptEnds.at(-1)).toMatchObject({
      usageEstimated: streamed,
      usage: { prompt_tokens: expect.any(Number) },
    })
  })

  it('hears that a stream breaks off, with what it used until then', async () => {
    const broken = scripted(() => stream([text('hello')], failure(500)))
    const { post, told, attemptEnds } = traced([named('a', broken)])
    await (await post({ stream: true })).text()
    expect(told).toEqual(['start POST', 'first a', 'a content', 'a failed', 'end upstream_failed'])
    expect(attemptEnds).toMatchObject([{ usageEstimated: true, finishReasons: [] }])
  })

  it('hears that a caller leaves, in mid stream and before', async () => {
    const source = scripted(signal => ({
      kind: 'stream',
      chunks: (async function* () {
        yield [text('a')]
        await forever(signal)
      })(),
    }))
    const streaming = traced([named('a', source)])
    const reader = (await streaming.post({ stream: true })).body!.getReader()
    await reader.read()
    await reader.cancel()
    expect(streaming.told).toEqual([
      'start POST',
      'first a',
      'a content',
      'a cut_off',
      'end client_disconnected',
    ])

    const left = new AbortController()
    const waiting = traced([named('a', scripted(forever))])
    const answering = waiting.post({}, { signal: left.signal })
    await turn()
    left.abort()
    expect((await answering).status).toBe(499)
    await turn()
    expect(waiting.told).toEqual(['start POST', 'first a', 'a cut_off', 'end client_disconnected'])
  })

  it('hears of requests that are refused, and of none for the list of models', async () => {
    const { post, told, requestEnds, gateway } = traced(
      [
        named(
          'a',
          scripted(() => whole('')),
        ),
      ],
      {
        authenticate: () => undefined,
      },
    )
    expect((await post({})).status).toBe(401)
    expect(told).toEqual(['start POST', 'end refused'])
    expect(requestEnds).toMatchObject([[{ status: 401 }, undefined]])
    await gateway.fetch(new Request('http://sluice.test/v1/models'))
    expect(told).toHaveLength(2)
  })

  it('has a request run within what it keeps for it', async () => {
    const kept = new AsyncLocalStorage<string>()
    const seen: unknown[] = []
    const within: RequestSpan['within'] = run => kept.run('ours', run)
    const tracer: Tracer = { start: () => ({ within, attempt: () => undefined, end: () => {} }) }
    const authenticate: GatewayOptions['authenticate'] = async () => {
      seen.push(kept.getStore())
      return { id: 'ann' }
    }
    const source = scripted(() => {
      seen.push(kept.getStore())
      return whole('a')
    })
    const { post } = serving(named('a', source), { tracer, authenticate })
    expect((await post({})).status).toBe(200)
    expect(seen).toEqual(['ours', 'ours'])
  })

  it('hears of no call that was not made', async () => {
    const encode: Provider['encode'] = () => {
      throw new Error('No.')
    }
    const { post, told } = traced([
      named(
        'a',
        scripted(() => whole(''), { encode }),
      ),
    ])
    expect((await post({})).status).toBe(500)
    expect(told).toEqual(['start POST', 'end internal_error'])
  })

  it('learns host and port of an upstream, and nothing else of its address', async () => {
    const at = (url: string) => {
      const encode: Provider['encode'] = () => ({ method: 'POST', url, headers: {} })
      return named(
        url,
        scripted(() => whole(''), { encode }),
      )
    }
    for (const [url, address, port] of [
      ['https://user:pw@llm.example/v1/chat?key=sk-1', 'llm.example', 443],
      ['http://[::1]:8080/v1', '::1', 8080],
      ['http://127.0.0.1', '127.0.0.1', 80],
      ['http://', undefined, undefined],
    ] as const) {
      const { post, asked } = traced([at(url)])
      await post({})
      const { input: _, model: __, ...rest } = asked[0]!
      // The route of the test is a function without lists.
      expect(rest).toEqual({ provider: 'scripted', why: 'first', unlisted: true, address, port })
    }
  })
})

describe('headers of a tracer', () => {
  it('go with the request, beside those of the provider', async () => {
    const sent: UpstreamRequest[] = []
    const encode: Provider['encode'] = () => ({
      method: 'POST',
      url: 'scripted:',
      headers: { authorization: 'AWS4-HMAC-SHA256 SignedHeaders=host', Tracestate: 'own' },
    })
    const transport: Provider['transport'] = async request => {
      sent.push(request)
      return { status: 200, headers: { get: () => null }, body: (async function* () {})() }
    }
    const source = scripted(() => whole('a'), { encode, transport, decode: () => whole('a') })
    const headers = { traceparent: '00-1', tracestate: 'other', host: 'elsewhere' }
    const { post, events } = traced([named('a', source)], {}, headers)
    expect((await post({})).status).toBe(200)
    expect(sent.map(request => request.headers)).toEqual([
      { authorization: 'AWS4-HMAC-SHA256 SignedHeaders=host', Tracestate: 'own', traceparent: '00-1' },
    ])
    expect(events.filter(({ type }) => type === 'warning')).toMatchObject([
      { code: 'tracer_failed', error: { message: expect.stringContaining('"host"') } },
    ])
  })
})

describe('a tracer that fails', () => {
  const fails = () => {
    throw new Error('The tracer is broken.')
  }
  const ends = { attempt: () => undefined, end: () => {} }
  const attempts = (attempt: unknown): Tracer => ({
    start: () => ({ attempt: () => attempt as AttemptSpan, end: () => {} }),
  })
  it.each<[string, Tracer]>([
    ['at the start', { start: fails }],
    ['with a promise', { start: (async () => fails()) as unknown as Tracer['start'] }],
    ['with what is no span', { start: () => ({}) as RequestSpan }],
    ['before what it runs', { start: () => ({ ...ends, within: fails }) }],
    ['after what it runs', { start: () => ({ ...ends, within: run => [run(), fails()] }) }],
    ['at an attempt', { start: () => ({ ...ends, attempt: fails }) }],
    ['with what is no attempt', attempts(null)],
    ['at the first content', attempts({ firstContent: fails, end: () => {} })],
    ['at the end of an attempt', attempts({ end: fails })],
    ['at the end', { start: () => ({ ...ends, end: fails }) }],
    ['at the end, in a promise', { start: () => ({ ...ends, end: async () => fails() }) }],
    ['at the end of an attempt, in a promise', attempts({ end: async () => fails() })],
    ['at the first content, in a promise', attempts({ firstContent: async () => fails(), end: () => {} })],
    [
      'around what it runs, in a promise',
      { start: () => ({ ...ends, within: async run => [run(), fails()] }) },
    ],
    [
      'with its headers',
      attempts({
        get headers() {
          return fails()
        },
        end: () => {},
      }),
    ],
    ['with headers that are none', attempts({ headers: null, end: () => {} })],
  ])('%s fails no request, and is told of once', async (_, tracer) => {
    const source = scripted(() => stream([text('a')], [stop]))
    const { post, events, ends } = serving(named('a', source), { tracer })
    for (const _ of [1, 2]) {
      expect(await (await post({ stream: true })).text()).toContain('[DONE]')
    }
    expect(ends()).toMatchObject([{ outcome: 'completed' }, { outcome: 'completed' }])
    const warnings = events.filter((event): event is WarningEvent => event.type === 'warning')
    expect(warnings).toMatchObject([{ code: 'tracer_failed', error: expect.any(Error) }])
  })

  it.each([0, 2])('answers once, although it runs what answers %i times', async times => {
    const source = scripted(() => whole('a'))
    const within = (run: () => void) => {
      for (let time = 0; time < times; time++) run()
    }
    const { post } = serving(named('a', source), { tracer: { start: () => ({ ...ends, within }) } })
    expect((await post({})).status).toBe(200)
    expect(source.inputs).toHaveLength(1)
  })

  it('answers once, although it runs what answers later', async () => {
    const later: (() => void)[] = []
    const within = (run: () => void) => void later.push(run)
    let asked = 0
    const authenticate = () => {
      asked++
      return { id: 'ann' }
    }
    const source = scripted(() => whole('a'))
    const tracer: Tracer = { start: () => ({ ...ends, within }) }
    const { post } = serving(named('a', source), { tracer, authenticate })
    expect((await post({})).status).toBe(200)
    for (const run of later) run()
    expect(asked).toBe(1)
  })

  it('is refused where it is no tracer', () => {
    const tracer = (() => undefined) as unknown as Tracer
    expect(() =>
      serving(
        named(
          'a',
          scripted(() => whole('')),
        ),
        { tracer },
      ),
    ).toThrow(/tracer: got a function, expected a tracer, such as openTelemetry\(\)\.tracer/)
  })
})
