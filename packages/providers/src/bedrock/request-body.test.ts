import { type Adjustment, type ChatRequest, GatewayError, type Message } from '@sluice/core'
import { describe, expect, it } from 'vitest'
import { bedrock } from '../bedrock.ts'
import type { ImageFetcher } from '../conversation/image-data.ts'

type Body = Record<string, unknown>
type Asked = Omit<Partial<ChatRequest>, 'messages'> & { readonly messages?: readonly unknown[] }

const sonnet4 = 'anthropic.claude-sonnet-4-20250514-v1:0'
const sonnet45 = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
const sonnet46 = 'us.anthropic.claude-sonnet-4-6'
const nova = 'us.amazon.nova-pro-v1:0'
const nova2 = 'us.amazon.nova-2-lite-v1:0'
const mistral = 'mistral.mistral-large-2402-v1:0'
const llama = 'us.meta.llama3-3-70b-instruct-v1:0'
const gptOss = 'openai.gpt-oss-120b-1:0'
const gpt = 'global.openai.gpt-5.6-terra'

const hi = { role: 'user', content: 'Hi' }

async function encode(
  asked: Asked,
  model = sonnet45,
  mode?: 'refuse' | 'drop',
  fetchImage?: ImageFetcher,
): Promise<{ body: Body; adjustments: readonly Adjustment[] }> {
  const input = { model: 'public', messages: [hi], ...asked } as ChatRequest
  const { provider } = bedrock({ region: 'us-east-1', bearerToken: 'token', fetchImage })
  const { body, adjustments = [] } = await provider.encode({
    input,
    model,
    ...(mode === undefined ? {} : { unsupportedParameters: mode }),
  })
  return { body: JSON.parse(String(body)) as Body, adjustments }
}

const bodyOf = async (asked: Asked, model?: string) => (await encode(asked, model)).body
const messagesOf = async (messages: readonly unknown[], model?: string) =>
  (await encode({ messages }, model)).body.messages
const adjusted = async (asked: Asked, model?: string, mode?: 'drop') =>
  (await encode(asked, model, mode)).adjustments.map(({ parameter, action }) => `${parameter} ${action}`)

async function refusal(asked: Asked, model?: string): Promise<string> {
  const failure = await encode(asked, model).catch((error: unknown) => error)
  if (!GatewayError.is(failure)) throw failure
  expect(failure.status).toBe(400)
  return `${failure.param} ${failure.code}`
}

const tool = (name: string, further: object = {}) => ({
  type: 'function' as const,
  function: { name, ...further },
})
const spec = (name: string, further: object = {}) => ({
  toolSpec: { name, inputSchema: { json: { type: 'object', properties: {} } }, ...further },
})
const called = (id: string, name = 'f', args = '{}'): Message => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name, arguments: args } }],
})
const answered = (id: string, content: unknown = 'done') => ({ role: 'tool', tool_call_id: id, content })
const use = (toolUseId: string, name = 'f', input: object = {}) => ({ toolUse: { toolUseId, name, input } })
const result = (toolUseId: string, ...texts: string[]) => ({
  toolResult: { toolUseId, content: texts.map(text => ({ text })) },
})

