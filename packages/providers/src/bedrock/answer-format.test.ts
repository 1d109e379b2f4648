import { describe, expect, it } from 'vitest'
import {
  adjusted,
  bodyOf,
  encoded,
  hi,
  llama,
  mistral,
  nova,
  refusal,
  sonnet4,
  sonnet45,
  spec,
  tool,
} from '../../test/bedrock/scripted-request.ts'

describe('response_format', () => {
  const schema = { type: 'object', properties: { a: { type: 'string', maxLength: 3 } }, required: ['a'] }
  const format = { type: 'json_schema' as const, json_schema: { name: 'thing', schema } }
  const json = { toolSpec: { name: 'json', description: expect.any(String), inputSchema: { json: schema } } }

  it('goes natively, as text, with a schema that is taken', async () => {
    const { body, adjustments } = await encoded({
      response_format: { ...format, json_schema: { ...format.json_schema, description: 'A thing.' } },
    })
    const { textFormat } = body.outputConfig as {
      textFormat: { structure: { jsonSchema: { schema: string } } }
    }
    expect(textFormat).toEqual({
      type: 'json_schema',
      structure: { jsonSchema: { name: 'thing', description: 'A thing.', schema: expect.any(String) } },
    })
    expect(JSON.parse(textFormat.structure.jsonSchema.schema)).toMatchObject({
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    })
    expect(textFormat.structure.jsonSchema.schema).not.toMatch(/"maxLength":/)
    expect(adjustments).toMatchObject([{ parameter: 'response_format.json_schema.schema', action: 'mapped' }])
  })

  it('goes as the input of a forced tool where the model has no format', async () => {
    const { body, adjustments } = await encoded({ response_format: format }, sonnet4)
    expect(body.toolConfig).toEqual({ tools: [json], toolChoice: { tool: { name: 'json' } } })
    expect(adjustments).toMatchObject([{ parameter: 'response_format', action: 'mapped' }])
    expect((await bodyOf({ response_format: format }, mistral)).toolConfig).toEqual({
      tools: [json],
      toolChoice: { any: {} },
    })
  })

  it('goes as a tool too where the format would leave an object empty', async () => {
    const map = {
      type: 'object',
      properties: { a: { type: 'object', additionalProperties: { type: 'string' } } },
    }
    const response_format = { ...format, json_schema: { name: 'thing', schema: map } }
    const { body, adjustments } = await encoded({ response_format })
    expect(body.outputConfig).toBeUndefined()
    expect(body.toolConfig).toMatchObject({ tools: [{ toolSpec: { inputSchema: { json: map } } }] })
    expect(adjustments).toMatchObject([{ parameter: 'response_format', action: 'mapped' }])
  })

  it('goes beside the caller’s tools, of which one has to be called then', async () => {
    const tools = [tool('json')]
    expect((await bodyOf({ response_format: format, tools }, sonnet4)).toolConfig).toMatchObject({
      tools: [spec('json'), { toolSpec: { name: 'json_2' } }],
      toolChoice: { any: {} },
    })
    expect(
      (await bodyOf({ response_format: format, tools, tool_choice: 'none' }, sonnet4)).toolConfig,
    ).toMatchObject({
      tools: [spec('json'), { toolSpec: { name: 'json_2' } }],
      toolChoice: { tool: { name: 'json_2' } },
    })
    expect(
      (await bodyOf({ response_format: format, tools, tool_choice: 'required' }, sonnet4)).toolConfig,
    ).toEqual({
      tools: [spec('json')],
      toolChoice: { any: {} },
    })
    expect(await adjusted({ response_format: format, tools, tool_choice: 'required' }, sonnet4)).toEqual([
      'response_format dropped',
    ])
  })

  it('is asked for in words where no tool can be forced, and for JSON of any form', async () => {
    const { body, adjustments } = await encoded({ response_format: format }, llama)
    expect(body.toolConfig).toBeUndefined()
    expect(body.system).toEqual([{ text: expect.stringContaining(JSON.stringify(schema)) }])
    expect(adjustments).toMatchObject([{ parameter: 'response_format', action: 'mapped' }])
    for (const model of [sonnet45, nova]) {
      const messages = [{ role: 'system', content: 'S' }, hi]
      expect((await bodyOf({ messages, response_format: { type: 'json_object' } }, model)).system).toEqual([
        { text: 'S' },
        { text: expect.stringMatching(/JSON object only/) },
      ])
    }
    expect(await encoded({ response_format: { type: 'text' } })).toMatchObject({ adjustments: [] })
  })

  it('is the one call that is made, where the caller wants one at a time', async () => {
    const asked = { response_format: format, tools: [tool('f')], parallel_tool_calls: false }
    expect(await bodyOf(asked, sonnet4)).toMatchObject({
      toolConfig: { tools: [spec('f'), json] },
      additionalModelRequestFields: { tool_choice: { type: 'any', disable_parallel_tool_use: true } },
    })
    expect(await adjusted(asked, nova)).toEqual(['response_format mapped', 'parallel_tool_calls dropped'])
  })

  it('gives way to the vendor’s own words', async () => {
    const outputConfig = { textFormat: { type: 'json_schema', structure: {} } }
    for (const model of [sonnet45, sonnet4]) {
      const { body, adjustments } = await encoded({ response_format: format, outputConfig }, model)
      expect(body).toMatchObject({ outputConfig })
      expect(body.toolConfig).toBeUndefined()
      expect(adjustments).toMatchObject([{ parameter: 'response_format', action: 'dropped' }])
    }
    const output_config = { format: { type: 'json_schema', schema } }
    expect(await bodyOf({ response_format: format, output_config })).toEqual({
      messages: expect.anything(),
      additionalModelRequestFields: { output_config },
    })
    expect(
      (await bodyOf({ response_format: format, outputConfig: { other: 1 } })).outputConfig,
    ).toMatchObject({
      textFormat: {},
      other: 1,
    })
  })

  it('is refused together with thinking where a tool is forced for it', async () => {
    expect(await refusal({ response_format: format, reasoning_effort: 'low' }, sonnet4)).toBe(
      'reasoning_effort unsupported_parameter',
    )
  })
})
