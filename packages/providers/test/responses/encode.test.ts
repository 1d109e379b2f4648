import { GatewayError } from '@sluice/core'
import type { Capabilities, ChatRequest } from '@sluice/core/provider'
import { openai, openaiCompatible } from '@sluice/providers'
import { describe, expect, it } from 'vitest'

// Requests to reasoning models of OpenAI, translated for its Responses API.

const { provider } = openai({ apiKey: 'k' })('gpt-5')
const reasoning: Capabilities = { reasoning: true }
const messages = [{ role: 'user', content: 'Hi' }] as const

type Input = Partial<ChatRequest> & { readonly [extra: string]: unknown }

async function encoded(input: Input, model = 'gpt-5', capabilities: Capabilities = reasoning) {
  const call = { input: { model: 'm', messages, ...input } as ChatRequest, model, capabilities }
  const { url, headers, body, adjustments = [] } = await provider.encode(call)
  return { url, headers, body: JSON.parse(String(body)), adjustments }
}

/** The items of a conversation. */
async function itemsOf(...list: object[]) {
  const { body } = await encoded({ messages: list as unknown as ChatRequest['messages'] })
  return body.input
}

describe('the API of a request', () => {
  const chat = 'https://api.openai.com/v1/chat/completions'
  const responses = 'https://api.openai.com/v1/responses'

  it('is Responses for models that reason', async () => {
    expect((await encoded({})).url).toBe(responses)
    expect((await encoded({}, 'gpt-4o', {})).url).toBe(chat)
    expect((await encoded({}, 'gpt-5', { reasoning: false })).url).toBe(chat)
    expect((await encoded({}, 'gpt-5-search-api')).url).toBe(chat)
    expect((await encoded({}, 'gpt-5-search-api-2025-10-14')).url).toBe(chat)
  })

  it.each<Input>([
    { n: 2 },
    { stop: ['x'] },
    { seed: 1 },
    { logit_bias: { 50256: -100 } },
    { presence_penalty: 1 },
    { frequency_penalty: 1 },
    { prediction: { type: 'content', content: 'x' } },
    { modalities: ['text', 'audio'] },
    { store: true },
    { moderation: { model: 'm' } },
    { max_completion_tokens: 15 },
    { max_tokens: 1 },
    { functions: [{ name: 'f' }] },
    { unknown: 1 },
    { messages: [{ role: 'user', name: 'ann', content: 'Hi' }] },
    {
      messages: [
        { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }] },
      ],
    },
    {
      messages: [
        ...messages,
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
        { role: 'function', name: 'f', content: 'x' },
      ],
    },
  ])('is chat completions for what the other cannot express: %j', async input => {
    expect((await encoded(input)).url).toBe(chat)
  })

  it.each<Input>([
    { n: 1, store: false, presence_penalty: 0, logit_bias: {}, modalities: ['text'] },
    { max_completion_tokens: 16 },
  ])('is Responses where nothing is lost: %j', async input => {
    const { url, adjustments } = await encoded(input)
    expect({ url, adjustments }).toEqual({ url: responses, adjustments: [] })
  })

  it('is that of its option', async () => {
    const call = { input: { model: 'm', messages }, model: 'gpt-5', capabilities: reasoning }
    const urlOf = async (of: typeof provider) => (await of.encode(call)).url
    expect(await urlOf(openai({ apiKey: 'k', reasoningApi: 'chat' })('gpt-5').provider)).toBe(chat)
    const baseURL = 'https://llm.acme.example/v1'
    expect(await urlOf(openai({ apiKey: 'k', baseURL })('gpt-5').provider)).toBe(
      `${baseURL}/chat/completions`,
    )
    const acme = { name: 'acme', baseURL, apiKey: 'k' }
    expect(await urlOf(openaiCompatible(acme)('m').provider)).toBe(`${baseURL}/chat/completions`)
    const { provider: by } = openaiCompatible({ ...acme, reasoningApi: 'responses' })('m')
    expect(await urlOf(by)).toBe(`${baseURL}/responses`)
    expect(JSON.parse(String((await by.encode(call)).body)).include).toBeUndefined()
    expect(() => openai({ apiKey: 'k', reasoningApi: 'other' as 'chat' })).toThrow(
      /reasoningApi.*'responses' or 'chat'/s,
    )
  })

  it('refuses two maximums of the output, as chat completions do', async () => {
    const input = { max_tokens: 100, max_completion_tokens: 200 }
    const failure = await encoded(input).catch((error: unknown) => error)
    expect(GatewayError.is(failure) && failure.param).toBe('max_tokens')
  })
})

