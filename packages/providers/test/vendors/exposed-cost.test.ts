import {
  createGateway,
  type GatewayOptions,
  idempotency,
  models,
  priceTable,
  responseCache,
} from '@sluice/core'
import type { LedgerClosing } from '@sluice/core/ledger'
import type { Target, Transport } from '@sluice/core/provider'
import { openaiCompatible } from '@sluice/providers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { scriptedResponse } from '../scripted-response.ts'

// The cost of an answer in the answer, as the ledger records it: every dialect, translated and passed on.

const translated = openaiCompatible({ name: 'plain', baseURL: 'http://a.test/v1' })('up')
const passed = openaiCompatible({
  name: 'native',
  baseURL: 'http://a.test/v1',
  speaks: ['messages', 'responses'],
  completions: {},
  rerank: {},
})('up')
const prices = { m: { input: 0.3, cachedInput: 0.1, output: 1.7 } }

const sse = (events: readonly object[]) => events.map(data => `data: ${JSON.stringify(data)}\n\n`)
const chatUsage = {
  prompt_tokens: 1_003,
  completion_tokens: 7,
  total_tokens: 1_010,
  prompt_tokens_details: { cached_tokens: 1 },
}
const chatHead = { id: 'c', object: 'chat.completion', created: 1, model: 'up' }
const reply = { index: 0, message: { role: 'assistant', content: 'Hi "usage"' }, finish_reason: 'stop' }
const part = { index: 0, delta: { role: 'assistant', content: 'Hi "usage"' }, finish_reason: 'stop' }
const messageUsage = { input_tokens: 1_002, cache_read_input_tokens: 1, output_tokens: 7, cost: 99 }
const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'up', stop_reason: null }
const block = { type: 'text', text: 'Hi "usage"' }
const responseUsage = {
  input_tokens: 1_003,
  input_tokens_details: { cached_tokens: 1 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 1_010,
}
const item = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Hi "usage"', annotations: [] }],
}
const response = { id: 'r', object: 'response', status: 'completed', output: [item], usage: responseUsage }

