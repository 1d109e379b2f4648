import { existsSync, readFileSync } from 'node:fs'
import { createGateway, models } from '@sluice/core'
import type { Target } from '@sluice/core/provider'
import { anthropic, bedrock, gemini, vertex } from '@sluice/providers'
import { startUpstream, steps } from '@sluice/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { dialogue } from '../../../../examples/own-dialect/dialogue.ts'

// Complete answers in which the model calls tools between its texts: a dialect gets both in the order of the vendor.

/** A block of a vendor's answer: what the model says or thinks, or the tool that it calls. */
type Block =
  | { readonly says: string }
  | { readonly thinks: string }
  | { readonly calls: string; readonly day: number }

const blocks: readonly Block[] = [
  { thinks: 'Two calls.' },
  { says: 'First today.' },
  { calls: 'weather', day: 1 },
  { says: 'Then tomorrow.' },
  { thinks: 'One more.' },
  { calls: 'weather', day: 2 },
  { calls: 'other', day: 3 },
  { says: 'Wait.' },
]

const messages = (list: readonly Block[]) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content: list.map((block, nth) => {
    if ('says' in block) return { type: 'text', text: block.says }
    if ('thinks' in block) return { type: 'thinking', thinking: block.thinks, signature: `s${nth}` }
    return { type: 'tool_use', id: `call_${nth}`, name: block.calls, input: { day: block.day } }
  }),
  stop_reason: 'tool_use',
  usage: { input_tokens: 100, output_tokens: 20 },
})

const converse = (list: readonly Block[]) => ({
  output: {
    message: {
      role: 'assistant',
      content: list.map((block, nth) => {
        if ('says' in block) return { text: block.says }
        if ('thinks' in block)
          return { reasoningContent: { reasoningText: { text: block.thinks, signature: `s${nth}` } } }
        return { toolUse: { toolUseId: `call_${nth}`, name: block.calls, input: { day: block.day } } }
      }),
    },
  },
  stopReason: 'tool_use',
  usage: { inputTokens: 100, outputTokens: 20, totalTokens: 120 },
})

const generate = (list: readonly Block[]) => ({
  candidates: [
    {
      index: 0,
      content: {
        role: 'model',
        parts: list.map((block, nth) => {
          if ('says' in block) return { text: block.says }
          if ('thinks' in block) return { text: block.thinks, thought: true }
          const { calls: name, day } = block
          return { functionCall: { id: `call_${nth}`, name, args: { day } } }
        }),
      },
      finishReason: 'STOP',
    },
  ],
  usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
})

const google = { project: 'ours', location: 'us-east5', token: 'a-token' }
const vendors: Readonly<
  Record<string, { at: (baseURL: string) => Target; answer: (list: readonly Block[]) => object }>
> = {
  anthropic: {
    at: baseURL => anthropic({ apiKey: 'sk-test', baseURL })('claude-sonnet-4-20250514'),
    answer: messages,
  },
  'vertex with claude': {
    at: baseURL => vertex({ ...google, baseURL })('claude-sonnet-4@20250514'),
    answer: messages,
  },
  bedrock: {
    at: baseURL =>
      bedrock({ region: 'us-east-1', bearerToken: 'a-token', baseURL })('us.amazon.nova-lite-v1:0'),
    answer: converse,
  },
  gemini: { at: baseURL => gemini({ apiKey: 'sk-test', baseURL })('gemini-2.5-flash'), answer: generate },
  'vertex with gemini': {
    at: baseURL => vertex({ ...google, baseURL })('gemini-2.5-pro'),
    answer: generate,
  },
}

