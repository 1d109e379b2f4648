import { context, trace } from '@opentelemetry/api'
import { hedge, priceTable, requests } from '@sluice/core'
import { bedrock, local, openaiCompatible } from '@sluice/providers'
import { chunks, sse, steps, type Upstream, usage } from '@sluice/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { bedrockSigner, bedrockStandIn } from '../../../packages/providers/test/vendors/stand-ins/bedrock.ts'
import { upstreamDuring } from '../../resilience/faults/harness/upstream.ts'
import type { Received, ReceivedPoint, ReceivedSpan } from './otlp-collector.ts'
import { callerKey, type TracedService, tracedService, upstreamKey } from './traced-service.ts'

// Names, kinds, units and types are written out here as the conventions have them, and not taken from the sources.

const internal = 1
const server = 2
const client = 3
const failed = 2
const string = (value: string): Received => ({ string: value })
const int = (value: number): Received => ({ int: value })
const strings = (...values: string[]): Received => ({ array: values.map(string) })

const placeAt = (name: string, { baseURL }: Upstream, model = `${name}-model`) =>
  openaiCompatible({ name, baseURL, apiKey: upstreamKey })(model)

/** A caller's trace. */
const traceId = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${traceId}-b7ad6b7169203331-01`

async function ended({ ends }: TracedService, count = 1): Promise<void> {
  await vi.waitFor(() => expect(ends).toHaveLength(count), 5_000)
}

/** Each attribute of a span has to be one of those that are expected, and of their type. */
function told({ attributes }: ReceivedSpan): Readonly<Record<string, Received>> {
  const { 'sluice.request.id': id, ...rest } = attributes
  if (id !== undefined) expect(id.string).toMatch(/^req_\w+$/)
  return rest
}

/** What was sent on to an upstream is the context of that span. */
function expectCarried(upstream: Upstream, span: ReceivedSpan, index = 0): void {
  expect(upstream.requests[index]?.headers.traceparent).toBe(`00-${span.traceId}-${span.spanId}-01`)
}

const series = (points: readonly ReceivedPoint[], metric: string) =>
  points.filter(point => point.metric === metric)

describe('spans and metrics that an OTLP endpoint receives', () => {
  it("have the caller's own id for its request beside ours", async () => {
    const upstream = await upstreamDuring()
    const service = await tracedService({ demo: placeAt('mistral', upstream) }, { clientRequestId: true })
    await (await service.post({ model: 'demo' }, { 'x-request-id': 'from-the-caller' })).text()
    const { spans } = await service.received()
    const request = spans.find(({ kind }) => kind === server)
    expect(request?.attributes).toMatchObject({
      'sluice.request.id': string(service.ends[0]!.requestId),
      'sluice.client_request.id': string('from-the-caller'),
    })
    // A vendor learns neither.
    expect(JSON.stringify(upstream.requests[0]?.headers)).not.toContain('from-the-caller')
  })

  it('name the Responses API, and no text of a conversation that is restored', async () => {
    const upstream = await upstreamDuring(steps.answer({ usage: usage(90, 12) }))
    const service = await tracedService({ demo: placeAt('mistral', upstream) })
    const post = (body: object) =>
      fetch(`${service.serving.url}/v1/responses`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${callerKey}` },
        body: JSON.stringify({ model: 'demo', input: 'prompt-canary', ...body }),
      })
    const { id } = (await (await post({})).json()) as { id: string }
    const next = (await (await post({ previous_response_id: id })).json()) as { id: string }
    const { spans } = await service.received()
    const requests = spans.filter(({ kind }) => kind === server)
    expect(requests.map(({ name, attributes }) => [name, attributes['sluice.dialect']])).toEqual([
      ['chat demo', string('responses')],
      ['chat demo', string('responses')],
    ])
    expect(requests.map(({ attributes }) => attributes['gen_ai.response.id'])).toEqual([
      string(id),
      string(next.id),
    ])
    expect(JSON.stringify(spans)).not.toContain('canary')
    expect(service.ends.map(({ dialect, operation }) => [dialect, operation])).toEqual([
      ['responses', 'generate'],
      ['responses', 'generate'],
    ])
  })

  it('tell of a whole answer', async () => {
    const upstream = await upstreamDuring(steps.answer({ usage: usage(90, 12, 40, 5) }))
    const service = await tracedService(
      { demo: placeAt('mistral', upstream) },
      { prices: priceTable({ 'mistral/mistral-model': { input: 1, output: 2 } }) },
    )
    const response = await service.post(
      { model: 'demo', temperature: 0.5, max_completion_tokens: 64, seed: 7, stop: ['END'], n: 1 },
      { traceparent, tracestate: 'vendor=1', baggage: 'who=baggage-canary' },
    )
    const { id } = (await response.json()) as { id: string }
    const { spans, points } = await service.received()
    expect(spans).toHaveLength(2)
    const [call, request] = spans as [ReceivedSpan, ReceivedSpan]
    expect(request).toMatchObject({
      ...{
        traceId,
        parentSpanId: 'b7ad6b7169203331',
        name: 'chat demo',
        kind: server,
        status: 0,
        events: [],
      },
    })
    expect(told(request)).toEqual({
      'gen_ai.operation.name': string('chat'),
      'sluice.dialect': string('chat'),
      'gen_ai.request.model': string('demo'),
      'gen_ai.provider.name': string('mistral_ai'),
      'gen_ai.response.id': string(id),
      'gen_ai.response.model': string('upstream-model'),
      'http.request.method': string('POST'),
      'http.response.status_code': int(200),
      'sluice.outcome': string('completed'),
      'sluice.attempts': int(1),
      'sluice.cost.usd': { double: expect.closeTo((90 + 24) / 1e6, 12) },
    })
    expect(call).toMatchObject({
      ...{
        traceId,
        parentSpanId: request.spanId,
        name: 'chat mistral-model',
        kind: client,
        status: 0,
        events: [],
      },
    })
    expect(told(call)).toEqual({
      'gen_ai.operation.name': string('chat'),
      'gen_ai.provider.name': string('mistral_ai'),
      'gen_ai.request.model': string('mistral-model'),
      'gen_ai.request.temperature': { double: 0.5 },
      'gen_ai.request.max_tokens': int(64),
      'gen_ai.request.seed': int(7),
      'gen_ai.request.stop_sequences': strings('END'),
      'gen_ai.response.model': string('upstream-model'),
      'gen_ai.response.finish_reasons': strings('stop'),
      'gen_ai.usage.input_tokens': int(90),
      'gen_ai.usage.output_tokens': int(12),
      'gen_ai.usage.cache_read.input_tokens': int(40),
      'gen_ai.usage.reasoning.output_tokens': int(5),
      'server.address': string('127.0.0.1'),
      'server.port': int(upstream.port),
      'sluice.provider': string('mistral'),
      'sluice.attempt.reason': string('first'),
    })
    expectCarried(upstream, call)
    expect(upstream.requests[0]?.headers).toMatchObject({ tracestate: 'vendor=1' })
    expect(upstream.requests[0]?.headers.baggage).toBeUndefined()

    const about = {
      'gen_ai.operation.name': string('chat'),
      'gen_ai.provider.name': string('mistral_ai'),
      'gen_ai.request.model': string('mistral-model'),
    }
    const asked = {
      ...about,
      'sluice.dialect': string('chat'),
      'gen_ai.request.model': string('demo'),
    }
    const durations = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
    const tokens = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864]
    expect(points.map(({ metric }) => metric).sort()).toEqual([
      'gen_ai.client.operation.duration',
      'gen_ai.client.token.usage',
      'gen_ai.client.token.usage',
      'gen_ai.server.request.duration',
      'sluice.cost.usd',
    ])
    expect(series(points, 'gen_ai.client.token.usage')).toMatchObject([
      {
        unit: '{token}',
        sum: 90,
        bounds: tokens,
        attributes: { ...about, 'gen_ai.token.type': string('input') },
      },
      {
        unit: '{token}',
        sum: 12,
        bounds: tokens,
        attributes: { ...about, 'gen_ai.token.type': string('output') },
      },
    ])
    expect(series(points, 'gen_ai.client.operation.duration')).toEqual([
      expect.objectContaining({
        unit: 's',
        kind: 'histogram',
        count: 1,
        bounds: durations,
        attributes: about,
      }),
    ])
    expect(series(points, 'gen_ai.server.request.duration')).toEqual([
      expect.objectContaining({
        unit: 's',
        kind: 'histogram',
        count: 1,
        bounds: durations,
        attributes: asked,
      }),
    ])
    const spent = series(points, 'sluice.cost.usd')
    expect(spent).toMatchObject([{ kind: 'sum', unit: '{USD}', attributes: asked }])
    expect(spent[0]!.sum).toBeCloseTo((90 + 24) / 1e6, 12)
    // Durations are of this very request, in seconds.
    const measured = series(points, 'gen_ai.client.operation.duration')[0]!.sum * 1_000
    expect(Math.abs(measured - call.ms)).toBeLessThan(50)
  })

  it('tell of a stream, and when its first content came', async () => {
    const upstream = await upstreamDuring(steps.answer({ usage: usage(9, 12) }))
    const service = await tracedService({ demo: placeAt('acme', upstream) })
    await (
      await service.post({ model: 'demo', stream: true, response_format: { type: 'json_object' } })
    ).text()
    await ended(service)
    const { spans, points } = await service.received()
    const [call, request] = spans as [ReceivedSpan, ReceivedSpan]
    expect(request.parentSpanId).toBeUndefined()
    expect(told(request)).toMatchObject({ 'gen_ai.request.stream': { bool: true } })
    expect(told(call)).toMatchObject({
      'gen_ai.request.stream': { bool: true },
      'gen_ai.output.type': string('json'),
      'gen_ai.usage.output_tokens': int(12),
      'gen_ai.response.model': string('upstream-model'),
      'gen_ai.response.finish_reasons': strings('stop'),
      'gen_ai.response.time_to_first_chunk': { double: expect.any(Number) },
    })
    const first = Number(call.attributes['gen_ai.response.time_to_first_chunk']?.double) * 1_000
    expect(first).toBeGreaterThan(0)
    expect(first).toBeLessThanOrEqual(call.ms + 1)
    expectCarried(upstream, call)
    expect(series(points, 'gen_ai.client.operation.time_to_first_chunk')).toMatchObject([
      { unit: 's', count: 1 },
    ])
    expect(series(points, 'gen_ai.server.time_to_first_token')).toMatchObject([
      {
        unit: 's',
        count: 1,
        bounds: [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
      },
    ])
    expect(series(points, 'gen_ai.server.time_per_output_token')).toMatchObject([
      {
        unit: 's',
        count: 1,
        bounds: [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5],
      },
    ])
    expect(series(points, 'sluice.cost.unknown')).toMatchObject([{ sum: 1 }])
  })

  it('tell of each attempt, where the first one fails', async () => {
    const busy = await upstreamDuring(
      steps.reply({ error: { message: 'busy: vendor-canary' } }, { status: 503 }),
    )
    const well = await upstreamDuring(steps.answer())
    const service = await tracedService({ demo: [placeAt('north', busy), placeAt('south', well)] })
    expect((await service.post({ model: 'demo' })).status).toBe(200)
    const { spans, points } = await service.received()
    const [first, second, request] = spans as [ReceivedSpan, ReceivedSpan, ReceivedSpan]
    expect(first).toMatchObject({ name: 'chat north-model', kind: client, status: failed })
    expect(told(first)).toMatchObject({
      'error.type': string('503'),
      'sluice.attempt.reason': string('first'),
    })
    expect(told(first)).not.toHaveProperty('gen_ai.usage.input_tokens')
    expect(second).toMatchObject({ name: 'chat south-model', kind: client, status: 0 })
    expect(told(second)).toMatchObject({ 'sluice.attempt.reason': string('fallback') })
    expect([first, second].map(({ parentSpanId }) => parentSpanId)).toEqual([request.spanId, request.spanId])
    expect(request).toMatchObject({ status: 0 })
    expect(told(request)).toMatchObject({
      'sluice.attempts': int(2),
      'gen_ai.provider.name': string('south'),
    })
    expectCarried(busy, first)
    expectCarried(well, second)
    const durations = series(points, 'gen_ai.client.operation.duration')
    expect(durations.map(({ attributes }) => attributes['error.type'])).toEqual([string('503'), undefined])
  })

  it('tell of an answer that breaks off', async () => {
    const source = await upstreamDuring(steps.stream(sse(chunks({ text: 'Hello' })).slice(0, 2)))
    const service = await tracedService({ demo: placeAt('acme', source) })
    await (await service.post({ model: 'demo', stream: true })).text()
    const { spans } = await service.received()
    expect(spans).toMatchObject([
      { kind: client, status: failed, attributes: { 'error.type': string('truncated') } },
      { kind: server, status: failed, attributes: { 'error.type': string('truncated') } },
    ])
  })

  it('tell of a caller who leaves in mid stream, which is no failure', async () => {
    const upstream = await upstreamDuring([
      steps.stream(sse(chunks({ text: 'Hello' })).slice(0, 2)),
      steps.hang(),
    ])
    const service = await tracedService({ demo: placeAt('acme', upstream) })
    const left = new AbortController()
    const response = await service.post({ model: 'demo', stream: true }, {}, left.signal)
    await response.body!.getReader().read()
    left.abort()
    await ended(service)
    const { spans } = await service.received()
    expect(spans).toMatchObject([
      { kind: client, status: 0, attributes: { 'error.type': string('cut_off') } },
      {
        ...{ kind: server, status: 0 },
        attributes: {
          'error.type': string('client_disconnected'),
          'sluice.outcome': string('client_disconnected'),
        },
      },
    ])
    expect(told(spans[0]!)).toMatchObject({ 'sluice.usage.estimated': { bool: true } })
  })

  it('tell of refusals, which are no failures of the service', async () => {
    const upstream = await upstreamDuring(steps.answer())
    const service = await tracedService(
      { demo: placeAt('acme', upstream) },
      { limits: requests(1).per('hour') },
    )
    expect((await service.post({ model: 'demo' })).status).toBe(200)
    expect((await service.post({ model: 'demo' })).status).toBe(429)
    expect((await service.post({ model: 'unknown-model-canary' })).status).toBe(404)
    expect((await service.post({ model: 'demo' }, { authorization: 'Bearer wrong-key-canary' })).status).toBe(
      401,
    )
    const { spans, points } = await service.received()
    const refused = spans.filter(({ attributes }) => 'error.type' in attributes)
    expect(refused).toMatchObject([
      { name: 'chat demo', status: 0, attributes: { 'http.response.status_code': int(429) } },
      { name: 'chat', status: 0, attributes: { 'http.response.status_code': int(404) } },
      { name: 'chat', status: 0, attributes: { 'http.response.status_code': int(401) } },
    ])
    expect(
      series(points, 'gen_ai.server.request.duration').map(({ attributes }) => attributes),
    ).toMatchObject([
      { 'gen_ai.provider.name': string('acme') },
      { 'gen_ai.provider.name': string('sluice'), 'error.type': string('rate_limit_exceeded') },
      { 'gen_ai.provider.name': string('sluice'), 'error.type': string('model_not_found') },
      { 'gen_ai.provider.name': string('sluice'), 'error.type': string('invalid_api_key') },
    ])
    expect(service.collector.payload).not.toContain('canary')
  })

  it('tell of both calls of a hedge', async () => {
    const slow = await upstreamDuring(steps.hang())
    const quick = await upstreamDuring(steps.answer())
    const service = await tracedService({
      demo: hedge(placeAt('slow', slow), placeAt('quick', quick), { afterMs: 20 }),
    })
    expect((await service.post({ model: 'demo' })).status).toBe(200)
    const { spans, points } = await service.received()
    const [loser, winner, request] = spans as [ReceivedSpan, ReceivedSpan, ReceivedSpan]
    expect(loser).toMatchObject({ name: 'chat slow-model', status: 0, parentSpanId: request.spanId })
    expect(told(loser)).toMatchObject({ 'error.type': string('cut_off') })
    expect(told(winner)).toMatchObject({ 'sluice.attempt.reason': string('hedge') })
    expectCarried(slow, loser)
    expectCarried(quick, winner)
    expect(
      series(points, 'sluice.cost.unknown').map(({ attributes }) => attributes['sluice.discarded']),
    ).toEqual([{ bool: true }, undefined])
  })

  it('go on with a span of the host, as a part of its work', async () => {
    const upstream = await upstreamDuring(steps.answer())
    const seen: (string | undefined)[] = []
    const service = await tracedService(
      { demo: placeAt('acme', upstream) },
      {
        authenticate: () => {
          seen.push(trace.getActiveSpan()?.spanContext().spanId)
          return { id: 'ann' }
        },
      },
    )
    const around = service.tracerProvider.getTracer('host').startSpan('POST')
    const host = service.serving.server
    const own = host.listeners('request')
    host.removeAllListeners('request')
    host.on('request', (...given) =>
      context.with(trace.setSpan(context.active(), around), () => {
        for (const listener of own) listener.apply(host, given)
      }),
    )
    expect((await service.post({ model: 'demo' }, { traceparent })).status).toBe(200)
    around.end()
    const { spans } = await service.received()
    const request = spans.find(({ name }) => name === 'chat demo')!
    expect(request).toMatchObject({ kind: internal, parentSpanId: around.spanContext().spanId })
    expect(request.traceId).not.toBe(traceId)
    expect(told(request)).not.toHaveProperty('http.response.status_code')
    expect(seen).toEqual([request.spanId])
  })

  it('go beside the signature of a request, which holds', async () => {
    const vendor = await bedrockStandIn()
    onTestFinished(() => vendor.close())
    const { region, ...credentials } = bedrockSigner
    const place = bedrock({ region, credentials, baseURL: vendor.url })('amazon.nova-lite-v1:0')
    const service = await tracedService({ demo: place })
    expect((await service.post({ model: 'demo' })).status).toBe(200)
    const { spans } = await service.received()
    expect(vendor.requests[0]?.headers.traceparent).toBe(`00-${spans[0]!.traceId}-${spans[0]!.spanId}-01`)
    expect(vendor.requests[0]?.headers.authorization).not.toContain('traceparent')
    expect(told(spans[0]!)).toMatchObject({ 'gen_ai.provider.name': string('aws.bedrock') })
  })

  it('tell of a model in this process as of no call of another', async () => {
    const service = await tracedService({ demo: local()('demo') })
    await service.post({ model: 'demo' })
    const { spans } = await service.received()
    expect(spans).toMatchObject([{ name: 'chat demo', kind: internal }, { kind: server }])
    expect(told(spans[0]!)).not.toHaveProperty('server.address')
  })
})