const answers: Readonly<Record<string, { readonly whole: object; readonly stream: readonly string[] }>> = {
  '/v1/chat/completions': {
    whole: { ...chatHead, choices: [reply], usage: chatUsage },
    stream: [
      ...sse([
        { ...chatHead, choices: [part] },
        { ...chatHead, choices: [], usage: chatUsage },
      ]),
      'data: [DONE]\n\n',
    ],
  },
  '/v1/messages': {
    whole: { ...message, content: [block], stop_reason: 'end_turn', usage: messageUsage },
    stream: sse([
      {
        type: 'message_start',
        message: { ...message, content: [], usage: { ...messageUsage, output_tokens: 1 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi "usage"' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7, cost: 99 } },
      { type: 'message_stop' },
    ]),
  },
  '/v1/responses': {
    whole: response,
    stream: sse([
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response },
    ]),
  },
  '/v1/completions': {
    whole: {
      ...chatHead,
      choices: [{ index: 0, text: 'Hi "usage"', finish_reason: 'stop' }],
      usage: { ...chatUsage, cost: 99 },
    },
    stream: [
      ...sse([
        { ...chatHead, choices: [{ index: 0, text: 'Hi', finish_reason: null }], usage: null },
        { ...chatHead, choices: [{ index: 0, text: ' "usage"', finish_reason: 'stop' }] },
        { ...chatHead, choices: [], usage: { ...chatUsage, cost: 99 } },
      ]),
      'data: [DONE]\n\n',
    ],
  },
  '/v1/rerank': {
    whole: { results: [{ index: 0, relevance_score: 0.5 }], meta: { tokens: { input_tokens: 1_003 } } },
    stream: [],
  },
  '/v1/embeddings': {
    whole: { data: [{ index: 0, embedding: [1] }], usage: { prompt_tokens: 1_003, total_tokens: 1_003 } },
    stream: [],
  },
}

const transport: Transport = async ({ url, body }) => {
  const { whole, stream } = answers[new URL(url).pathname]!
  const streams = JSON.parse(String(body)).stream === true
  return scriptedResponse({ body: streams ? stream : JSON.stringify(whole) })
}

const requests: Readonly<Record<string, object>> = {
  chat: { messages: [{ role: 'user', content: 'Hello' }], stream_options: { include_usage: true } },
  messages: { max_tokens: 99, messages: [{ role: 'user', content: 'Hello' }] },
  responses: { input: 'Hello' },
  completions: { prompt: 'Hello', stream_options: { include_usage: true } },
}
const paths: Readonly<Record<string, string>> = {
  chat: 'chat/completions',
  messages: 'messages',
  responses: 'responses',
  embeddings: 'embeddings',
  completions: 'completions',
  rerank: 'rerank',
}

function serving(target: Target | readonly Target[], options: Partial<GatewayOptions> = {}) {
  const closings: LedgerClosing[] = []
  const gateway = createGateway({
    authenticate: request => ({ id: request.headers.get('x-name') ?? 'ann' }),
    route: models({ m: target }),
    prices: priceTable(prices),
    transport,
    ledger: { open() {}, close: closing => void closings.push(closing) },
    exposesCost: true,
    ...options,
  })
  onTestFinished(() => void gateway.close({ drainMs: 1 }))
  const ask = async (dialect: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await gateway.fetch(
      new Request(`http://sluice.test/v1/${paths[dialect]}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model: 'm', ...requests[dialect], ...body }),
      }),
    )
    const text = await answer.text()
    return { header: answer.headers.get('x-sluice-cost'), text, usage: usageOf(text) }
  }
  return { ask, closings, gateway, cost: () => closings.at(-1)?.charge?.cost }
}

/** The usage of an answer, or of the last event of a stream that has some. */
function usageOf(text: string): Record<string, unknown> {
  const values = text.startsWith('{')
    ? [JSON.parse(text)]
    : text
        .split('\n')
        .filter(line => line.startsWith('data: {'))
        .map(line => JSON.parse(line.slice(6)))
  return values.map(value => value.usage ?? value.response?.usage).findLast(Boolean)
}

const price = 1_002 * 0.3e-6 + 1 * 0.1e-6 + 7 * 1.7e-6
const targetsOf = (dialect: string) => (dialect === 'completions' ? [passed] : [translated, passed])
const cases = Object.keys(requests).flatMap(dialect =>
  targetsOf(dialect).flatMap(target => [false, true].map(stream => ({ dialect, target, stream }))),
)

describe.each(cases)(
  '$dialect over $target.provider.name, stream: $stream',
  ({ dialect, target, stream }) => {
    it('has the cost that the ledger records', async () => {
      const { ask, cost } = serving(target)
      const { header, usage } = await ask(dialect, { stream })
      expect(cost()).toBeCloseTo(price, 12)
      expect(usage.cost).toBe(cost())
      expect(header).toBe(stream ? null : String(cost()))
    })

    it('has none without a price, nor for callers who do not get it', async () => {
      const unpriced = serving(target, { prices: priceTable({ other: { input: 1, output: 1 } }) })
      expect(await unpriced.ask(dialect, { stream })).toMatchObject({ header: null })
      expect((await unpriced.ask(dialect, { stream })).usage).not.toHaveProperty('cost')
      expect(unpriced.cost()).toBeNull()
      const some = serving(target, { exposesCost: ({ id }) => id === 'eve' })
      const eve = await some.ask(dialect, { stream }, { 'x-name': 'eve' })
      expect(eve.usage.cost).toBe(some.cost())
      const ann = await some.ask(dialect, { stream })
      expect(ann.header).toBeNull()
      // What a vendor itself writes is passed on as it came.
      const passesOwn = target === passed && (dialect === 'messages' || dialect === 'completions')
      const own = passesOwn ? 99 : undefined
      expect(ann.usage.cost).toBe(own)
    })

    it('says that an answer of the cache costs nothing, and keeps no cost for others', async () => {
      const notStored = dialect === 'responses' ? { store: false } : {}
      const cache = responseCache({ ttlMs: 60_000, scope: () => 'all', cacheable: () => true })
      const { ask, closings } = serving(target, { cache, exposesCost: ({ id }) => id !== 'bob' })
      const first = await ask(dialect, { stream, ...notStored })
      const second = await ask(dialect, { stream, ...notStored })
      const other = await ask(dialect, { stream, ...notStored }, { 'x-name': 'bob' })
      expect(closings.map(({ charge }) => charge?.cost)).toEqual([
        expect.closeTo(price, 12),
        undefined,
        undefined,
      ])
      expect([first.usage.cost, second.usage.cost]).toEqual([closings[0]!.charge!.cost, 0])
      expect(second.header).toBe(stream ? null : '0')
      expect([other.usage.cost, other.header]).toEqual([undefined, null])
      expect(second.text.replace(',"cost":0', '')).toBe(other.text)
    })

    it('says that a replayed answer costs nothing', async () => {
      const { ask, closings } = serving(target, { idempotency: idempotency() })
      const headers = { 'idempotency-key': 'one' }
      const first = await ask(dialect, { stream }, headers)
      const again = await ask(dialect, { stream }, headers)
      expect(closings).toHaveLength(1)
      expect([first.usage.cost, again.usage.cost]).toEqual([closings[0]!.charge!.cost, 0])
      expect(again.header).toBe(stream ? null : '0')
    })
  },
)

it('is in the header alone where an answer has no usage', async () => {
  const { ask, cost } = serving(passed)
  const { header, usage } = await ask('rerank', { query: 'q', documents: ['a'] })
  expect(cost()).toBeCloseTo(1_003 * 0.3e-6, 12)
  expect([header, usage]).toEqual([String(cost()), undefined])
})

it('adds the parts of a request for embeddings', async () => {
  const { provider } = translated
  const target = { ...translated, provider: { ...provider, embed: { ...provider.embed!, maxInputs: 1 } } }
  const { ask, cost } = serving(target)
  const { header, usage } = await ask('embeddings', { input: ['a', 'b'] })
  expect(usage).toEqual({ prompt_tokens: 2_006, total_tokens: 2_006, cost: cost() })
  expect(cost()).toBeCloseTo(2_006 * 0.3e-6, 12)
  expect(header).toBe(String(cost()))
})

it('stores a response with its cost, also one in the background', async () => {
  const { ask, cost, gateway } = serving(passed)
  for (const background of [false, true]) {
    const { text } = await ask('responses', { background })
    const { id } = JSON.parse(text)
    const read = async () =>
      (await gateway.fetch(new Request(`http://sluice.test/v1/responses/${id}`))).json()
    await expect.poll(async () => (await read()).status).toBe('completed')
    expect((await read()).usage.cost).toBe(cost())
  }
})

it('fails no request where the function fails, and reports that once', async () => {
  const events: object[] = []
  const fails = () => {
    throw new Error('x')
  }
  const { ask } = serving(translated, { exposesCost: fails, observe: event => void events.push(event) })
  for (const _ of [1, 2]) expect((await ask('chat', {})).usage).not.toHaveProperty('cost')
  const warnings = events.filter(event => 'code' in event)
  expect(warnings).toMatchObject([{ code: 'exposes_cost_failed' }])
})

it('rejects an option that is neither', () => {
  expect(() => serving(translated, { exposesCost: 'yes' as never })).toThrow(
    "exposesCost: got 'yes', expected true, false or a function",
  )
})