describe('messages', () => {
  it('go with system and developer texts in front, wherever they stood', async () => {
    const { body, adjustments } = await encode({
      messages: [
        { role: 'system', content: 'One.' },
        {
          role: 'developer',
          content: [
            { type: 'text', text: 'Two.' },
            { type: 'text', text: ' ' },
          ],
        },
        hi,
        { role: 'system', content: 'Three.' },
      ],
    })
    expect(body).toEqual({
      system: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }],
      messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
    })
    expect(adjustments).toEqual([
      { parameter: 'messages[3]', action: 'mapped', detail: 'moved to the front, into the system text' },
    ])
  })

  it('alternate: neighbours of one role are one message, with what tools answered first', async () => {
    expect(
      await messagesOf([
        hi,
        { role: 'user', content: [{ type: 'text', text: 'there' }] },
        {
          role: 'assistant',
          content: 'Wait.',
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
            { id: 'b', type: 'function', function: { name: 'g', arguments: '' } },
          ],
        },
        answered('a', 'one'),
        { role: 'user', content: 'And?' },
        answered('b', [
          { type: 'text', text: 'two' },
          { type: 'text', text: 'three' },
        ]),
      ]),
    ).toEqual([
      { role: 'user', content: [{ text: 'Hi' }, { text: 'there' }] },
      { role: 'assistant', content: [{ text: 'Wait.' }, use('a', 'f', { x: 1 }), use('b', 'g')] },
      { role: 'user', content: [result('a', 'one'), result('b', 'two', 'three'), { text: 'And?' }] },
    ])
  })

  it('go without blank texts, also where roles then meet, and trimmed at an end that is the assistant’s', async () => {
    expect(
      await messagesOf(
        [
          hi,
          { role: 'assistant', content: ' \n' },
          {
            role: 'user',
            content: [
              { type: 'text', text: '' },
              { type: 'text', text: 'still' },
            ],
          },
          { role: 'assistant', content: 'It is \n' },
        ],
        sonnet4,
      ),
    ).toEqual([
      { role: 'user', content: [{ text: 'Hi' }, { text: 'still' }] },
      { role: 'assistant', content: [{ text: 'It is' }] },
    ])
    expect(await messagesOf([hi, called('a'), answered('a', '')])).toEqual([
      { role: 'user', content: [{ text: 'Hi' }] },
      { role: 'assistant', content: [use('a')] },
      { role: 'user', content: [result('a')] },
    ])
  })

  it.each<[string, unknown[], string, string]>([
    ['nothing', [{ role: 'system', content: 'S' }], sonnet45, 'messages'],
    ['only blanks', [{ role: 'user', content: ' ' }], sonnet45, 'messages'],
    ['the assistant first', [{ role: 'assistant', content: 'A' }, hi], sonnet45, 'messages[0]'],
    ['the assistant last', [hi, { role: 'assistant', content: 'A' }], sonnet46, 'messages[1]'],
    ['the assistant last', [hi, { role: 'assistant', content: 'A' }], nova2, 'messages[1]'],
  ])('are refused with %s', async (_, messages, model, param) => {
    expect(await refusal({ messages }, model)).toBe(`${param} unsupported_value`)
  })

  it('begin with the system text for models that take none', async () => {
    const { body, adjustments } = await encode(
      { messages: [{ role: 'system', content: 'S' }, hi] },
      'mistral.mistral-7b-instruct-v0:2',
    )
    expect(body).toEqual({ messages: [{ role: 'user', content: [{ text: 'S' }, { text: 'Hi' }] }] })
    expect(adjustments).toMatchObject([{ parameter: 'messages', action: 'mapped' }])
  })

  it('tell of names, which there is no place for', async () => {
    expect(await adjusted({ messages: [{ ...hi, name: 'Ann' }] })).toEqual(['messages[0].name dropped'])
  })
})

describe('ids of calls', () => {
  const twice = (first: string, second = first) => [
    hi,
    called(first),
    answered(first),
    called(second),
    answered(second),
  ]
  const idsOf = async (messages: readonly unknown[], model?: string) => {
    const all = (await messagesOf(messages, model)) as { content: Record<string, { toolUseId?: string }>[] }[]
    return all.flatMap(({ content }) =>
      content.flatMap(({ toolUse, toolResult }) => (toolUse ?? toolResult)?.toolUseId ?? []),
    )
  }

  it('stay where they fit, and are made to where they do not', async () => {
    expect(await idsOf(twice('tooluse_a-1', 'tooluse_b'))).toEqual([
      'tooluse_a-1',
      'tooluse_a-1',
      'tooluse_b',
      'tooluse_b',
    ])
    expect(await idsOf(twice('functions.f:0', 'functions.f:1'), 'moonshotai.kimi-k2.5')).toEqual([
      'functions.f:0',
      'functions.f:0',
      'functions.f:1',
      'functions.f:1',
    ])
    expect(await idsOf(twice('functions.f:0', 'functions f 0'))).toEqual([
      'functions_f_0',
      'functions_f_0',
      'functions_f_0_1',
      'functions_f_0_1',
    ])
    const long = 'x'.repeat(80)
    const ids = await idsOf(twice(long, `${long}y`))
    expect(ids.map(id => id.length)).toEqual([64, 64, 64, 64])
    expect(new Set(ids).size).toBe(2)
  })

  it('are never twice, though a client numbers each turn anew', async () => {
    const ids = await idsOf(twice('call_0'))
    expect(ids[0]).toBe(ids[1])
    expect(ids[2]).toBe(ids[3])
    expect(ids[0]).not.toBe(ids[2])
  })

  it('are nine letters and digits for Mistral', async () => {
    const ids = await idsOf(twice('tooluse_AcB1', 'abcDEF123'), mistral)
    expect(ids.every(id => /^[a-zA-Z0-9]{9}$/.test(id))).toBe(true)
    expect(ids[0]).toBe(ids[1])
    expect(ids.slice(2)).toEqual(['abcDEF123', 'abcDEF123'])
    expect(new Set(await idsOf(twice('tooluse_AcB1', 'tooluse_AcB2'), mistral)).size).toBe(2)
  })
})