describe('the realm of encrypted reasoning', () => {
  const realmOf = (options: Parameters<typeof openai>[0]) => openai(options)('gpt-5').provider.realm

  it('is the host, the organization and the project', () => {
    const base = 'https://api.openai.com/v1'
    expect(realmOf({ apiKey: 'k' })).toBe(base)
    const realms = [
      realmOf({ apiKey: 'k', organization: 'a' }),
      realmOf({ apiKey: 'k', organization: 'b' }),
      realmOf({ apiKey: 'k', organization: 'a', project: 'p' }),
      realmOf({ apiKey: 'k', baseURL: 'https://llm.acme.example/v1' }),
    ]
    expect(new Set([base, ...realms]).size).toBe(5)
  })
})

describe('the fields of a request', () => {
  it('store nothing, and ask for encrypted reasoning', async () => {
    const { body, headers } = await encoded({})
    expect(headers).toMatchObject({ authorization: 'Bearer k', accept: 'application/json' })
    expect(body).toEqual({
      model: 'gpt-5',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
      store: false,
      include: ['reasoning.encrypted_content'],
      stream: false,
    })
  })

  it('have the names of the API', async () => {
    const schema = { type: 'object', properties: {} }
    const { body, adjustments } = await encoded({
      stream: true,
      stream_options: { include_usage: true, include_obfuscation: false },
      max_completion_tokens: 500,
      temperature: 1,
      top_p: 1,
      logprobs: true,
      top_logprobs: 3,
      response_format: { type: 'json_schema', json_schema: { name: 's', schema, description: 'd' } },
      reasoning_effort: 'high',
      verbosity: 'low',
      parallel_tool_calls: false,
      metadata: { a: 'b' },
      service_tier: 'flex',
      user: 'u',
      safety_identifier: 'si',
      prompt_cache_key: 'pk',
      prompt_cache_retention: '24h',
    })
    const { model: _, input: __, store: ___, ...rest } = body
    expect(adjustments).toEqual([])
    expect(rest).toEqual({
      include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
      stream: true,
      stream_options: { include_obfuscation: false },
      max_output_tokens: 500,
      temperature: 1,
      top_p: 1,
      top_logprobs: 3,
      text: {
        format: { type: 'json_schema', name: 's', description: 'd', schema, strict: false },
        verbosity: 'low',
      },
      reasoning: { effort: 'high', summary: 'auto' },
      parallel_tool_calls: false,
      metadata: { a: 'b' },
      service_tier: 'flex',
      user: 'u',
      safety_identifier: 'si',
      prompt_cache_key: 'pk',
      prompt_cache_retention: '24h',
    })
  })

  it('show no thoughts without an effort', async () => {
    expect((await encoded({})).body.reasoning).toBeUndefined()
    expect((await encoded({ reasoning_effort: 'none' })).body.reasoning).toEqual({ effort: 'none' })
  })

  it('have flat tools, which are strict only if they say so', async () => {
    const parameters = { type: 'object', properties: {} }
    const grammar = { syntax: 'lark', definition: 'start: "a"' }
    const { body, adjustments } = await encoded({
      tools: [
        { type: 'function', function: { name: 'f', description: 'd', parameters } },
        { type: 'function', function: { name: 'g', strict: true } },
        { type: 'custom', custom: { name: 'c', format: { type: 'grammar', grammar } } },
        {
          type: 'function',
          function: { name: 'h', parameters },
          cache_control: { type: 'ephemeral' },
        } as never,
      ],
      web_search_options: {
        search_context_size: 'low',
        user_location: { type: 'approximate', approximate: { city: 'Paris' } },
      },
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] },
      },
    })
    expect(body.tools).toEqual([
      { type: 'function', name: 'f', description: 'd', parameters, strict: false },
      { type: 'function', name: 'g', parameters: null, strict: true },
      { type: 'custom', name: 'c', format: { type: 'grammar', ...grammar } },
      { type: 'function', name: 'h', parameters, strict: false },
      {
        type: 'web_search',
        search_context_size: 'low',
        user_location: { type: 'approximate', city: 'Paris' },
      },
    ])
    expect(body.tool_choice).toEqual({
      type: 'allowed_tools',
      mode: 'auto',
      tools: [{ type: 'function', name: 'f' }],
    })
    expect(adjustments).toEqual([
      expect.objectContaining({ parameter: 'tools[3].cache_control', action: 'dropped' }),
      expect.objectContaining({ parameter: 'web_search_options', action: 'mapped' }),
    ])
  })

  it.each([
    ['required', 'required'],
    [
      { type: 'function', function: { name: 'f' } },
      { type: 'function', name: 'f' },
    ],
    [
      { type: 'custom', custom: { name: 'c' } },
      { type: 'custom', name: 'c' },
    ],
    [{ type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [] } }, 'none'],
  ] as const)('have a flat choice of tools: %j', async (tool_choice, expected) => {
    expect((await encoded({ tool_choice })).body.tool_choice).toEqual(expected)
  })
})

