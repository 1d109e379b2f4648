import type { GatewayError } from '@sluice/core'
import type { Call, ChatRequest, Tool } from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { requestBody } from './request-body.ts'

const sonnet4 = 'claude-sonnet-4-20250514'
const haiku = 'claude-haiku-4-5'
const tool = (name: string, further: object = {}): Tool => ({
  type: 'function',
  function: { name, ...further },
})

function encoded(further: Partial<ChatRequest>, model = sonnet4) {
  const input: ChatRequest = {
    model: 'public',
    messages: [{ role: 'user', content: 'hello' }],
    max_tokens: 100,
    ...further,
  }
  const { body, adjustments } = requestBody({ input, model } satisfies Call)
  return { body: JSON.parse(JSON.stringify(body)), adjustments }
}

function refusedParam(further: Partial<ChatRequest>, model = sonnet4): string | null {
  try {
    encoded(further, model)
  } catch (error) {
    expect((error as GatewayError).status).toBe(400)
    return (error as GatewayError).param
  }
  throw new Error('It was not refused.')
}

describe('tools for the Messages API', () => {
  it('keep their schemas whole', () => {
    const parameters = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        a: { $ref: '#/$defs/a' },
        b: { $ref: '#/definitions/b' },
        c: { type: 'number', minimum: 1 },
      },
      required: ['a'],
      additionalProperties: { type: 'string' },
      $defs: { a: { type: 'array', items: { type: 'string' } } },
      definitions: { b: { oneOf: [{ type: 'null' }, { type: 'string', pattern: 'x' }] } },
    }
    const { body, adjustments } = encoded({
      tools: [
        {
          ...tool('f', { description: 'd', parameters, strict: null }),
          ...{ cache_control: { type: 'ephemeral' } },
        },
      ],
    })
    expect(body.tools).toEqual([
      { name: 'f', description: 'd', cache_control: { type: 'ephemeral' }, input_schema: parameters },
    ])
    expect(body).not.toHaveProperty('tool_choice')
    expect(adjustments).toEqual([])
  })

  it('get the root that the vendor needs', () => {
    const schemas = encoded({
      tools: [tool('a'), tool('b', { parameters: {} }), tool('c', { parameters: { properties: { x: {} } } })],
    }).body.tools.map(({ input_schema }: { input_schema: object }) => input_schema)
    expect(schemas).toEqual([
      { type: 'object', properties: {} },
      { type: 'object' },
      { type: 'object', properties: { x: {} } },
    ])
  })

  it.each([
    { type: 'array', items: {} },
    { type: ['object', 'null'] },
    { oneOf: [{ type: 'object' }] },
    { type: 'object', anyOf: [] },
    { allOf: [] },
    { $ref: '#/$defs/a', $defs: {} },
  ])('cannot have the root %j', parameters => {
    expect(refusedParam({ tools: [tool('a'), tool('b', { parameters })] })).toBe(
      'tools[1].function.parameters',
    )
  })

  it('are functions', () => {
    expect(refusedParam({ tools: [{ type: 'custom', custom: { name: 'c' } }] })).toBe('tools[0].type')
    expect(refusedParam({ tools: [tool('a')], tool_choice: { type: 'custom', custom: { name: 'c' } } })).toBe(
      'tool_choice',
    )
    expect(refusedParam({ functions: [{ name: 'f' }] })).toBe('functions')
  })

  it('are strict only where the model has that', () => {
    const parameters = {
      type: 'object',
      properties: { a: { type: 'string', pattern: '^x' } },
      required: ['a'],
      additionalProperties: false,
    }
    const tools = [tool('f', { parameters, strict: true })]
    const older = encoded({ tools })
    expect(older.body.tools).toEqual([{ name: 'f', input_schema: parameters }])
    expect(older.adjustments).toMatchObject([{ parameter: 'tools[0].function.strict', action: 'dropped' }])
    const newer = encoded({ tools }, haiku)
    expect(newer.body.tools[0]).toEqual({
      name: 'f',
      strict: true,
      input_schema: { ...parameters, properties: { a: { type: 'string', description: '(pattern: "^x")' } } },
    })
    expect(newer.adjustments).toMatchObject([{ parameter: 'tools[0].function.parameters', action: 'mapped' }])
    const map = { type: 'object', properties: { a: { type: 'object' } }, additionalProperties: false }
    const open = encoded({ tools: [tool('f', { parameters: map, strict: true })] }, haiku)
    expect(open.body.tools).toEqual([{ name: 'f', input_schema: map }])
    expect(open.adjustments).toMatchObject([{ parameter: 'tools[0].function.strict', action: 'dropped' }])
    const bare = encoded({ tools: [tool('f', { strict: true })] }, haiku)
    expect(bare.body.tools[0]).toMatchObject({ strict: true, input_schema: { additionalProperties: false } })
  })
})

