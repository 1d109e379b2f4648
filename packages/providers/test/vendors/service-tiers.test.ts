import { createGateway, models } from '@sluice/core'
import type { Target } from '@sluice/core/provider'
import { anthropic, bedrock, gemini, openaiCompatible, vertex } from '@sluice/providers'
import { readSse, type Script, startUpstream, steps } from '@sluice/testing'
import { afterEach, expect, it } from 'vitest'
import { scriptedEvent } from '../bedrock/scripted-frames.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** What callers are told of the tier: by a whole answer, and by each chunk of a stream. */
async function tiersOf(script: Script, place: (url: string) => Target) {
  const upstream = await startUpstream(script)
  const gateway = createGateway({
    authenticate: () => ({ id: 'ann' }),
    route: models({ m: place(upstream.url) }),
    retry: false,
  })
  closers.push(
    () => gateway.close({ drainMs: 1 }),
    () => upstream.close(),
  )
  const post = async (fields: object) => {
    const messages = [{ role: 'user', content: 'Hello' }]
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages, ...fields }),
    }
    const response = await gateway.fetch('http://gateway/v1/chat/completions', init)
    expect(response.status).toBe(200)
    return response
  }
  const whole: object = await (await post({})).json()
  const counted = { stream_options: { include_usage: true } }
  const { chunks, done } = await readSse((await post({ stream: true, ...counted })).body!)
  expect(done).toBe(true)
  const tierOf = (value: object) => ('service_tier' in value ? value.service_tier : undefined)
  return { whole: tierOf(whole), streamed: chunks.map(tierOf) }
}

/** An answer of the chat-completions protocol, streamed in three chunks where the request asks so. */
const chat =
  (fields: object): Script =>
  ({ json }) => {
    const choice = { index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }
    if (json?.stream !== true) return steps.reply({ choices: [choice], ...fields })
    const events = [{ delta: { content: 'Hi' } }, { delta: {}, finish_reason: 'stop' }]
    const data = events.map(one => JSON.stringify({ choices: [{ index: 0, ...one }], ...fields }))
    return steps.stream([...data, '[DONE]'].map(text => `data: ${text}\n\n`))
  }
const compatible = (url: string) => openaiCompatible({ name: 'acme', baseURL: `${url}/v1` })('a')

it.each<[string, object]>([
  ['says nothing of it', {}],
  ['leaves it empty', { service_tier: '' }],
  ['says null', { service_tier: null }],
])('no service tier is told where the vendor %s', async (_, fields) => {
  const { whole, streamed } = await tiersOf(chat(fields), compatible)
  expect(whole).toBeUndefined()
  expect(new Set(streamed)).toEqual(new Set([undefined]))
})

it.each(['default', 'flex', 'priority', 'auto'])('the tier %s is told as the vendor named it', async tier => {
  const { whole, streamed } = await tiersOf(chat({ service_tier: tier }), compatible)
  expect(whole).toBe(tier)
  expect(new Set(streamed)).toEqual(new Set([tier]))
})

it("Gemini's and Vertex AI's tier is told in the protocol's word, and none where they name none", async () => {
  const answered =
    (tier: object): Script =>
    ({ path }) => {
      const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2, ...tier }
      const value = {
        candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
        usageMetadata,
      }
      return path.includes('stream')
        ? steps.stream([`data: ${JSON.stringify(value)}\r\n\r\n`])
        : steps.reply(value)
    }
  const ai = (url: string) => gemini({ apiKey: 'k', baseURL: `${url}/v1beta` })('gemini-2.5-flash')
  const cloud = (url: string) =>
    vertex({ project: 'p', location: 'global', token: 't', baseURL: `${url}/v1` })('gemini-2.5-flash')
  for (const [place, named, tier] of [
    [ai, {}, undefined],
    [ai, { serviceTier: 'flex' }, 'flex'],
    [cloud, {}, undefined],
    [cloud, { trafficType: 'ON_DEMAND' }, 'default'],
    [cloud, { trafficType: 'PROVISIONED_THROUGHPUT' }, undefined],
  ] as const) {
    const { whole, streamed } = await tiersOf(answered(named), place)
    expect(whole).toBe(tier)
    expect(new Set(streamed)).toEqual(new Set([tier]))
  }
})

it("Anthropic's tier is told from the first chunk on", async () => {
  const usage = { input_tokens: 1, output_tokens: 1, service_tier: 'priority' }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', usage }
  const event = (value: { readonly type: string }) =>
    `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`
  const script: Script = ({ json }) => {
    if (json?.stream !== true)
      return steps.reply({ ...message, content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn' })
    const pieces = [
      { type: 'message_start', message: { ...message, content: [] } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ]
    return steps.stream(pieces.map(event))
  }
  const place = (url: string) => anthropic({ apiKey: 'k', baseURL: url })('claude-sonnet-4-20250514')
  const { whole, streamed } = await tiersOf(script, place)
  expect(whole).toBe('priority')
  expect(new Set(streamed)).toEqual(new Set(['priority']))
})

it("Bedrock's tier, which a stream names last, is told on the last chunks", async () => {
  const counts = { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }, serviceTier: { type: 'flex' } }
  const script: Script = ({ path }) => {
    const message = { role: 'assistant', content: [{ text: 'Hi' }] }
    if (!path.endsWith('stream'))
      return steps.reply({ output: { message }, stopReason: 'end_turn', ...counts })
    const frames = [
      scriptedEvent({ messageStart: { role: 'assistant' } }),
      scriptedEvent({ contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'Hi' } } }),
      scriptedEvent({ messageStop: { stopReason: 'end_turn' } }),
      scriptedEvent({ metadata: counts }),
    ]
    const headers = { 'content-type': 'application/vnd.amazon.eventstream' }
    return [steps.head({ headers }), ...frames.map(frame => steps.body(frame, { split: 'bytes' }))]
  }
  const place = (url: string) =>
    bedrock({ region: 'us-east-1', bearerToken: 'k', baseURL: url })('amazon.nova-lite-v1:0')
  const { whole, streamed } = await tiersOf(script, place)
  expect(whole).toBe('flex')
  // Role and text; then the end and the counts.
  expect(streamed).toEqual([undefined, undefined, 'flex', 'flex'])
})
