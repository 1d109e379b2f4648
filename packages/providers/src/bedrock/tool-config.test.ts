import type { ChatRequest } from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import {
  type Asked,
  adjusted,
  answered,
  bodyOf,
  called,
  encoded,
  hi,
  llama,
  mistral,
  nova,
  refusal,
  sonnet45,
  spec,
  tool,
} from '../../test/bedrock/scripted-request.ts'

describe('tools', () => {
  const schema = {
    $defs: { Day: { enum: ['mon'] } },
    type: 'object',
    properties: { day: { $ref: '#/$defs/Day' }, n: { type: 'integer', minimum: 1 } },
    additionalProperties: false,
  }

  it('go whole, without an empty description', async () => {
    const { toolConfig } = await bodyOf({
      tools: [
        tool('f', { description: 'Does.', parameters: schema, strict: false }),
        tool('g', { description: '' }),
      ],
    })
    expect(toolConfig).toEqual({
      tools: [{ toolSpec: { name: 'f', description: 'Does.', inputSchema: { json: schema } } }, spec('g')],
    })
  })

  it('get a type at the root, and are refused with another one', async () => {
    const parameters = { properties: { a: {} } }
    const given = { type: 'object', properties: { a: {} } }
    for (const model of [sonnet45, llama]) {
      expect(await bodyOf({ tools: [tool('f', { parameters })] }, model)).toMatchObject({
        toolConfig: { tools: [{ toolSpec: { inputSchema: { json: given } } }] },
      })
      expect(await refusal({ tools: [tool('f', { parameters: { type: 'string' } })] }, model)).toBe(
        'tools[0].function.parameters unsupported_value',
      )
    }
    expect(await refusal({ tools: [{ type: 'custom', custom: { name: 'c' } }] })).toBe(
      'tools[0].type unsupported_value',
    )
  })

  it('are strict where the model has that, with the schema that it takes', async () => {
    const tools = [tool('f', { parameters: schema, strict: true })]
    const { body, adjustments } = await encoded({ tools })
    expect(body.toolConfig).toMatchObject({
      tools: [
        { toolSpec: { strict: true, inputSchema: { json: { properties: { n: { type: 'integer' } } } } } },
      ],
    })
    expect(adjustments).toMatchObject([{ parameter: 'tools[0].function.parameters', action: 'mapped' }])
    expect(await adjusted({ tools }, nova)).toEqual(['tools[0].function.strict dropped'])
    const map = { type: 'object', additionalProperties: { type: 'string' } }
    const open = [tool('f', { parameters: map, strict: true })]
    expect((await bodyOf({ tools: open })).toolConfig).toEqual({
      tools: [{ toolSpec: { name: 'f', inputSchema: { json: map } } }],
    })
    expect(await adjusted({ tools: open })).toEqual(['tools[0].function.strict dropped'])
  })

  const two = [tool('f'), tool('g')]
  it.each<[string, Asked, string, object]>([
    ['none said', {}, sonnet45, { tools: [spec('f'), spec('g')] }],
    ['auto, as without a choice', { tool_choice: 'auto' }, sonnet45, { tools: [spec('f'), spec('g')] }],
    [
      'required',
      { tool_choice: 'required' },
      nova,
      { tools: [spec('f'), spec('g')], toolChoice: { any: {} } },
    ],
    [
      'one by name',
      { tool_choice: { type: 'function', function: { name: 'g' } } },
      sonnet45,
      { tools: [spec('f'), spec('g')], toolChoice: { tool: { name: 'g' } } },
    ],
    [
      'one by name, which the model does not take',
      { tool_choice: { type: 'function', function: { name: 'g' } } },
      mistral,
      { tools: [spec('g')], toolChoice: { any: {} } },
    ],
    [
      'some that are allowed',
      {
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'g' } }] },
        },
      },
      sonnet45,
      { tools: [spec('g')], toolChoice: { any: {} } },
    ],
    [
      'some that are allowed',
      {
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'auto', tools: [{ type: 'function', name: 'f' }] },
        },
      },
      sonnet45,
      { tools: [spec('f')] },
    ],
  ])('are chosen: %s, %j', async (_, asked, model, toolConfig) => {
    expect((await bodyOf({ tools: two, ...asked }, model)).toolConfig).toEqual(toolConfig)
  })

  it('go away where none may be called, unless the conversation holds calls', async () => {
    expect(await encoded({ tools: two, tool_choice: 'none' })).toEqual({
      body: { messages: [{ role: 'user', content: [{ text: 'Hi' }] }] },
      adjustments: [],
    })
    const messages = [hi, called('a'), answered('a')]
    expect((await bodyOf({ messages, tools: two, tool_choice: 'none' })).toolConfig).toEqual({
      tools: [spec('f'), spec('g')],
    })
    expect(await adjusted({ messages, tools: two, tool_choice: 'none' })).toEqual(['tool_choice mapped'])
  })

  it('stand in for those that were called, where the caller gives none', async () => {
    const messages = [hi, called('a', 'one'), answered('a'), called('b', 'two'), answered('b')]
    const { body, adjustments } = await encoded({ messages })
    expect(body.toolConfig).toEqual({ tools: [spec('one'), spec('two')] })
    expect(adjustments).toMatchObject([{ parameter: 'tools', action: 'defaulted' }])
  })

  it('are refused where one is forced that cannot be', async () => {
    expect(await refusal({ tools: two, tool_choice: 'required' }, llama)).toBe(
      'tool_choice unsupported_parameter',
    )
    expect(await adjusted({ tools: two, tool_choice: 'required' }, llama, 'drop')).toEqual([
      'tool_choice dropped',
    ])
    expect(await refusal({ tools: two, tool_choice: 'required', reasoning_effort: 'high' })).toBe(
      'tool_choice unsupported_parameter',
    )
    expect(await refusal({ tool_choice: 'required' })).toBe('tool_choice unsupported_value')
    const custom = { type: 'custom' as const, custom: { name: 'c' } }
    expect(await refusal({ tools: two, tool_choice: custom })).toBe('tool_choice unsupported_value')
    const allowed = {
      type: 'allowed_tools' as const,
      allowed_tools: { mode: 'auto' as const, tools: [{ name: 'x' }] },
    }
    expect(await refusal({ tools: two, tool_choice: allowed })).toBe('tool_choice unsupported_value')
  })

  it('are called one at a time by Claude’s own choice, in place of the common one', async () => {
    const asked = (choice?: ChatRequest['tool_choice']) =>
      bodyOf({
        tools: two,
        parallel_tool_calls: false,
        ...(choice === undefined ? {} : { tool_choice: choice }),
      })
    const one = { disable_parallel_tool_use: true }
    expect(await asked()).toMatchObject({
      toolConfig: { tools: [spec('f'), spec('g')] },
      additionalModelRequestFields: { tool_choice: { type: 'auto', ...one } },
    })
    const required = await asked('required')
    expect(required.toolConfig).toEqual({ tools: [spec('f'), spec('g')] })
    expect(required.additionalModelRequestFields).toEqual({ tool_choice: { type: 'any', ...one } })
    expect((await asked({ type: 'function', function: { name: 'g' } })).additionalModelRequestFields).toEqual(
      {
        tool_choice: { type: 'tool', name: 'g', ...one },
      },
    )
    expect(await adjusted({ tools: two, parallel_tool_calls: false }, nova)).toEqual([
      'parallel_tool_calls dropped',
    ])
    expect(await encoded({ parallel_tool_calls: false })).toMatchObject({ adjustments: [] })
  })
})
