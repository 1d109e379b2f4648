import type { Call, EncodedRequest, JsonObject, Provider } from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { sealReasoning } from '../../../core/src/conversation/sealed-reasoning.ts'
import { messagesRequest } from '../../../core/test/support/messages-request.ts'
import { responsesRequest } from '../../../core/test/support/responses-request.ts'
import { anthropic } from '../../src/anthropic.ts'
import { bedrock } from '../../src/bedrock.ts'
import { gemini } from '../../src/gemini.ts'
import { openai } from '../../src/openai.ts'
import { scriptedResponse } from '../scripted-response.ts'

// Requests in the Messages API, translated for vendors with another protocol.

const claude = anthropic({ apiKey: 'k' })('claude-sonnet-4-5')
const nova = bedrock({ region: 'us-east-1', bearerToken: 't' })('amazon.nova-pro-v1:0')
const gemini3 = gemini({ apiKey: 'k' })('gemini-3-pro-preview')
const gemini25 = gemini({ apiKey: 'k' })('gemini-2.5-flash')
const gpt = openai({ apiKey: 'k' })('gpt-4o')

interface Target {
  readonly provider: Provider
  readonly model: string
}

async function encoded(more: JsonObject, { provider, model }: Target, call: Partial<Call> = {}) {
  const request = messagesRequest(more)
  const sent: EncodedRequest = await provider.encode({ input: request.chat(), request, model, ...call })
  const adjustments = (sent.adjustments ?? []).map(({ action, parameter }) => `${action} ${parameter}`)
  return { body: JSON.parse(String(sent.body)), adjustments }
}

const mark = { cache_control: { type: 'ephemeral' } }
const tool = { name: 'f', description: 'F.', input_schema: { type: 'object', properties: {} } }

/** As a coding client sends it. */
const coding = {
  system: [
    { type: 'text', text: 'x-anthropic-billing-header: cc_version=1' },
    { type: 'text', text: 'You write code.', ...mark },
    { type: 'text', text: 'Be brief.', ...mark },
  ],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Hi', ...mark }] },
    { role: 'system', content: 'Now is the time.' },
  ],
  tools: [tool, { ...tool, name: 'g', defer_loading: true, ...mark }],
  thinking: { type: 'adaptive', display: 'omitted' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  output_config: { effort: 'high' },
  stream: true,
}

describe('a request of a coding client', () => {
  it.each([
    ['gpt', gpt],
    ['claude', claude],
    ['gemini', gemini3],
    ['nova', nova],
  ])('reaches %s, with few adjustments', async (name, target) => {
    const { body, adjustments } = await encoded(coding, target)
    const text = JSON.stringify(body)
    expect(text).toContain('You write code.')
    expect(text).toContain('Now is the time.')
    expect(text).not.toContain('billing')
    expect(text).not.toContain('clear_thinking')
    expect(adjustments).toEqual(expect.arrayContaining(['dropped system[0]', 'dropped context_management']))
    expect(adjustments.filter(each => each.includes('cache_control'))).toEqual([])
    if (name === 'gpt') {
      expect(text).not.toContain('cache_control')
      expect(body).toMatchObject({ reasoning_effort: 'high', max_tokens: 100, stream: true })
      expect(body.tools).toHaveLength(2)
      expect(adjustments).toHaveLength(2)
    }
    if (name === 'claude') expect(body.system).toMatchObject([mark, mark, {}])
  })

  it('asks a model without reasoning for none', async () => {
    const capabilities = { reasoning: false }
    const asked = await encoded(coding, gpt, { capabilities })
    expect(asked.body).not.toHaveProperty('reasoning_effort')
    expect(asked.adjustments).toContain('dropped output_config.effort')
    const off = await encoded({ thinking: { type: 'disabled' } }, gpt, { capabilities })
    expect(off.body).not.toHaveProperty('reasoning_effort')
    expect(off.adjustments).toEqual([])
  })
})

describe('what other vendors cannot be asked for', () => {
  it.each([
    ['gpt', gpt],
    ['claude', claude],
    ['gemini', gemini25],
    ['nova', nova],
  ])('is refused by %s, or dropped where the operator wants that', async (_, target) => {
    const needed = { container: 'c', messages: [{ role: 'user', content: 'Hi' }] }
    await expect(encoded(needed, target)).rejects.toMatchObject({ status: 400, param: 'container' })
    const dropped = await encoded(needed, target, { unsupportedParameters: 'drop' })
    expect(dropped.adjustments).toContain('dropped container')
    const hosted = { type: 'web_fetch_20250910', name: 'web_fetch' }
    await expect(encoded({ tools: [hosted] }, target)).rejects.toMatchObject({
      status: 400,
      param: 'tools[0]',
    })
    const offered = await encoded({ tools: [tool, hosted] }, target)
    expect(offered.adjustments).toContain('dropped tools[1]')
  })

  it('is a search where the vendor has none', async () => {
    const tools = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8 }]
    await expect(encoded({ tools }, gemini25)).rejects.toMatchObject({ status: 400, param: 'tools[0]' })
    expect((await encoded({ tools }, gpt)).body).toMatchObject({ web_search_options: {} })
  })

  it('is sampling of a kind that chat completions lack', async () => {
    const chat = await encoded({ top_k: 7 }, gpt)
    expect(chat.body).not.toHaveProperty('top_k')
    expect(chat.adjustments).toEqual(['dropped top_k'])
    expect((await encoded({ top_k: 7 }, claude)).body).toMatchObject({ top_k: 7 })
    expect((await encoded({ top_k: 7 }, gemini25)).body).toMatchObject({ generationConfig: { topK: 7 } })
  })
})

