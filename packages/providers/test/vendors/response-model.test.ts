import { calcPrice } from '@pydantic/genai-prices'
import {
  apiKeys,
  createGateway,
  type DiscardedCallEvent,
  type EndEvent,
  type GatewayOptions,
  mirror,
  models,
  priceTable,
} from '@sluice/core'
import { genaiPrices, type LedgerClosing } from '@sluice/core/ledger'
import { anthropic, bedrock, gemini, openai, openaiCompatible, openrouter } from '@sluice/providers'
import { chunks, completion, type RecordedRequest, sse, steps, usage } from '@sluice/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Site } from '../../../../test/e2e/conformance/site.ts'
import { mounts } from '../../../../test/e2e/mounts/mounts.ts'
import { upstreamDuring } from '../../../../test/resilience/faults/harness/upstream.ts'
import { threeWords } from '../../../../test/resilience/faults/harness/vendor-answers.ts'
import { scriptedLedger } from '../../../core/test/support/scripted-ledger.ts'
import { answersOf, framing } from './properties/answer-streams.ts'
import type { Wire } from './properties/wire.ts'

const apiKey = 'sk-upstream'

/** Answers in the protocol, whole or streamed, under this name. */
const naming =
  (model: unknown) =>
  ({ json }: Pick<RecordedRequest, 'json'>) => {
    if (json?.stream !== true) return steps.reply({ ...completion({ usage: usage(1_000, 1_000) }), model })
    const events = chunks({ usage: usage(1_000, 1_000) }).map(chunk =>
      typeof chunk === 'object' ? { ...chunk, model } : chunk,
    )
    return steps.stream(sse(events))
  }

/** A member of a vendor's answer, or of one of its events. */
function withMember(payload: object | string, path: readonly string[], value: unknown): object {
  const [name = '', ...rest] = path
  const inner = (payload as Record<string, object>)[name] ?? {}
  return { ...(payload as object), [name]: rest.length === 0 ? value : withMember(inner, rest, value) }
}

/** Where vendors with a protocol of their own name the model. */
const places: Readonly<
  Partial<Record<Wire, { whole: string[]; event: string | undefined; within: string[] }>>
> = {
  responses: { whole: ['model'], event: 'response.completed', within: ['response', 'model'] },
  messages: { whole: ['model'], event: 'message_start', within: ['message', 'model'] },
  generate: { whole: ['modelVersion'], event: undefined, within: ['modelVersion'] },
  converse: {
    whole: ['trace', 'promptRouter', 'invokedModelId'],
    event: 'metadata',
    within: ['trace', 'promptRouter', 'invokedModelId'],
  },
}

function inWire(wire: Wire, model: string, streamed: boolean) {
  const { whole, event, within } = places[wire]!
  const said = answersOf[wire](threeWords)
  if (!streamed) return steps.reply(withMember(said.whole, whole, model))
  const { type, frame } = framing[wire]
  const events = said.events.map(({ name, payload }) =>
    event === undefined || name === event
      ? { name, payload: withMember(payload, within, model) }
      : { name, payload },
  )
  return [
    steps.head({ headers: { 'content-type': type } }),
    steps.body(Buffer.concat(events.map(frame))),
    steps.end(),
  ]
}

async function service(options: Partial<GatewayOptions> & Pick<GatewayOptions, 'route'>) {
  const ends: EndEvent[] = []
  const unused: DiscardedCallEvent[] = []
  const ledger = scriptedLedger()
  const closings: readonly LedgerClosing[] = ledger.closings
  const gateway = createGateway({
    authenticate: apiKeys([{ id: 'ann', key: 'ann' }]),
    ledger,
    ...options,
    observe: event => {
      if (event.type === 'end') ends.push(event)
      if (event.type === 'discarded_call') unused.push(event)
    },
  })
  const running = await mounts['node http']!(gateway)
  const site = new Site()
  site.settle(running)
  onTestFinished(async () => {
    await gateway.close({ drainMs: 1_000 })
    await running.close()
  })
  const chat = async (fields: object = {}) => {
    const answer = await site.chat({ model: 'small', ...fields }, { key: 'ann' })
    await expect.poll(() => ends.length).toBe(closings.length)
    return answer
  }
  return { chat, ends, closings, unused }
}

const prices = priceTable({
  small: { input: 1, output: 1 },
  'openrouter/vendor/large': { input: 500, output: 500 },
})
const cheap = 2_000 / 1e6
const dear = 500 * cheap