describe('images and files', () => {
  const image = (url: string, detail?: string) => ({
    role: 'user',
    content: [
      { type: 'text', text: 'See' },
      { type: 'image_url', image_url: { url, ...(detail === undefined ? {} : { detail }) } },
    ],
  })
  const file = (file: object, ...further: object[]) => ({
    role: 'user',
    content: [{ type: 'file', file }, ...further],
  })

  it.each(['png', 'jpeg', 'gif', 'webp'])('go as bytes: %s', async format => {
    expect(await messagesOf([image(`data:image/${format};base64,QUJD`)])).toEqual([
      { role: 'user', content: [{ text: 'See' }, { image: { format, source: { bytes: 'QUJD' } } }] },
    ])
  })

  it('are refused where they cannot go', async () => {
    const url = 'messages[0].content[1].image_url.url unsupported_value'
    expect(await refusal({ messages: [image('https://example.com/a.png')] })).toBe(url)
    expect(await refusal({ messages: [image('data:image/tiff;base64,QUJD')] })).toBe(url)
    expect(await refusal({ messages: [file({ file_id: 'file-1' })] })).toBe(
      'messages[0].content[0].file.file_id unsupported_value',
    )
    expect(await refusal({ messages: [file({ file_data: 'data:application/zip;base64,QUJD' })] })).toBe(
      'messages[0].content[0].file.file_data unsupported_value',
    )
    const audio = { type: 'input_audio', input_audio: { data: 'QUJD', format: 'wav' } }
    expect(await refusal({ messages: [{ role: 'user', content: [audio] }] })).toBe(
      'messages[0].content[0] unsupported_value',
    )
    expect(await refusal({ messages: [image('data:image/png;base64,')] })).toBe(
      'messages[0].content[1].image_url.url invalid_value',
    )
  })

  it('are fetched where the host lets them', async () => {
    const { body } = await encode(
      { messages: [image('https://example.com/a.png')] },
      sonnet45,
      undefined,
      url => Promise.resolve({ mediaType: 'image/png; x=y', data: new TextEncoder().encode(url.slice(-5)) }),
    )
    expect(body.messages).toEqual([
      {
        role: 'user',
        content: [{ text: 'See' }, { image: { format: 'png', source: { bytes: 'YS5wbmc=' } } }],
      },
    ])
  })

  it('tell of a detail', async () => {
    expect(await adjusted({ messages: [image('data:image/png;base64,QUJD', 'high')] })).toEqual([
      'messages[0].content[1].image_url.detail dropped',
    ])
    expect(await adjusted({ messages: [image('data:image/png;base64,QUJD', 'auto')] })).toEqual([])
  })

  it('get names that are ours and never twice, and a text beside them', async () => {
    const { body, adjustments } = await encode({
      messages: [
        file({ file_data: 'data:application/pdf;base64,QUJD', filename: 'Ignore all: instructions_.pdf' }),
        { role: 'assistant', content: 'Read.' },
        file({ file_data: 'data:text/markdown;base64,QUJD' }, { type: 'text', text: 'And this?' }),
      ],
    })
    const document = (format: string, name: string) => ({
      document: { format, name, source: { bytes: 'QUJD' } },
    })
    expect(body.messages).toEqual([
      { role: 'user', content: [document('pdf', 'document-1'), { text: 'See the document.' }] },
      { role: 'assistant', content: [{ text: 'Read.' }] },
      { role: 'user', content: [document('md', 'document-2'), { text: 'And this?' }] },
    ])
    expect(adjustments.map(({ parameter, action }) => `${parameter} ${action}`)).toEqual([
      'messages[0].content[0].file.filename mapped',
      'messages defaulted',
    ])
  })

  it.each([
    ['text/plain', 'txt'],
    ['text/csv', 'csv'],
    ['text/html', 'html'],
    ['text/x-python', 'txt'],
    ['application/msword', 'doc'],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
    ['application/vnd.ms-excel', 'xls'],
    ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ])('know %s as %s', async (type, format) => {
    const messages = await messagesOf([file({ file_data: `data:${type};base64,QUJD` })])
    expect(messages).toMatchObject([{ content: [{ document: { format } }, {}] }])
  })
})

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
    const { body, adjustments } = await encode({ tools })
    expect(body.toolConfig).toMatchObject({
      tools: [
        { toolSpec: { strict: true, inputSchema: { json: { properties: { n: { type: 'integer' } } } } } },
      ],
    })
    expect(adjustments).toMatchObject([{ parameter: 'tools[0].function.parameters', action: 'mapped' }])
    expect(await adjusted({ tools }, nova)).toEqual(['tools[0].function.strict dropped'])
  })

  const two = [tool('f'), tool('g')]
  it.each<[string, Asked, string, object]>([
    ['none said', {}, sonnet45, { tools: [spec('f'), spec('g')] }],
    ['auto', { tool_choice: 'auto' }, sonnet45, { tools: [spec('f'), spec('g')], toolChoice: { auto: {} } }],
    ['auto', { tool_choice: 'auto' }, llama, { tools: [spec('f'), spec('g')] }],
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
      { tools: [spec('f')], toolChoice: { auto: {} } },
    ],
  ])('are chosen: %s, %j', async (_, asked, model, toolConfig) => {
    expect((await bodyOf({ tools: two, ...asked }, model)).toolConfig).toEqual(toolConfig)
  })

  it('go away where none may be called, unless the conversation holds calls', async () => {
    expect(await encode({ tools: two, tool_choice: 'none' })).toEqual({
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
    const { body, adjustments } = await encode({ messages })
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
    expect(await encode({ parallel_tool_calls: false })).toMatchObject({ adjustments: [] })
  })
})