const call = (id: string, name = 'f') => ({ id, type: 'function', function: { name, arguments: '{"a":1}' } })
const encryptedBlock = (index: number, place?: object) => ({
  type: 'reasoning.encrypted',
  format: 'openai-responses-v1',
  id: `rs_${index}`,
  data: `ENC${index}`,
  index,
  ...(place && { place }),
})
const thought = (index: number) => ({
  type: 'reasoning',
  id: `rs_${index}`,
  summary: [],
  encrypted_content: `ENC${index}`,
})
const said = (text: string) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
})
const called = (call_id: string, name = 'f') => ({
  type: 'function_call',
  call_id,
  name,
  arguments: '{"a":1}',
})

describe('the items of a conversation', () => {
  it('stay in their order, the system among them', async () => {
    const items = await itemsOf(
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'See' }] },
      { role: 'assistant', content: 'I look.', refusal: 'No.', tool_calls: [call('a'), call('b')] },
      { role: 'tool', tool_call_id: 'b', content: 'two' },
      {
        role: 'tool',
        tool_call_id: 'a',
        content: [
          { type: 'text', text: 'o' },
          { type: 'text', text: 'ne' },
        ],
      },
      { role: 'system', content: 'Now rhyme.' },
      { role: 'user', content: 'Go.' },
    )
    expect(items).toEqual([
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be brief.' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'See' }] },
      {
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'output_text', text: 'I look.' },
          { type: 'refusal', refusal: 'No.' },
        ],
      },
      called('a'),
      called('b'),
      { type: 'function_call_output', call_id: 'b', output: 'two' },
      {
        type: 'function_call_output',
        call_id: 'a',
        output: [
          { type: 'input_text', text: 'o' },
          { type: 'input_text', text: 'ne' },
        ],
      },
      { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'Now rhyme.' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go.' }] },
    ])
  })

  it('hold images and files', async () => {
    const [{ content }] = await itemsOf({
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: 'https://a.test/x.png', detail: 'low' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' } },
        { type: 'file', file: { file_id: 'file-1' } },
      ],
    })
    expect(content).toEqual([
      { type: 'input_image', image_url: 'https://a.test/x.png', detail: 'low' },
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' },
      { type: 'input_file', file_id: 'file-1' },
    ])
  })

  it('hold calls of custom tools, with their outputs', async () => {
    const items = await itemsOf(
      ...messages,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'p', input: 'x' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'ok' },
    )
    expect(items.slice(1)).toEqual([
      { type: 'custom_tool_call', call_id: 'c', name: 'p', input: 'x' },
      { type: 'custom_tool_call_output', call_id: 'c', output: 'ok' },
    ])
  })

  it('have ids of at most 64 characters, each of one call', async () => {
    const long = 'x'.repeat(100)
    const turn = [
      { role: 'assistant', content: null, tool_calls: [call(long), call('a')] },
      { role: 'tool', tool_call_id: 'a', content: 'a' },
      { role: 'tool', tool_call_id: long, content: 'long' },
    ]
    const items = await itemsOf(...messages, ...turn, ...turn)
    const [first, second] = [items.slice(1, 5), items.slice(5)].map(part =>
      part.map(({ call_id, output }: { call_id: string; output?: string }) => [call_id, output]),
    )
    for (const part of [first, second]) {
      const [[x], [y], [a], [b]] = part
      expect([a, b]).toEqual([y, x])
      expect(x.length).toBeLessThanOrEqual(64)
    }
    expect(new Set([...first, ...second].map(([id]) => id)).size).toBe(4)
  })

  it('bring encrypted reasoning back to where it was', async () => {
    const details = [
      encryptedBlock(0),
      encryptedBlock(1, { text: 3, calls: 0 }),
      encryptedBlock(2, { text: 6, calls: 0 }),
      encryptedBlock(3, { text: 6, calls: 1 }),
    ]
    const answer = {
      role: 'assistant',
      content: 'OneTwo',
      reasoning_content: 'Hm',
      reasoning_details: details,
      tool_calls: [call('a'), call('b')],
    }
    const results = ['a', 'b'].map(tool_call_id => ({ role: 'tool', tool_call_id, content: '' }))
    expect((await itemsOf(...messages, answer, ...results)).slice(1, 9)).toEqual([
      thought(0),
      said('One'),
      thought(1),
      said('Two'),
      thought(2),
      called('a'),
      thought(3),
      called('b'),
    ])
    // A caller may have cut the text.
    const cut = { ...answer, content: 'O' }
    expect((await itemsOf(...messages, cut, ...results)).slice(1, 8)).toEqual([
      thought(0),
      said('O'),
      thought(1),
      thought(2),
      called('a'),
      thought(3),
      called('b'),
    ])
  })

  it('leave out reasoning that is not the vendor’s, or that nothing follows, and say so', async () => {
    const foreign = {
      type: 'reasoning.text',
      format: 'anthropic-claude-v1',
      text: 'x',
      signature: 's',
      index: 0,
    }
    const { body, adjustments } = await encoded({
      messages: [
        ...messages,
        { role: 'assistant', content: 'A', reasoning_details: [foreign] },
        { role: 'assistant', content: 'B', reasoning_content: 'Hm' },
        { role: 'assistant', content: '', reasoning_details: [encryptedBlock(0)] },
        { role: 'user', content: 'Go on', cache_control: { type: 'ephemeral' } },
      ] as unknown as ChatRequest['messages'],
    })
    expect(body.input).toMatchObject([{ role: 'user' }, said('A'), said('B'), { role: 'user' }])
    expect(adjustments.map(({ parameter, detail }) => [parameter, detail])).toEqual([
      ['messages[1].reasoning_details', "another vendor's"],
      ['messages[2].reasoning_content', 'not encrypted by this vendor'],
      ['messages[3].reasoning_details', 'nothing was said after it'],
      ['messages[4].cache_control', 'not known to this vendor'],
    ])
  })

  it('take as many blocks of reasoning as a request may hold', async () => {
    const count = 50_000
    const details = Array.from({ length: count }, (_, index) => encryptedBlock(index))
    const items = await itemsOf(...messages, {
      role: 'assistant',
      content: 'A',
      reasoning_details: details,
    })
    expect(items).toHaveLength(count + 2)
  })
})