describe('the model that an answer names', () => {
  it.each([true, false])('decides the price where it has one, streamed: %s', async streamed => {
    const upstream = await upstreamDuring(naming('vendor/large'))
    const route = models({ small: openrouter({ apiKey, baseURL: upstream.baseURL })('router/auto') })
    const { chat, ends, closings } = await service({ route, prices })
    const answer = await chat({ stream: streamed })
    expect(answer.status).toBe(200)
    // Callers see the name that they asked for.
    expect(answer.body).not.toContain('vendor/large')
    expect(ends[0]).toMatchObject({ responseModel: 'vendor/large', model: 'small' })
    expect(ends[0]?.cost).toBeCloseTo(dear, 9)
    expect(closings[0]).toMatchObject({ responseModel: 'vendor/large', upstreamModel: 'router/auto' })
    expect(closings[0]?.charge?.cost).toBeCloseTo(dear, 9)
  })

  it.each([
    'small-2026-01-01',
    'large',
    'asked',
    '',
    '__proto__',
    'constructor',
    5,
    null,
    undefined,
    { a: 1 },
  ])('leaves the price of the asked one where it has none: %j', async name => {
    const upstream = await upstreamDuring(naming(name))
    const vendor = openaiCompatible({ name: 'v', baseURL: upstream.baseURL })
    const table = priceTable({ small: { input: 1, output: 1 }, large: { input: 500, output: 500 } })
    const { chat, ends } = await service({ route: models({ small: vendor('asked') }), prices: table })
    for (const stream of [false, true, false]) await chat({ stream })
    for (const event of ends) {
      expect(event.cost).toBeCloseTo(cheap, 9)
      expect(event.responseModel).toBe(typeof name === 'string' && name !== '' ? name : undefined)
    }
    expect(ends).toHaveLength(3)
  })

  it.each([true, false])('is one short line, whatever the vendor sends, streamed: %s', async streamed => {
    const hostile = `evil\r\nx-injected: 1\u0000\u2028${'x'.repeat(100_000)}`
    const upstream = await upstreamDuring(naming(hostile))
    const vendor = openaiCompatible({ name: 'v', baseURL: upstream.baseURL })
    const { chat, ends, closings } = await service({ route: models({ small: vendor('asked') }), prices })
    expect((await chat({ stream: streamed })).status).toBe(200)
    const name = ends[0]?.responseModel ?? ''
    expect(name).toMatch(/^evil/)
    expect(name.length).toBeLessThan(300)
    expect(name).not.toMatch(/[\r\n\u2028\0]/)
    expect(closings[0]?.responseModel).toBe(name)
    expect(ends[0]?.cost).toBeCloseTo(cheap, 9)
  })

  it('may be another in each of many answers of one form', async () => {
    let asked = 0
    const upstream = await upstreamDuring(request => naming(`m-${asked++ % 3}`)(request))
    const vendor = openaiCompatible({ name: 'v', baseURL: upstream.baseURL })
    const { chat, ends } = await service({ route: models({ small: vendor('asked') }), prices })
    for (let nth = 0; nth < 9; nth++) await chat()
    expect(ends.map(({ responseModel }) => responseModel)).toEqual(ends.map((_, nth) => `m-${nth % 3}`))
  })

  it.each<[Wire, string]>([
    ['responses', 'gpt-5-2025-08-07'],
    ['messages', 'claude-sonnet-4-20250514'],
    ['generate', 'gemini-2.5-flash-002'],
    ['converse', 'us.amazon.nova-pro-v1:0'],
  ])('is read of %s, whole and streamed', async (wire, model) => {
    const named = wire === 'converse' ? `arn:aws:bedrock:us-east-1:1:inference-profile/${model}` : model
    const upstream = await upstreamDuring(({ json, path }) =>
      inWire(wire, named, json?.stream === true || /stream/i.test(path)),
    )
    const targets = {
      messages: () => anthropic({ apiKey, baseURL: upstream.baseURL })('claude-sonnet-4-0'),
      generate: () => gemini({ apiKey, baseURL: upstream.url })('gemini-2.5-flash'),
      converse: () =>
        bedrock({ region: 'us-east-1', bearerToken: 't', baseURL: upstream.url })('us.amazon.nova-lite-v1:0'),
      chat: () => openaiCompatible({ name: 'v', baseURL: upstream.baseURL })('x'),
      responses: () => openai({ apiKey, baseURL: upstream.baseURL, reasoningApi: 'responses' })('gpt-5'),
    }
    const { chat, ends } = await service({ route: models({ small: targets[wire]() }) })
    for (const stream of [false, true]) {
      const answer = await chat({ stream })
      expect([answer.status, answer.body.includes(model)]).toEqual([200, false])
    }
    expect(ends.map(({ responseModel }) => responseModel)).toEqual([model, model])
  })

  it('decides the price of a shadow too', async () => {
    const upstream = await upstreamDuring(naming('vendor/small'))
    const shadow = await upstreamDuring(naming('vendor/large'))
    const at = (baseURL: string) => openrouter({ apiKey, baseURL })
    const entry = mirror(at(upstream.baseURL)('vendor/small'), at(shadow.baseURL)('router/auto'))
    const { chat, unused } = await service({ route: models({ small: entry }), prices })
    for (const stream of [false, true]) {
      await chat({ stream })
      await expect.poll(() => unused).toHaveLength(stream ? 2 : 1)
    }
    for (const call of unused) {
      expect(call.responseModel).toBe('vendor/large')
      expect(call.cost).toBeCloseTo(dear, 9)
    }
  })

  it('goes before the asked one in a list of public prices, and falls back to it', async () => {
    const upstream = await upstreamDuring(naming('gpt-4o'))
    const ours = openaiCompatible({ name: 'openai', baseURL: upstream.baseURL })
    const { chat, ends } = await service({
      route: models({ small: ours('gpt-4o-mini') }),
      prices: genaiPrices(calcPrice),
    })
    await chat()
    upstream.respondWith(naming('no-such-model'))
    await chat()
    expect(ends[0]!.cost! / ends[1]!.cost!).toBeGreaterThan(10)
  })
})
