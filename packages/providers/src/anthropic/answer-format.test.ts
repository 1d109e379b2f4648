import type { GatewayError } from '@sluice/core'
import type { Call, ChatRequest, JsonObject } from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { answerToolName } from './answer-format.ts'
import { requestBody } from './request-body.ts'

const sonnet4 = 'claude-sonnet-4-20250514'
const haiku = 'claude-haiku-4-5'
const schema = {
  type: 'object',
  properties: { name: { type: 'string' } },
  required: ['name'],
  additionalProperties: false,
}
const asked = (schema: JsonObject | undefined, further = {}): Partial<ChatRequest> => ({
  response_format: {
    type: 'json_schema',
    json_schema: { name: 'person', ...(schema && { schema }), ...further },
  },
})

function callOf(further: Partial<ChatRequest>, model: string): Call {
  return {
    input: { model: 'public', messages: [{ role: 'user', content: 'hello' }], max_tokens: 100, ...further },
    model,
  }
}

function encoded(further: Partial<ChatRequest>, model = haiku) {
  const { body, adjustments } = requestBody(callOf(further, model))
  return { body: JSON.parse(JSON.stringify(body)), adjustments }
}

describe('response_format for the Messages API', () => {
  it("is the vendor's own where the model has it", () => {
    const { body, adjustments } = encoded(asked(schema, { strict: true }))
    expect(body.output_config).toEqual({ format: { type: 'json_schema', schema } })
    expect(body).not.toHaveProperty('tools')
    expect(adjustments).toEqual([])
    const described = encoded(asked(schema, { description: 'A person.' }))
    expect(described.body.output_config.format.schema).toEqual({ description: 'A person.', ...schema })
    expect(encoded({ ...asked(schema), output_config: { task: 1 } }).body.output_config).toMatchObject({
      task: 1,
      format: {},
    })
  })

  it("gives way to the vendor's own", () => {
    const output_config = { format: { type: 'json_schema', schema: { type: 'object' } } }
    const { body, adjustments } = encoded({ ...asked(schema), output_config })
    expect(body.output_config).toEqual(output_config)
    expect(adjustments).toMatchObject([{ parameter: 'response_format', action: 'dropped' }])
  })

  it('tells what of the schema the vendor does not take', () => {
    const { body, adjustments } = encoded(
      asked({ ...schema, properties: { age: { type: 'integer', minimum: 0 } } }),
    )
    expect(body.output_config.format.schema.properties).toEqual({
      age: { type: 'integer', description: '(minimum: 0)' },
    })
    expect(adjustments).toEqual([
      {
        parameter: 'response_format.json_schema.schema',
        action: 'mapped',
        detail: expect.stringContaining('minimum'),
      },
    ])
  })

  it('is a forced tool where the model has none', () => {
    const { body, adjustments } = encoded(asked(schema, { description: 'A person.' }), sonnet4)
    expect(body.tools).toEqual([{ name: 'json', description: 'A person.', input_schema: schema }])
    expect(body.tool_choice).toEqual({ type: 'tool', name: 'json', disable_parallel_tool_use: true })
    expect(adjustments).toMatchObject([{ parameter: 'response_format', action: 'mapped' }])
  })

  it('is a forced tool too where the format would leave an object empty', () => {
    const map = { ...schema, properties: { names: { type: 'object', additionalProperties: {} } } }
    const { body, adjustments } = encoded({ ...asked(map), reasoning_effort: 'low' }, 'claude-opus-4-8')
    expect(body.tools).toMatchObject([{ name: 'json', input_schema: map }])
    expect(body).toMatchObject({ tool_choice: { type: 'tool' }, thinking: { type: 'adaptive' } })
    expect(body.output_config).toEqual({ effort: 'low' })
    expect(adjustments).toMatchObject([{ parameter: 'response_format', action: 'mapped' }])
    expect(answerToolName(callOf(asked(map), 'claude-opus-4-8'))).toBe('json')
    // No tool can be forced there, and no tool can have that root.
    for (const [given, model] of [
      [map, 'claude-opus-5-5'],
      [{ $ref: '#/$defs/a', $defs: { a: map } }, haiku],
    ] as const) {
      const other = encoded(asked(given), model)
      expect(other.body.output_config).toHaveProperty('format')
      expect(other.adjustments).toMatchObject([
        { parameter: 'response_format.json_schema.schema', action: 'mapped' },
      ])
      expect(answerToolName(callOf(asked(given), model))).toBeUndefined()
    }
  })

  it('is one of several tools where the caller has some, under a name of its own', () => {
    const tool = (name: string) => ({ type: 'function', function: { name } }) as const
    const tools = [tool('json'), tool('json_2')]
    const own = encoded({ ...asked(schema), tools }, sonnet4)
    expect(own.body.tools.map(({ name }: { name: string }) => name)).toEqual(['json', 'json_2', 'json_3'])
    expect(own.body.tool_choice).toEqual({ type: 'any' })
    expect(
      encoded({ ...asked(schema), tools, parallel_tool_calls: false }, sonnet4).body.tool_choice,
    ).toEqual({
      type: 'any',
      disable_parallel_tool_use: true,
    })
    expect(encoded({ ...asked(schema), tools, tool_choice: 'none' }, sonnet4).body.tool_choice).toMatchObject(
      {
        type: 'tool',
        name: 'json_3',
      },
    )
    const forced = encoded({ ...asked(schema), tools, tool_choice: 'required' }, sonnet4)
    expect(forced.body.tools).toHaveLength(2)
    expect(forced.adjustments).toMatchObject([{ parameter: 'response_format', action: 'dropped' }])
  })

  it('cannot be a tool whose schema has another root', () => {
    try {
      encoded(asked({ type: 'array', items: {} }), sonnet4)
      expect.unreachable()
    } catch (error) {
      expect(error as GatewayError).toMatchObject({
        status: 400,
        param: 'response_format.json_schema.schema',
      })
    }
  })

  it('is a line of the system text for JSON of any form', () => {
    for (const further of [{ response_format: { type: 'json_object' } }, asked(undefined)] as const) {
      const { body, adjustments } = encoded({
        ...further,
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'hello' },
        ],
      })
      expect(body.system).toMatch(/^Be brief\.\n\n.*JSON/)
      expect(adjustments).toMatchObject([{ parameter: 'response_format', action: 'mapped' }])
    }
    expect(encoded({ response_format: { type: 'text' } })).toMatchObject({ adjustments: [] })
  })
})

describe('answerToolName', () => {
  it('is known from the call alone', () => {
    expect(answerToolName(callOf(asked(schema), sonnet4))).toBe('json')
    expect(answerToolName(callOf(asked(schema), haiku))).toBeUndefined()
    expect(answerToolName(callOf({}, sonnet4))).toBeUndefined()
    expect(answerToolName(callOf({ response_format: { type: 'json_object' } }, sonnet4))).toBeUndefined()
  })
})
