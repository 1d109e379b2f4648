import type { GatewayError } from '@sluice/core'
import type { Call, ChatRequest, UnsupportedParameters } from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { requestBody } from './request-body.ts'

const haiku = 'claude-haiku-4-5'
const tools = [{ type: 'function', function: { name: 'f' } }] as const

function encoded(further: Partial<ChatRequest>, model = haiku, mode?: UnsupportedParameters) {
  const input: ChatRequest = { model: 'public', messages: [{ role: 'user', content: 'hello' }], ...further }
  const call: Call = { input, model, ...(mode && { unsupportedParameters: mode }) }
  const { body, adjustments } = requestBody(call)
  return { body, told: adjustments.map(({ parameter, action, detail }) => [parameter, action, detail]) }
}

function refusal(further: Partial<ChatRequest>, model = haiku): Pick<GatewayError, 'param' | 'code'> {
  try {
    encoded(further, model)
  } catch (error) {
    const { param, code } = error as GatewayError
    return { param, code }
  }
  throw new Error('It was not refused.')
}

describe('reasoning_effort where a budget bounds thinking', () => {
  it.each([
    ['minimal', 1_024],
    ['low', 1_024],
    ['medium', 8_192],
    ['high', 24_576],
    ['xhigh', 63_900],
    ['max', 63_900],
  ] as const)('%s is a budget of %i tokens beside those of the answer', (effort, budget) => {
    const { body, told } = encoded({ reasoning_effort: effort, max_completion_tokens: 100 })
    expect(body).toMatchObject({
      thinking: { type: 'enabled', budget_tokens: budget },
      max_tokens: 100 + budget,
    })
    expect(body.output_config).toBeUndefined()
    expect(told).toEqual([
      ['reasoning_effort', 'mapped', `thinking with a budget of ${budget} tokens`],
      ['max_completion_tokens', 'mapped', `${100 + budget} tokens, ${budget} of them for thinking`],
    ])
  })

  it('none, or nothing, is no thinking', () => {
    for (const further of [{ reasoning_effort: 'none' }, {}] as const) {
      const { body, told } = encoded({ ...further, max_tokens: 100 })
      expect(body).not.toHaveProperty('thinking')
      expect(body.max_tokens).toBe(100)
      expect(told).toEqual([])
    }
  })

  it('leaves the answer what the caller asked for, up to what the model has', () => {
    expect(encoded({ reasoning_effort: 'high', max_tokens: 60_000 }).body).toMatchObject({
      thinking: { budget_tokens: 4_000 },
      max_tokens: 64_000,
    })
    expect(encoded({ reasoning_effort: 'low', max_tokens: 64_000 }).body).toMatchObject({
      thinking: { budget_tokens: 1_024 },
      max_tokens: 64_000,
    })
    expect(encoded({ reasoning_effort: 'low', max_tokens: 70_000 }).body.max_tokens).toBe(70_000)
    expect(encoded({ reasoning_effort: 'medium' }, 'another-model').body).toMatchObject({
      thinking: { budget_tokens: 1_024 },
      max_tokens: 4_096,
    })
  })

  it('adds the budget to the default, and tells of it', () => {
    const { body, told } = encoded({ reasoning_effort: 'medium' })
    expect(body.max_tokens).toBe(16_384)
    expect(told).toContainEqual(['max_tokens', 'defaulted', '16384 tokens, 8192 of them for thinking'])
  })

  it('is left out where no token is asked for, and by models that do not think', () => {
    expect(encoded({ reasoning_effort: 'low', max_tokens: 0 })).toMatchObject({
      body: { max_tokens: 0 },
      told: [['reasoning_effort', 'dropped', expect.any(String)]],
    })
    const { body, told } = encoded({ reasoning_effort: 'low', max_tokens: 5 }, 'claude-3-5-haiku-latest')
    expect(body).not.toHaveProperty('thinking')
    expect(told).toEqual([['reasoning_effort', 'dropped', 'this model does not think']])
  })

  it('is left out where the answer that is gone on with came without signed reasoning', () => {
    const call = (id: string, index?: number) => ({
      role: 'assistant' as const,
      tool_calls: [{ id, type: 'function' as const, function: { name: 'f', arguments: '{}' } }],
      ...(index === undefined
        ? {}
        : {
            reasoning_details: [
              { type: 'reasoning.text', text: 't', signature: 's', format: 'anthropic-claude-v1', index },
            ],
          }),
    })
    const result = (id: string) => ({ role: 'tool' as const, tool_call_id: id, content: 'r' })
    const user = { role: 'user', content: 'go' } as const
    const thinks = (...messages: ChatRequest['messages']) =>
      encoded({ messages, tools, reasoning_effort: 'low', max_tokens: 9 })
    const unsigned = thinks(user, call('a'), result('a'))
    expect(unsigned.body).not.toHaveProperty('thinking')
    expect(unsigned.body.max_tokens).toBe(9)
    expect(unsigned.told).toEqual([
      ['reasoning_effort', 'dropped', expect.stringContaining('without its signed reasoning')],
    ])
    expect(thinks(user, call('a', 0), result('a')).body).toHaveProperty('thinking')
    // Between rounds of tools a model need not think again.
    expect(thinks(user, call('a', 0), result('a'), call('b'), result('b')).body).toHaveProperty('thinking')
    expect(thinks(user, call('a'), result('a'), call('b', 0), result('b')).body).not.toHaveProperty(
      'thinking',
    )
    expect(
      thinks(user, call('a'), result('a'), { role: 'assistant', content: 'ok' }, user).body,
    ).toHaveProperty('thinking')
    expect(thinks(user, { role: 'assistant', content: 'It is' }).body).not.toHaveProperty('thinking')
    const adaptive = encoded(
      { messages: [user, call('a'), result('a')], tools, reasoning_effort: 'low' },
      'claude-opus-4-6',
    )
    expect(adaptive.body.thinking).toEqual({ type: 'adaptive' })
  })
})