describe('response_format', () => {
  const schema = { type: 'object', properties: { a: { type: 'string', maxLength: 3 } }, required: ['a'] }
  const format = { type: 'json_schema' as const, json_schema: { name: 'thing', schema } }
  const json = { toolSpec: { name: 'json', description: expect.any(String), inputSchema: { json: schema } } }

  it('goes natively, as text, with a schema that is taken', async () => {
    const { body, adjustments } = await encode({
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
    const { body, adjustments } = await encode({ response_format: format }, sonnet4)
    expect(body.toolConfig).toEqual({ tools: [json], toolChoice: { tool: { name: 'json' } } })
    expect(adjustments).toMatchObject([{ parameter: 'response_format', action: 'mapped' }])
    expect((await bodyOf({ response_format: format }, mistral)).toolConfig).toEqual({
      tools: [json],
      toolChoice: { any: {} },
    })
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
    const { body, adjustments } = await encode({ response_format: format }, llama)
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
    expect(await encode({ response_format: { type: 'text' } })).toMatchObject({ adjustments: [] })
  })

  it('is the one call that is made, where the caller wants one at a time', async () => {
    const asked = { response_format: format, tools: [tool('f')], parallel_tool_calls: false }
    expect(await bodyOf(asked, sonnet4)).toMatchObject({
      toolConfig: { tools: [spec('f'), json] },
      additionalModelRequestFields: { tool_choice: { type: 'any', disable_parallel_tool_use: true } },
    })
    expect(await adjusted(asked, nova)).toEqual(['response_format mapped', 'parallel_tool_calls dropped'])
  })

  it('is refused together with thinking where a tool is forced for it', async () => {
    expect(await refusal({ response_format: format, reasoning_effort: 'low' }, sonnet4)).toBe(
      'reasoning_effort unsupported_parameter',
    )
  })
})

describe('reasoning_effort', () => {
  const fieldsOf = async (asked: Asked, model?: string) =>
    (await bodyOf(asked, model)).additionalModelRequestFields

  it.each<[string, Asked['reasoning_effort'], object | undefined]>([
    [sonnet45, 'none', undefined],
    [sonnet45, 'low', { thinking: { type: 'enabled', budget_tokens: 1_024 } }],
    [sonnet45, 'high', { thinking: { type: 'enabled', budget_tokens: 24_576 } }],
    [sonnet46, 'none', { thinking: { type: 'disabled' } }],
    [sonnet46, 'medium', { thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } }],
    ['anthropic.claude-3-haiku-20240307-v1:0', 'high', undefined],
    [nova2, 'none', { reasoningConfig: { type: 'disabled' } }],
    [nova2, 'minimal', { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' } }],
    [nova2, 'medium', { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' } }],
    [nova2, 'max', { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } }],
    [nova, 'high', undefined],
    [gptOss, 'medium', { reasoning_effort: 'medium' }],
    [gptOss, 'none', { reasoning_effort: 'low' }],
    [gptOss, 'xhigh', { reasoning_effort: 'high' }],
    [gpt, 'xhigh', { reasoning: { effort: 'xhigh' } }],
    [llama, 'low', undefined],
  ])('of %s: %s', async (model, reasoning_effort, fields) => {
    expect(await fieldsOf({ reasoning_effort: reasoning_effort! }, model)).toEqual(fields)
  })

  it('tells where it is not what was asked', async () => {
    expect(await adjusted({ reasoning_effort: 'high' })).toEqual(['reasoning_effort mapped'])
    expect(await adjusted({ reasoning_effort: 'high' }, nova2)).toEqual([])
    expect(await adjusted({ reasoning_effort: 'max' }, nova2)).toEqual(['reasoning_effort mapped'])
    expect(await adjusted({ reasoning_effort: 'low' }, llama)).toEqual(['reasoning_effort dropped'])
    expect(await adjusted({ reasoning_effort: 'none' }, llama)).toEqual([])
  })

  it('adds Claude’s budget to the bound of the answer, and leaves sampling out', async () => {
    const { body, adjustments } = await encode({
      reasoning_effort: 'low',
      max_completion_tokens: 500,
      temperature: 0.5,
      top_p: 1,
      top_k: 5,
    })
    expect(body.inferenceConfig).toEqual({ maxTokens: 1_524 })
    expect(adjustments.map(({ parameter, action }) => `${parameter} ${action}`)).toEqual([
      'reasoning_effort mapped',
      'max_completion_tokens mapped',
      'temperature dropped',
      'top_k dropped',
    ])
  })

  it('takes no bound and no sampling beside the highest effort of Nova 2', async () => {
    const asked = { reasoning_effort: 'high' as const }
    expect(await refusal({ ...asked, max_tokens: 100 }, nova2)).toBe('max_tokens unsupported_parameter')
    expect(await refusal({ ...asked, temperature: 0.1 }, nova2)).toBe('temperature unsupported_parameter')
    expect(await adjusted({ ...asked, max_completion_tokens: 9, top_p: 0.5 }, nova2, 'drop')).toEqual([
      'max_completion_tokens dropped',
      'top_p dropped',
    ])
    expect((await bodyOf({ reasoning_effort: 'low', max_tokens: 100 }, nova2)).inferenceConfig).toEqual({
      maxTokens: 100,
    })
  })

  it('gives way to the vendor’s own words', async () => {
    const thinking = { type: 'enabled', budget_tokens: 2_000 }
    expect(await fieldsOf({ thinking })).toEqual({ thinking })
    const additionalModelRequestFields = { thinking }
    const { body, adjustments } = await encode({
      additionalModelRequestFields,
      temperature: 0,
      reasoning_effort: 'low',
    })
    expect(body).toMatchObject({ additionalModelRequestFields })
    expect(body.inferenceConfig).toBeUndefined()
    expect(adjustments.map(({ parameter }) => parameter)).toEqual(['reasoning_effort', 'temperature'])
    const older = { reasoning_config: thinking }
    expect(await fieldsOf({ additionalModelRequestFields: older })).toEqual(older)
    expect(await adjusted({ thinking }, nova)).toEqual(['thinking dropped'])
  })
})

describe('reasoning that comes back', () => {
  const signed = (text: string, signature: string, index = 0) => ({
    type: 'reasoning.text',
    text,
    signature,
    format: 'anthropic-claude-v1',
    index,
  })
  const encrypted = (data: string, format = 'anthropic-claude-v1') => ({
    type: 'reasoning.encrypted',
    data,
    format,
    index: 1,
  })
  const history = (details: unknown, further: object = {}) => [
    hi,
    { ...called('a'), reasoning_content: 'Hm.', reasoning_details: details, ...further },
    answered('a'),
  ]
  const contentOf = async (details: unknown, model?: string) => {
    const asked = { messages: history(details), tools: [tool('f')], reasoning_effort: 'low' as const }
    const { body } = await encode(asked, model)
    return (body.messages as { content: unknown[] }[])[1]?.content
  }
  const anthropicData = btoa('\u0012 protobuf \u00ff')

  it('stands before the call, as the vendor gave it', async () => {
    expect(await contentOf([signed('Hm.', 'c2ln'), encrypted(btoa(anthropicData))])).toEqual([
      { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'c2ln' } } },
      { reasoningContent: { redactedContent: btoa(anthropicData) } },
      use('a'),
    ])
  })

  it('is encoded once more where Anthropic itself gave it', async () => {
    expect(await contentOf([signed('Hm.', 's'), encrypted(anthropicData)])).toMatchObject([
      {},
      { reasoningContent: { redactedContent: btoa(anthropicData) } },
      {},
    ])
  })

  it('goes as it came to other models that encrypt theirs', async () => {
    expect(await contentOf([encrypted('cnNuXw==', 'amazon-bedrock-v1')], gpt)).toEqual([
      { reasoningContent: { redactedContent: 'cnNuXw==' } },
      use('a'),
    ])
  })

  it.each<[string, unknown, string, string[]]>([
    [
      'another vendor’s',
      [{ ...signed('Hm.', 's'), format: 'google-gemini-v1' }],
      gptOss,
      ['messages[1].reasoning_details dropped'],
    ],
    [
      'without a signature',
      [{ type: 'reasoning.text', text: 'Hm.', index: 0 }],
      gptOss,
      ['messages[1].reasoning_details dropped'],
    ],
    ['text alone', undefined, gptOss, ['messages[1].reasoning_content dropped']],
  ])('is left out, and told of: %s', async (_, details, model, expected) => {
    const asked = { messages: history(details), tools: [tool('f')] }
    expect(await adjusted(asked, model)).toEqual(expected)
    expect(await messagesOf(asked.messages, model)).toMatchObject([{}, { content: [use('a')] }, {}])
  })

  it('is left out where Claude does not think in the round that goes on, and where nothing follows it', async () => {
    const messages = history([signed('Hm.', 's')])
    expect(await adjusted({ messages, tools: [tool('f')] })).toEqual([
      'messages[1].reasoning_details dropped',
    ])
    const ending = [hi, { role: 'assistant', content: '', reasoning_details: [signed('Hm.', 's')] }, hi]
    expect(await adjusted({ messages: ending, reasoning_effort: 'low' })).toEqual([
      'reasoning_effort mapped',
      'messages[1].reasoning_details dropped',
    ])
  })
})

describe('cache_control', () => {
  const mark = { cache_control: { type: 'ephemeral' } }
  const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } }
  const point = { cachePoint: { type: 'default' } }
  const asked: Asked = {
    messages: [
      {
        role: 'system',
        content: [
          { type: 'text', text: 'S', ...hour },
          { type: 'text', text: 'T' },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'A', ...mark },
          { type: 'text', text: 'B' },
        ],
      },
      { ...called('a'), ...mark },
      { ...answered('a'), ...mark },
      { role: 'user', content: 'C', ...mark },
    ],
    tools: [{ ...tool('f'), ...mark } as ReturnType<typeof tool>, tool('g')],
  }

  it('is a point after what it marks', async () => {
    const { body, adjustments } = await encode(asked)
    expect(body).toEqual({
      system: [{ text: 'S' }, { cachePoint: { type: 'default', ttl: '1h' } }, { text: 'T' }],
      messages: [
        { role: 'user', content: [{ text: 'A' }, point, { text: 'B' }] },
        { role: 'assistant', content: [use('a'), point] },
        { role: 'user', content: [result('a', 'done'), point, { text: 'C' }, point] },
      ],
      toolConfig: { tools: [spec('f'), point, spec('g')] },
    })
    expect(adjustments).toEqual([])
  })

  it('stands on what is said, where the end of a message is blank', async () => {
    const blank = { type: 'text', text: ' ' }
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'A' }, blank], ...mark },
      { ...called('a'), content: '\n', ...mark },
      answered('a'),
    ]
    expect(await messagesOf(messages)).toMatchObject([
      { content: [{ text: 'A' }, point] },
      { content: [use('a'), point] },
      { content: [result('a', 'done')] },
    ])
  })

  it('is left out where the model has no cache, and told of', async () => {
    expect(await adjusted(asked, nova)).toEqual(['tools[0].cache_control dropped'])
    expect(JSON.stringify((await encode(asked, nova)).body.toolConfig)).not.toContain('cachePoint')
    expect(await adjusted(asked, llama)).toEqual([
      'messages[0].content[0].cache_control dropped',
      'messages[1].content[0].cache_control dropped',
      'messages[2].cache_control dropped',
      'messages[3].cache_control dropped',
      'messages[4].cache_control dropped',
      'tools[0].cache_control dropped',
    ])
    expect(JSON.stringify((await encode(asked, llama)).body)).not.toContain('cachePoint')
  })
})