describe('a conversation with calls for the Messages API', () => {
  const messages: ChatRequest['messages'] = [
    { role: 'user', content: 'hello' },
    ...['a', 'b', 'a'].flatMap((name, at): ChatRequest['messages'] => [
      {
        role: 'assistant',
        tool_calls: [{ id: `${at}`, type: 'function', function: { name, arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: `${at}`, content: 'r' },
    ]),
  ]

  it('has the tools that were called, which may not be called, where the caller gives none', () => {
    for (const further of [{}, { tools: [] }, { tool_choice: 'none' }] as const) {
      const { body, adjustments } = encoded({ messages, ...further })
      expect(body.tools).toEqual([
        { name: 'a', input_schema: { type: 'object', properties: {} } },
        { name: 'b', input_schema: { type: 'object', properties: {} } },
      ])
      expect(body.tool_choice).toEqual({ type: 'none' })
      expect(adjustments).toEqual([
        { parameter: 'tools', action: 'defaulted', detail: expect.stringContaining('called earlier') },
      ])
    }
  })

  it('has those of the caller, or the one that gives the answer, where there are some', () => {
    expect(encoded({ messages, tools: [tool('c')] })).toMatchObject({
      body: { tools: [{ name: 'c' }] },
      adjustments: [],
    })
    const format = { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } } as const
    expect(encoded({ messages, response_format: format }).body.tools).toMatchObject([{ name: 'json' }])
  })
})

describe('tool_choice for the Messages API', () => {
  const tools = [tool('a'), tool('b')]
  const named = { type: 'function', function: { name: 'b' } } as const
  const allowed = (mode: 'auto' | 'required', ...names: string[]) =>
    ({
      type: 'allowed_tools',
      allowed_tools: { mode, tools: names.map(name => ({ type: 'function', function: { name } })) },
    }) as const

  it.each([
    ['auto', undefined, { type: 'auto' }],
    ['none', undefined, { type: 'none' }],
    ['none', false, { type: 'none' }],
    ['required', undefined, { type: 'any' }],
    ['required', true, { type: 'any' }],
    [named, undefined, { type: 'tool', name: 'b' }],
    [undefined, undefined, undefined],
    [undefined, false, { type: 'auto', disable_parallel_tool_use: true }],
    ['required', false, { type: 'any', disable_parallel_tool_use: true }],
    [named, false, { type: 'tool', name: 'b', disable_parallel_tool_use: true }],
  ] as const)('%j with parallel_tool_calls %s is %j', (choice, parallel, expected) => {
    const { body, adjustments } = encoded({
      tools,
      ...(choice && { tool_choice: choice }),
      ...(parallel !== undefined && { parallel_tool_calls: parallel }),
    })
    expect(body.tool_choice).toEqual(expected)
    expect(body.tools).toHaveLength(2)
    expect(adjustments).toEqual([])
  })

  it('of allowed tools sends only those', () => {
    for (const [mode, type] of [
      ['auto', 'auto'],
      ['required', 'any'],
    ] as const) {
      const { body } = encoded({ tools, tool_choice: allowed(mode, 'b') })
      expect(body.tools).toEqual([{ name: 'b', input_schema: { type: 'object', properties: {} } }])
      expect(body.tool_choice).toEqual({ type })
    }
    expect(refusedParam({ tools, tool_choice: allowed('auto', 'c') })).toBe('tool_choice')
  })

  it('needs tools', () => {
    expect(encoded({ tools: [], tool_choice: 'none', parallel_tool_calls: false }).body).not.toHaveProperty(
      'tool_choice',
    )
    expect(encoded({ tools: [] }).body).not.toHaveProperty('tools')
    expect(refusedParam({ tool_choice: 'required' })).toBe('tool_choice')
    expect(refusedParam({ tools: [], tool_choice: named })).toBe('tool_choice')
  })
})
