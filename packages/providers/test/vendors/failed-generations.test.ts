import { createGateway, type GatewayEvent, models } from '@sluice/core'
import type { Target } from '@sluice/core/provider'
import { gemini, openaiCompatible, vertex } from '@sluice/providers'
import { type Script, startUpstream, steps, type Upstream } from '@sluice/testing'
import { afterEach, describe, expect, it } from 'vitest'

const good = {
  candidates: [
    { index: 0, content: { role: 'model', parts: [{ text: 'It rains.' }] }, finishReason: 'STOP' },
  ],
  usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 3, totalTokenCount: 14 },
}
/** The answer of a model that failed to write a call: HTTP 200, and nothing that a caller could use. */
const bare = (finishReason: string) => ({ candidates: [{ index: 0, finishReason }] })

/** Google's answer, whole or as the only event of a stream. */
const google = (value: object): Script => {
  return ({ path }) =>
    path.includes('streamGenerateContent')
      ? steps.stream([`data: ${JSON.stringify(value)}\r\n\r\n`])
      : steps.reply(value)
}

const places: Readonly<Record<string, (upstream: Upstream) => Target>> = {
  gemini: ({ url }) => gemini({ apiKey: 'k', baseURL: `${url}/v1beta` })('gemini-2.5-flash'),
  vertex: ({ url }) =>
    vertex({ project: 'p', location: 'us-central1', token: 't', baseURL: `${url}/v1` })('gemini-2.5-flash'),
}

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function upstreamOf(...scripts: Script[]): Promise<Upstream> {
  const upstream = await startUpstream(...scripts)
  closers.unshift(() => upstream.close())
  return upstream
}

function serving(...targets: Target[]) {
  const events: GatewayEvent[] = []
  const gateway = createGateway({
    authenticate: () => ({ id: 'ann' }),
    route: models({ m: targets }),
    retry: { baseMs: 1, maxMs: 1 },
    observe: event => events.push(event),
  })
  closers.unshift(() => gateway.close({ drainMs: 1 }))
  const tool = { type: 'function', function: { name: 'weather' } }
  const messages = [{ role: 'user', content: 'Does it rain?' }]
  const post = async (fields: object = {}) => {
    const body = JSON.stringify({ model: 'm', messages, tools: [tool], ...fields })
    const headers = { 'content-type': 'application/json' }
    const response = await gateway.fetch('http://gateway/v1/chat/completions', {
      method: 'POST',
      headers,
      body,
    })
    return { status: response.status, text: await response.text() }
  }
  return { post, events }
}

describe.each(Object.entries(places))('a model on %s that fails at a tool call', (_, place) => {
  const reasons = ['UNEXPECTED_TOOL_CALL', 'MALFORMED_FUNCTION_CALL']

  it.each(reasons)('is asked again after %s, whole and streamed', async reason => {
    for (const streamed of [false, true]) {
      const upstream = await upstreamOf(google(bare(reason)), google(good))
      const { status, text } = await serving(place(upstream)).post({ stream: streamed })
      expect(status, text).toBe(200)
      expect(text).toContain('It rains.')
      expect(upstream.requests).toHaveLength(2)
    }
  })

  it.each(reasons)('gives way to the next target after %s', async reason => {
    const first = await upstreamOf(google(bare(reason)))
    const second = await upstreamOf(steps.answer({ text: 'From the second.' }))
    const other = openaiCompatible({ name: 'other', baseURL: second.baseURL })('o')
    const { status, text } = await serving(place(first), other).post()
    expect(status, text).toBe(200)
    expect(JSON.parse(text).choices[0].message.content).toBe('From the second.')
  })

  it.each(reasons)('is a 502 where none is left after %s', async reason => {
    for (const streamed of [false, true]) {
      const upstream = await upstreamOf(google(bare(reason)))
      const { status, text } = await serving(place(upstream)).post({ stream: streamed })
      expect(status, text).toBe(502)
      expect(JSON.parse(text).error).toMatchObject({ type: 'server_error', code: 'bad_gateway' })
      expect(text).not.toMatch(/gemini|google|TOOL_CALL|FUNCTION_CALL/i)
    }
  })

  it('ends a stream that has begun with an error event, and no end mark', async () => {
    const content = { role: 'model', parts: [{ text: 'Hm.', thought: true }] }
    const values = [{ candidates: [{ index: 0, content }] }, bare('MALFORMED_FUNCTION_CALL')]
    const upstream = await upstreamOf(
      steps.stream(values.map(value => `data: ${JSON.stringify(value)}\r\n\r\n`)),
    )
    const { status, text } = await serving(place(upstream)).post({ stream: true })
    expect(status).toBe(200)
    expect(text).toContain('"reasoning_content":"Hm."')
    expect(text).toContain('"code":"bad_gateway"')
    expect(text).not.toContain('[DONE]')
    expect(text).not.toContain('"finish_reason":"stop"')
  })

  it('stays open to other callers, however often one provokes it', async () => {
    const upstream = await upstreamOf(google(bare('MALFORMED_FUNCTION_CALL')))
    const { post, events } = serving(place(upstream))
    for (let i = 0; i < 12; i++) expect((await post()).status).toBe(502)
    expect(events.some(({ type }) => type === 'target')).toBe(false)
  })
})

it("is known by the words of Google's own chat-completions endpoint too", async () => {
  const finish_reason = 'function_call_filter: MALFORMED_FUNCTION_CALL'
  for (const streamed of [false, true]) {
    const message = { role: 'assistant' }
    const choices = [{ index: 0, finish_reason, ...(streamed ? { delta: message } : { message }) }]
    const body = { choices, usage: { prompt_tokens: 3, completion_tokens: 0 } }
    const upstream = await upstreamOf(
      streamed ? steps.stream([`data: ${JSON.stringify(body)}\n\n`, 'data: [DONE]\n\n']) : steps.reply(body),
    )
    const target = openaiCompatible({ name: 'other', baseURL: upstream.baseURL })('o')
    const { status, text } = await serving(target).post({ stream: streamed })
    expect(status, text).toBe(502)
  }
})