/** A gateway with chat completions and dialogues, in front of an upstream that always answers this. */
async function serving(at: (baseURL: string) => Target, answer: object | string) {
  const upstream = await startUpstream(steps.reply(answer))
  const gateway = createGateway({
    authenticate: () => ({ id: 'ann' }),
    route: models({ m: at(upstream.baseURL) }),
    dialects: [dialogue],
    retry: false,
    breaker: false,
  })
  onTestFinished(async () => {
    await gateway.close({ drainMs: 1 })
    await upstream.close()
  })
  return async (path: string, body: object): Promise<string> => {
    const response = await gateway.fetch(
      new Request(`http://gateway/v1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', ...body }),
      }),
    )
    const text = await response.text()
    expect(response.status, text).toBe(200)
    return text
  }
}

const told = {
  lines: [{ who: 'me', says: 'The weather?' }],
  actions: [{ name: 'weather', takes: { type: 'object' } }],
}
const asked = {
  messages: [{ role: 'user', content: 'The weather?' }],
  tools: [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }],
}

interface Line {
  readonly says?: string
  readonly does?: { readonly call?: string; readonly action?: string; readonly with?: string }
}

/** Texts and calls in the order of the lines; the pieces of each are joined. */
function inOrder(lines: readonly Line[]): string[] {
  const order: string[] = []
  for (const { says, does } of lines) {
    if (says !== undefined) order.push(says)
    else if (does?.action !== undefined) order.push(`${does.action} `)
    if (does?.with !== undefined) order[order.length - 1] += does.with
  }
  return order
}

const expectedOrder = [
  'First today.',
  'weather {"day":1}',
  'Then tomorrow.',
  'weather {"day":2}',
  'other {"day":3}',
  'Wait.',
]

describe.each(Object.entries(vendors))(
  'a complete answer of %s with calls between its texts',
  (_, { at, answer }) => {
    it('has its texts and calls in order', async () => {
      const post = await serving(at, answer(blocks))
      const { lines, ended } = JSON.parse(await post('/dialogue', told)) as { lines: Line[]; ended: string }
      expect(inOrder(lines)).toEqual(expectedOrder)
      expect(ended).toBe('acts')
    })

    it('has its first call before its text', async () => {
      const post = await serving(at, answer([{ calls: 'weather', day: 1 }, { says: 'Done.' }]))
      const { lines } = JSON.parse(await post('/dialogue', told)) as { lines: Line[] }
      expect(inOrder(lines)).toEqual(['weather {"day":1}', 'Done.'])
    })

    it('has them by kind as a chat completion', async () => {
      const post = await serving(at, answer(blocks))
      const call = (id: string, name: string, day: number) => ({
        id,
        type: 'function',
        function: { name, arguments: JSON.stringify({ day }) },
      })
      const { choices, usage } = JSON.parse(await post('/chat/completions', asked))
      const { reasoning_details, ...message } = choices[0].message
      expect(message).toStrictEqual({
        role: 'assistant',
        content: 'First today.Then tomorrow.Wait.',
        reasoning_content: 'Two calls.One more.',
        tool_calls: [call('call_2', 'weather', 1), call('call_5', 'weather', 2), call('call_6', 'other', 3)],
        refusal: null,
        annotations: [],
      })
      expect(choices).toHaveLength(1)
      expect(choices[0].finish_reason).toBe('tool_calls')
      expect(usage).toMatchObject({ prompt_tokens: 100, completion_tokens: 20 })
    })
  },
)

describe.each(['anthropic', 'bedrock'])('%s, that answers a stream in one piece', name => {
  it('has its texts and calls in order', async () => {
    const { at, answer } = vendors[name]!
    const post = await serving(at, answer(blocks))
    const events = (await post('/dialogue', { ...told, live: true })).split('\n\n').filter(Boolean)
    const lines = events.map(event => JSON.parse(event.slice('data: '.length)) as Line)
    expect(inOrder(lines)).toEqual(expectedOrder)
  })
})

it('a call of Gemini that was a mistake is not among them', async () => {
  const { at } = vendors.gemini!
  const [candidate] = generate(blocks).candidates
  const answer = { candidates: [{ ...candidate, finishReason: 'UNEXPECTED_TOOL_CALL' }] }
  const post = await serving(at, answer)
  const { lines } = JSON.parse(await post('/dialogue', told)) as { lines: Line[] }
  expect(inOrder(lines)).toEqual(expectedOrder.filter(line => !line.startsWith('other')))
})

it('calls of Claude with one id stay two', async () => {
  const { at, answer } = vendors.anthropic!
  const text = JSON.stringify(answer(blocks)).replaceAll(/call_\d/g, 'call_1')
  const post = await serving(at, text)
  const { lines } = JSON.parse(await post('/dialogue', told)) as { lines: Line[] }
  expect(inOrder(lines)).toEqual(expectedOrder)
  const ids = lines.flatMap(({ does }) => does?.call ?? [])
  expect(new Set(ids).size).toBe(3)
})

const recording = new URL('../../../../../shared/fixtures/anthropic/pause-turn.json', import.meta.url)

describe.skipIf(!existsSync(recording))(
  'a recorded answer (skipped where ../shared/fixtures is absent)',
  () => {
    it('with searches between its texts has each text as it was', async () => {
      const text = readFileSync(recording, 'utf8')
      const post = await serving(vendors.anthropic!.at, text)
      const { lines } = JSON.parse(await post('/dialogue', told)) as { lines: Line[] }
      const { content } = JSON.parse(text) as { content: { type: string; text?: string }[] }
      const texts = content.flatMap(block => (block.type === 'text' ? (block.text ?? '') : []))
      expect(texts.length).toBeGreaterThan(3)
      expect(lines.map(({ says }) => says)).toEqual(texts.filter(one => one !== ''))
    })
  },
)