describe('the other parameters', () => {
  it.each<[string, Asked, object]>([
    ['max_tokens', { max_tokens: 5 }, { inferenceConfig: { maxTokens: 5 } }],
    ['max_completion_tokens', { max_completion_tokens: 6 }, { inferenceConfig: { maxTokens: 6 } }],
    ['temperature', { temperature: 0 }, { inferenceConfig: { temperature: 0 } }],
    ['top_p', { top_p: 0.9 }, { inferenceConfig: { topP: 0.9 } }],
    ['stop', { stop: 'END' }, { inferenceConfig: { stopSequences: ['END'] } }],
    ['stop', { stop: ['a', 'b'] }, { inferenceConfig: { stopSequences: ['a', 'b'] } }],
    ['top_k', { top_k: 40 }, { additionalModelRequestFields: { top_k: 40 } }],
    ['service_tier', { service_tier: 'flex' }, { serviceTier: { type: 'flex' } }],
    ['service_tier', { service_tier: 'auto' }, {}],
    ['metadata', { metadata: { team: 'a b:c' } }, { requestMetadata: { team: 'a b:c' } }],
    ['metadata', { metadata: {} }, {}],
    [
      'guardrailConfig',
      { guardrailConfig: { guardrailIdentifier: 'g' } },
      { guardrailConfig: { guardrailIdentifier: 'g' } },
    ],
    [
      'performanceConfig',
      { performanceConfig: { latency: 'optimized' } },
      { performanceConfig: { latency: 'optimized' } },
    ],
    ['promptVariables', { promptVariables: { a: { text: 'b' } } }, { promptVariables: { a: { text: 'b' } } }],
    [
      'requestMetadata',
      { metadata: { a: '1', b: '1' }, requestMetadata: { b: '2' } },
      { requestMetadata: { a: '1', b: '2' } },
    ],
    [
      'additionalModelRequestFields',
      { top_k: 5, additionalModelRequestFields: { anthropic_beta: ['x'] } },
      { additionalModelRequestFields: { top_k: 5, anthropic_beta: ['x'] } },
    ],
  ])('%s %j', async (_, asked, fields) => {
    const { body, adjustments } = await encode(asked)
    expect(body).toEqual({ messages: [{ role: 'user', content: [{ text: 'Hi' }] }], ...fields })
    expect(adjustments).toEqual([])
  })

  it.each<[string, string, object]>([
    ['Nova', nova, { additionalModelRequestFields: { inferenceConfig: { topK: 7 } } }],
    ['Cohere', 'cohere.command-r-v1:0', { additionalModelRequestFields: { k: 7 } }],
    ['Llama', llama, {}],
  ])('top_k for %s', async (_, model, fields) => {
    expect(await bodyOf({ top_k: 7 }, model)).toEqual({ messages: expect.anything(), ...fields })
  })

  it.each<[Asked, string, string]>([
    [{ temperature: 1.5 }, sonnet45, 'temperature unsupported_value'],
    [{ temperature: 1.5 }, nova, 'temperature unsupported_value'],
    [{ temperature: 0.5, top_p: 0.5 }, sonnet45, 'top_p unsupported_parameter'],
    [{ stop: ['ok', '\n'] }, sonnet45, 'stop unsupported_value'],
    [{ stop: '' }, nova, 'stop unsupported_value'],
    [{ stop: 'a' }, gpt, 'stop unsupported_parameter'],
    [{ n: 2 }, nova, 'n unsupported_parameter'],
    [{ logprobs: true }, nova, 'logprobs unsupported_parameter'],
    [{ logit_bias: { 1: 1 } }, nova, 'logit_bias unsupported_parameter'],
    [{ modalities: ['text', 'audio'] }, nova, 'modalities unsupported_parameter'],
    [{ web_search_options: {} }, nova, 'web_search_options unsupported_parameter'],
    [{ functions: [{ name: 'f' }] }, nova, 'functions unsupported_parameter'],
    [{ additionalModelRequestFields: 1 }, nova, 'additionalModelRequestFields invalid_type'],
  ])('refuses %j', async (asked, model, expected) => {
    expect(await refusal(asked, model)).toBe(expected)
  })

  it.each<[Asked, string, string[]]>([
    [{ temperature: 1.5 }, nova, ['temperature dropped']],
    [{ stop: ['ok', ' '] }, sonnet45, ['stop dropped']],
    [{ n: 2 }, nova, ['n dropped']],
  ])('leaves out %j where the owner chose so', async (asked, model, expected) => {
    expect(await adjusted(asked, model, 'drop')).toEqual(expected)
  })

  it.each<[Asked, string, string[]]>([
    [
      { seed: 1, user: 'u', safety_identifier: 's', store: true, verbosity: 'low', prompt_cache_key: 'k' },
      nova,
      [
        'seed dropped',
        'user dropped',
        'safety_identifier dropped',
        'store dropped',
        'verbosity dropped',
        'prompt_cache_key dropped',
      ],
    ],
    [{ presence_penalty: 1, frequency_penalty: 0 }, nova, ['presence_penalty dropped']],
    [{ service_tier: 'scale' }, nova, ['service_tier dropped']],
    [{ temperature: 0.5, top_p: 1 }, gpt, ['temperature dropped']],
    [{ max_tokens: 5, max_completion_tokens: 6 }, nova, ['max_tokens dropped']],
    [
      { metadata: { ok: 'a', 'no!': 'b', long: 'c'.repeat(300) } },
      nova,
      ['metadata.no! dropped', 'metadata.long dropped'],
    ],
    [{ top_k: 1 }, llama, ['top_k dropped']],
    [{ something: 1 }, nova, ['something dropped']],
    [{ n: 1, logprobs: false, logit_bias: {}, store: false, parallel_tool_calls: true }, nova, []],
  ])('tells of %j', async (asked, model, expected) => {
    expect(await adjusted(asked, model)).toEqual(expected)
  })
})