describe('reasoning_effort where the model thinks as it needs', () => {
  it.each([
    ['claude-opus-4-6', 'minimal', { type: 'adaptive' }, 'low', true],
    ['claude-opus-4-6', 'low', { type: 'adaptive' }, 'low', false],
    ['claude-opus-4-6', 'high', { type: 'adaptive' }, 'high', false],
    ['claude-opus-4-6', 'xhigh', { type: 'adaptive' }, 'max', true],
    ['claude-opus-4-6', 'max', { type: 'adaptive' }, 'max', false],
    ['claude-opus-4-8', 'xhigh', { type: 'adaptive', display: 'summarized' }, 'xhigh', false],
    ['claude-sonnet-5', 'medium', { type: 'adaptive', display: 'summarized' }, 'medium', false],
    ['claude-sonnet-5', 'none', { type: 'disabled' }, undefined, false],
    ['claude-opus-4-6', 'none', { type: 'disabled' }, undefined, false],
    ['claude-fable-5', 'none', { type: 'adaptive', display: 'summarized' }, 'low', true],
    ['claude-opus-5-5', 'none', { type: 'adaptive', display: 'summarized' }, 'low', true],
    ['claude-sonnet-5-5', 'none', { type: 'between_tools' }, undefined, false],
    ['claude-haiku-5-5', 'none', { type: 'disabled' }, undefined, false],
  ] as const)('%s takes %s', (model, effort, thinking, word, told) => {
    const encodedBy = encoded({ reasoning_effort: effort, max_tokens: 100 }, model)
    expect(encodedBy.body.thinking).toEqual(thinking)
    expect(encodedBy.body.output_config).toEqual(word === undefined ? undefined : { effort: word })
    expect(encodedBy.body.max_tokens).toBe(100)
    expect(encodedBy.told.map(([parameter, action]) => `${parameter} ${action}`)).toEqual(
      told ? ['reasoning_effort mapped'] : [],
    )
  })

  it.each([
    ['claude-opus-4-8', undefined, 8_192],
    ['claude-opus-4-8', 'none', 8_192],
    ['claude-opus-4-8', 'low', 32_768],
    ['claude-opus-4-8', 'max', 128_000],
    ['claude-sonnet-5', undefined, 32_768],
    ['claude-sonnet-5', 'none', 8_192],
    ['claude-haiku-5-5', undefined, 32_768],
  ] as const)(
    '%s has, with %s, room for thinking where the caller gives no bound',
    (model, effort, tokens) => {
      const { body, told } = encoded(effort === undefined ? {} : { reasoning_effort: effort }, model)
      expect(body.max_tokens).toBe(tokens)
      const detail = tokens === 8_192 ? '8192 tokens' : `${tokens} tokens, with room for thinking`
      expect(told).toContainEqual(['max_tokens', 'defaulted', detail])
    },
  )
})

