import type { GatewayError } from '@sluice/core'
import type { Call, ChatRequest, UnsupportedParameters } from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { anthropicNative, anthropicParameters } from './parameters.ts'
import { type MessagesSettings, requestBody } from './request-body.ts'

const sonnet4 = 'claude-sonnet-4-20250514'

interface Way {
  readonly model?: string
  readonly mode?: UnsupportedParameters
  readonly settings?: MessagesSettings
}

function encoded(further: Partial<ChatRequest>, { model = sonnet4, mode, settings }: Way = {}) {
  const input: ChatRequest = {
    model: 'public',
    messages: [{ role: 'user', content: 'hello' }],
    max_tokens: 100,
    ...further,
  }
  const call: Call = { input, model, ...(mode && { unsupportedParameters: mode }) }
  const { body, adjustments } = requestBody(call, settings)
  return { body, told: adjustments.map(({ parameter, action }) => `${parameter} ${action}`) }
}

function refusal(further: Partial<ChatRequest>, way: Way = {}) {
  try {
    encoded(further, way)
  } catch (error) {
    const { status, param, code } = error as GatewayError
    return { status, param, code }
  }
  throw new Error('It was not refused.')
}

describe('parameters for the Messages API', () => {
  it('are what the least request holds, in one form whether it streams', () => {
    expect(encoded({}).body).toEqual({
      model: sonnet4,
      max_tokens: 100,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
      stream: false,
    })
    expect(encoded({ stream: true, stream_options: { include_usage: true } })).toMatchObject({
      body: { stream: true },
      told: [],
    })
  })

  it('bound the answer: as the caller says, or by a default that is told of', () => {
    expect(encoded({ max_tokens: 0 }).body.max_tokens).toBe(0)
    expect(encoded({ max_tokens: 999_999 })).toMatchObject({ body: { max_tokens: 999_999 }, told: [] })
    const both = encoded({ max_tokens: 100, max_completion_tokens: 200 })
    expect(both).toMatchObject({ body: { max_tokens: 200 }, told: ['max_tokens dropped'] })
    const input = { model: 'm', messages: [{ role: 'user', content: 'hello' }] } as const
    const byDefault = (model: string, settings?: MessagesSettings) => requestBody({ input, model }, settings)
    expect(byDefault(sonnet4)).toMatchObject({
      body: { max_tokens: 8_192 },
      adjustments: [{ parameter: 'max_tokens', action: 'defaulted', detail: '8192 tokens' }],
    })
    expect(byDefault('claude-3-haiku-20240307').body.max_tokens).toBe(4_096)
    expect(byDefault(sonnet4, { defaultMaxTokens: 500 }).body.max_tokens).toBe(500)
    expect(byDefault(sonnet4, { defaultMaxTokens: 500_000 }).body.max_tokens).toBe(64_000)
  })

  it('hold sampling as the model takes it', () => {
    expect(encoded({ temperature: 0.5, top_p: 0.9, top_k: 40 }).body).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
    })
    expect(refusal({ temperature: 1.5 })).toEqual({
      status: 400,
      param: 'temperature',
      code: 'unsupported_value',
    })
    const hot = encoded({ temperature: 1.5 }, { mode: 'drop' })
    expect(hot.body).not.toHaveProperty('temperature')
    expect(hot.told).toEqual(['temperature dropped'])
    const haiku = { model: 'claude-haiku-4-5' }
    expect(refusal({ temperature: 0.5, top_p: 0.9 }, haiku)).toMatchObject({ status: 400, param: 'top_p' })
    expect(encoded({ top_p: 0.9 }, haiku).body.top_p).toBe(0.9)
    const one = encoded({ temperature: 0.5, top_p: 1 }, haiku)
    expect(one.body).not.toHaveProperty('top_p')
    expect(one.told).toEqual([])
    const newest = encoded({ temperature: 0.5, top_p: 0.9, top_k: 4 }, { model: 'claude-opus-4-8' })
    expect(newest.told).toEqual(['temperature dropped', 'top_p dropped', 'top_k dropped'])
    expect(encoded({ temperature: 1 }, { model: 'claude-opus-4-8' }).told).toEqual([])
  })

  it('hold stop sequences, but none of white space', () => {
    expect(encoded({ stop: 'END' }).body.stop_sequences).toEqual(['END'])
    expect(encoded({ stop: ['a', 'b'] }).body.stop_sequences).toEqual(['a', 'b'])
    expect(refusal({ stop: ['a', '\n'] })).toMatchObject({ status: 400, param: 'stop' })
    const dropped = encoded({ stop: ['a', '\n'] }, { mode: 'drop' })
    expect(dropped).toMatchObject({ body: { stop_sequences: ['a'] }, told: ['stop dropped'] })
    expect(encoded({ stop: ' ' }, { mode: 'drop' }).body).not.toHaveProperty('stop_sequences')
  })

  it("hold the user's id and the tier", () => {
    expect(encoded({ user: 'u' }).body.metadata).toEqual({ user_id: 'u' })
    expect(encoded({ safety_identifier: 's', user: 's' })).toMatchObject({
      body: { metadata: { user_id: 's' } },
      told: [],
    })
    expect(encoded({ safety_identifier: 's', user: 'u' }).told).toEqual(['user dropped'])
    for (const user of ['u'.repeat(257), 'ann@mail.example', 'id of ann.b@mail.example']) {
      const left = encoded({ user })
      expect(left.body).not.toHaveProperty('metadata')
      expect(left.told).toEqual(['user dropped'])
      expect(encoded({ safety_identifier: user }).told).toEqual(['safety_identifier dropped'])
    }
    for (const user of ['u'.repeat(256), 'auth0|507f@tenant', '4915112345678', '@ann']) {
      expect(encoded({ user })).toMatchObject({ body: { metadata: { user_id: user } }, told: [] })
    }
    expect(encoded({ service_tier: 'auto' }).body.service_tier).toBe('auto')
    expect(encoded({ service_tier: 'default' }).body.service_tier).toBe('standard_only')
    const flex = encoded({ service_tier: 'flex' })
    expect(flex.body).not.toHaveProperty('service_tier')
    expect(flex.told).toEqual(['service_tier dropped'])
  })

  it("pass the vendor's own fields, and tell of unknown ones", () => {
    const own = { mcp_servers: [{ type: 'url' }], container: 'c', context_management: { edits: [] } }
    expect(encoded({ ...own, odd: 1 })).toMatchObject({ body: own, told: ['odd dropped'] })
    expect(encoded({ output_config: 'odd' }).told).toEqual(['output_config dropped'])
    expect(encoded({ odd: 1 }).body).not.toHaveProperty('odd')
    expect(anthropicNative).not.toContain('metadata')
  })

  const values: Partial<Record<keyof typeof anthropicParameters, unknown>> = {
    n: 2,
    logit_bias: { 5: 1 },
    logprobs: true,
    top_logprobs: 2,
    functions: [{ name: 'f' }],
    function_call: 'auto',
    modalities: ['text', 'audio'],
    audio: { voice: 'v', format: 'wav' },
    web_search_options: {},
    moderation: { model: 'm' },
    presence_penalty: 1,
    frequency_penalty: 1,
    seed: 7,
    verbosity: 'low',
    metadata: { a: 'b' },
    store: true,
    prompt_cache_key: 'k',
    prompt_cache_retention: '24h',
    prompt_cache_options: {},
    prediction: { type: 'content', content: 'x' },
  }
  const rules = Object.entries(anthropicParameters)

  it.each(rules.filter(([, { handling }]) => handling === 'refused'))('%s is refused', name => {
    const value = values[name as keyof typeof values]
    expect(value).toBeDefined()
    expect(refusal({ [name]: value })).toEqual({ status: 400, param: name, code: 'unsupported_parameter' })
    expect(encoded({ [name]: value }, { mode: 'drop' }).told).toEqual([`${name} dropped`])
  })

  it.each(rules.filter(([, { handling }]) => handling === 'dropped'))('%s is dropped and told of', name => {
    const value = values[name as keyof typeof values]
    expect(value).toBeDefined()
    const { body, told } = encoded({ [name]: value })
    expect(told).toEqual([`${name} dropped`])
    expect(body).not.toHaveProperty(name)
  })

  it('are not told of where they ask for nothing', () => {
    const nothing = {
      n: 1,
      logprobs: false,
      logit_bias: {},
      presence_penalty: 0,
      frequency_penalty: 0,
      store: false,
    }
    expect(encoded({ ...nothing, modalities: ['text'], parallel_tool_calls: true }).told).toEqual([])
  })
})