describe('what leaves the process', () => {
  it('has no prompt, answer, key or tag that was not asked for', async () => {
    const broken = await upstreamDuring(
      steps.reply({ error: { message: 'vendor-canary' } }, { status: 500 }),
      steps.answer({ text: 'answer-canary' }),
    )
    const service = await tracedService({ demo: placeAt('acme', broken) })
    const body = { model: 'demo', user: 'user-canary', tools: [tool('tool-canary')] }
    expect((await service.post(body)).status).toBe(502)
    expect(await (await service.post(body)).text()).toContain('answer-canary')
    await service.received()
    const { payload } = service.collector
    expect(payload).toContain('chat demo')
    for (const secret of ['canary', callerKey, upstreamKey, 'ann']) expect(payload).not.toContain(secret)
  })

  it('has words, tags and the principal where they are asked for', async () => {
    const upstream = await upstreamDuring(steps.answer())
    const service = await tracedService(
      { demo: placeAt('acme', upstream) },
      {},
      { content: true, tags: ['team'], principal: true },
    )
    const messages = [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'image_url', image_url: { url: dataUrl } },
        ],
      },
      {
        role: 'assistant',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: '7' },
    ]
    expect((await service.post({ model: 'demo', messages, tools: [tool('f')] })).status).toBe(200)
    const { spans, points } = await service.received()
    const [call, request] = spans as [ReceivedSpan, ReceivedSpan]
    expect(JSON.parse(String(call.attributes['gen_ai.input.messages']?.string))).toEqual([
      { role: 'system', parts: [{ type: 'text', content: 'Be brief.' }] },
      { role: 'user', parts: [{ type: 'text', content: 'Hi' }, { type: 'image_url' }] },
      { role: 'assistant', parts: [{ type: 'tool_call', id: 'c', name: 'f', arguments: '{}' }] },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c', response: '7' }] },
    ])
    expect(JSON.parse(String(call.attributes['gen_ai.tool.definitions']?.string))).toMatchObject([
      { type: 'function', name: 'f' },
    ])
    expect(told(request)).toMatchObject({ 'sluice.tag.team': string('search'), 'enduser.id': string('ann') })
    expect(series(points, 'gen_ai.server.request.duration')[0]?.attributes).toMatchObject({
      'sluice.tag.team': string('search'),
    })
    expect(service.collector.payload).not.toMatch(/tag-canary|AAAA/)
  })

  it('is no trace for upstreams, or of callers, where that is not wanted', async () => {
    const [north, south] = [await upstreamDuring(steps.answer()), await upstreamDuring(steps.answer())]
    const table = { north: placeAt('north', north), south: placeAt('south', south) }
    const service = await tracedService(table, {}, { incoming: false, outgoing: ['south'] })
    await service.post({ model: 'north' }, { traceparent })
    await service.post({ model: 'south' }, { traceparent })
    const { spans } = await service.received()
    expect(spans.filter(({ kind }) => kind === server)).toMatchObject([
      { parentSpanId: undefined },
      { parentSpanId: undefined },
    ])
    expect(north.requests[0]?.headers.traceparent).toBeUndefined()
    expectCarried(south, spans.find(({ name }) => name === 'chat south-model')!)
  })
})

const dataUrl = `data:image/png;base64,${'A'.repeat(64)}`

function tool(name: string) {
  return { type: 'function', function: { name, parameters: { type: 'object' } } }
}