describe("the caller's own thinking", () => {
  it('wins over reasoning_effort, and max_tokens is meant for both', () => {
    const thinking = { type: 'enabled', budget_tokens: 2_000 }
    const { body, told } = encoded({ thinking, reasoning_effort: 'high', max_tokens: 3_000 })
    expect(body).toMatchObject({ thinking, max_tokens: 3_000 })
    expect(told).toEqual([['reasoning_effort', 'dropped', 'thinking was given too']])
    expect(encoded({ thinking: { ...thinking, budget_tokens: 10_000 } }).body.max_tokens).toBe(18_192)
  })

  it('goes together with an effort where the model has both', () => {
    const thinking = { type: 'adaptive' }
    expect(encoded({ thinking, reasoning_effort: 'low' }, 'claude-opus-4-6').body).toMatchObject({
      thinking,
      output_config: { effort: 'low' },
    })
    const both = encoded(
      { thinking, reasoning_effort: 'low', output_config: { effort: 'max' } },
      'claude-opus-4-6',
    )
    expect(both.body.output_config).toEqual({ effort: 'max' })
    expect(both.told[0]).toEqual(['reasoning_effort', 'dropped', 'output_config.effort was given too'])
  })
})

describe('what goes with thinking', () => {
  it('is no sampling', () => {
    const sampling = { temperature: 0.2, top_p: 0.9, top_k: 5, max_tokens: 10 }
    const { body, told } = encoded({ ...sampling, reasoning_effort: 'low' })
    for (const name of ['temperature', 'top_p', 'top_k']) expect(body).not.toHaveProperty(name)
    expect(told.slice(2).map(([parameter, action]) => [parameter, action])).toEqual([
      ['temperature', 'dropped'],
      ['top_p', 'dropped'],
      ['top_k', 'dropped'],
    ])
    expect(encoded({ temperature: 1, top_p: 1, max_tokens: 10, reasoning_effort: 'low' }).told).toHaveLength(
      2,
    )
  })

  it('is no forced tool, unless the model takes it', () => {
    const forced = { tools, tool_choice: 'required', reasoning_effort: 'low', max_tokens: 10 } as const
    expect(refusal(forced)).toEqual({ param: 'tool_choice', code: 'unsupported_parameter' })
    for (const model of ['claude-opus-4-6', 'claude-opus-5', 'claude-fable-5', 'claude-haiku-5-5']) {
      const { body, told } = encoded(forced, model)
      expect(body).toMatchObject({ tool_choice: { type: 'any' }, thinking: { type: 'adaptive' } })
      expect(told).toEqual([])
    }
    expect(refusal({ ...forced, reasoning_effort: 'none' }, 'claude-sonnet-5-5')).toMatchObject({
      param: 'tool_choice',
    })
    expect(refusal({ ...forced, reasoning_effort: 'none' }, 'claude-opus-5-5')).toMatchObject({
      param: 'tool_choice',
    })
    const dropped = encoded(forced, haiku, 'drop')
    expect(dropped.body).toMatchObject({ tool_choice: { type: 'auto' }, thinking: { type: 'enabled' } })
    expect(dropped.told).toContainEqual(['tool_choice', 'dropped', expect.any(String)])
  })

  it('is no answer by a tool', () => {
    const schema = { type: 'object', properties: {} }
    const format = {
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
      max_tokens: 10,
    } as const
    const older = 'claude-sonnet-4-20250514'
    expect(refusal({ ...format, reasoning_effort: 'low' }, older)).toMatchObject({
      param: 'reasoning_effort',
    })
    expect(refusal({ ...format, thinking: { type: 'enabled', budget_tokens: 1_024 } }, older)).toMatchObject({
      param: 'thinking',
    })
    const { body } = encoded({ ...format, reasoning_effort: 'low' }, older, 'drop')
    expect(body).toMatchObject({ tool_choice: { type: 'tool' }, max_tokens: 10 })
    expect(body).not.toHaveProperty('thinking')
    expect(encoded({ ...format, reasoning_effort: 'low' }).body).toMatchObject({
      thinking: { type: 'enabled' },
      output_config: { format: { type: 'json_schema' } },
    })
  })
})