describe('reasoning of an earlier answer', () => {
  const called = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }
  const conversation = (...blocks: JsonObject[]) => ({
    tools: [tool],
    max_tokens: 10_000,
    thinking: { type: 'enabled', budget_tokens: 2_048 },
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [...blocks, called] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' }] },
    ],
  })

  it('goes back to its vendor with its signatures, each in its place', async () => {
    const blocks = [
      { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
      { type: 'redacted_thinking', data: 'xyz' },
      { type: 'text', text: 'I look.' },
      { type: 'thinking', thinking: 'And.', signature: 'sig2' },
    ]
    const { body, adjustments } = await encoded(conversation(...blocks), claude)
    expect(body.messages[1].content).toEqual([...blocks, called])
    expect(adjustments.filter(each => each.includes('thinking') && each.startsWith('dropped'))).toEqual([])
    const other = await encoded(conversation(...blocks), gemini3)
    expect(JSON.stringify(other.body)).not.toMatch(/"sig2?"/)
    expect(other.adjustments).toContain('dropped messages[1].content[0].signature')
  })

  it('goes back as it was sealed, to the vendor that made it', async () => {
    const details = [{ type: 'reasoning.encrypted', data: 'text-signature', format: 'google-gemini-v1' }]
    const calls = new Map([['toolu_1', { google: { thought_signature: 'call-signature' } }]])
    const sealed = { type: 'redacted_thinking', data: sealReasoning({ details, calls })! }
    const { body } = await encoded(conversation({ type: 'text', text: 'I look.' }, sealed), gemini3)
    expect(body.contents[1].parts).toMatchObject([
      { text: 'I look.', thoughtSignature: 'text-signature' },
      { functionCall: { name: 'f' }, thoughtSignature: 'call-signature' },
    ])
    const other = await encoded(conversation(sealed), claude)
    expect(JSON.stringify(other.body)).not.toMatch(/text-signature|call-signature|redacted/)
    expect(other.adjustments.some(each => each.startsWith('dropped messages[1]'))).toBe(true)
  })
})

it('reports a failed tool to vendors that know failures', async () => {
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'broke', is_error: true }] },
  ]
  const { body } = await encoded({ tools: [tool], messages }, claude)
  expect(body.messages[2].content).toEqual([
    { type: 'tool_result', tool_use_id: 't', content: 'broke', is_error: true },
  ])
  expect(JSON.stringify((await encoded({ tools: [tool], messages }, nova)).body)).toContain(
    '"status":"error"',
  )
})

describe('a field that a vendor refuses', () => {
  const messages = messagesRequest({
    system: 'Be brief.',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    tools: [tool],
  })
  const responses = responsesRequest({
    instructions: 'Be brief.',
    input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
    tools: [{ type: 'function', name: 'f', parameters: {} }],
  })

  it.each([
    ['messages[0].content', 'system', 'instructions'],
    ['messages[1]', 'messages[0]', 'input[0]'],
    ['messages.[1]', 'messages[0]', 'input[0]'],
    ['tools[0].function.parameters', 'tools[0].input_schema', 'tools[0].parameters'],
    ['max_tokens', 'max_tokens', 'max_output_tokens'],
    ['reasoning_effort', 'thinking', 'reasoning.effort'],
    ['temperature', 'temperature', 'temperature'],
    ['messages[9].role', 'messages[9].role', 'messages[9].role'],
  ])('has the name that the caller knows: %s', async (param, ofMessages, ofResponses) => {
    for (const [request, name] of [
      [messages, ofMessages],
      [responses, ofResponses],
    ] as const) {
      const body = JSON.stringify({ error: { message: `Invalid '${param}': too long.`, param } })
      const call = { input: request.chat(), request, model: gpt.model }
      const decoded = async () => gpt.provider.decode(scriptedResponse({ status: 400, body }), call)
      await expect(decoded()).rejects.toMatchObject({
        kind: 'refused',
        param: name,
        vendorMessage: `Invalid '${name}': too long.`,
      })
    }
  })
})
