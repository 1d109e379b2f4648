import { GatewayError } from '@sluice/core'
import type { Call, ChatRequest, EncodedRequest } from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { type GeminiOptions, gemini } from './gemini.ts'

const png = 'data:image/png;base64,iVBORw0KGgo='
const user = { role: 'user', content: 'Hi' } as const

type Asked = Partial<ChatRequest> & { readonly [extra: string]: unknown }

interface Sent extends Omit<EncodedRequest, 'body'> {
  readonly body: ReturnType<typeof JSON.parse>
}

async function sent(
  input: Asked = {},
  more: Partial<Call> & { readonly options?: Partial<GeminiOptions> } = {},
): Promise<Sent> {
  const { options, ...call } = more
  const { provider } = gemini({ apiKey: 'key', ...options })
  const request = await provider.encode({
    model: 'gemini-2.5-flash',
    input: { model: 'public', messages: [user], ...input },
    ...call,
  })
  return { ...request, body: JSON.parse(String(request.body)) }
}

async function refusal(input: Asked, more: Parameters<typeof sent>[1] = {}): Promise<GatewayError> {
  const error: unknown = await sent(input, more).then(
    () => undefined,
    failure => failure,
  )
  if (GatewayError.is(error)) return error
  throw new Error('It was not refused.')
}

function weather(more: Record<string, unknown> = {}, name = 'weather') {
  return { type: 'function' as const, function: { name, ...more } }
}

function call(id: string, name: string, args = '{}', more: Record<string, unknown> = {}) {
  return { id, type: 'function' as const, function: { name, arguments: args }, ...more }
}

describe('where a request goes', () => {
  it('is the method for a whole answer', async () => {
    const request = await sent()
    expect(request.method).toBe('POST')
    expect(request.url).toBe(
      'https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent',
    )
    expect(request.headers).toEqual({
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'x-goog-api-key': 'key',
    })
    expect(request.body).toEqual({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] })
    expect(request.adjustments).toEqual([])
  })

  it('is the method for a stream, with events', async () => {
    const request = await sent({ stream: true })
    expect(request.url).toMatch(/:streamGenerateContent\?alt=sse$/)
    expect(request.headers.accept).toBe('text/event-stream')
  })

  it('takes another base and further headers', async () => {
    const options = { baseURL: 'http://127.0.0.1:9/v1beta/', headers: { 'X-Team': 'a' } }
    const request = await sent({}, { options })
    expect(request.url).toBe('http://127.0.0.1:9/v1beta/models/gemini-2.5-flash:generateContent')
    expect(request.headers['x-team']).toBe('a')
  })

  it.each([
    ['models/gemini-2.5-pro', 'models/gemini-2.5-pro'],
    ['tunedModels/my-model-1', 'tunedModels/my-model-1'],
    ['a/../../b?c=d#e:f', 'models/a%2F..%2F..%2Fb%3Fc%3Dd%23e%3Af'],
    ['models/x:streamGenerateContent', 'models/x%3AstreamGenerateContent'],
  ])('names %s as %s', async (model, path) => {
    const { url } = await sent({}, { model })
    expect(url).toBe(`https://generativelanguage.googleapis.com/v1beta/${path}:generateContent`)
  })

  it.each(['..', 'models/..', 'models/', '\ud800'])('does not ask for a model named %j', async model => {
    expect(await refusal({}, { model })).toMatchObject({ status: 400, param: 'model' })
  })

  it('is the same for the same call', async () => {
    const input = { tools: [weather()], reasoning_effort: 'low', seed: 1 } as const
    expect(await sent(input)).toEqual(await sent(input))
  })
})

describe('a configuration', () => {
  it.each<[string, Record<string, unknown>]>([
    ['apiKey: got undefined', { apiKey: undefined }],
    ['apiKey: got a string, expected a string that is not empty', { apiKey: ' ' }],
    ['key: got a string, expected no such option', { key: 'x' }],
    ['baseURL', { baseURL: 'nowhere' }],
    ['safetySettings', { safetySettings: [{ category: 'X' }] }],
    ['maxConcurrent', { maxConcurrent: 0 }],
    ['got fetchImage of type string, expected a function', { fetchImage: 'https://images.example/' }],
    [
      'headers.X-Goog-Api-Key: got a string, expected each header once',
      { headers: { 'X-Goog-Api-Key': 'other' } },
    ],
  ])('that cannot work is refused: %s', (words, options) => {
    const configure = () => gemini({ apiKey: 'key', ...options } as GeminiOptions)
    expect(configure).toThrow(TypeError)
    expect(configure).toThrow(words)
  })
})

describe('messages', () => {
  it('are turns of user and model, without empty ones', async () => {
    const { body, adjustments } = await sent({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'developer', content: [{ type: 'text', text: 'And kind.' }] },
        { role: 'user', content: 'a' },
        { role: 'user', content: [{ type: 'text', text: '' }] },
        { role: 'user', content: 'b' },
        { role: 'assistant', content: 'c' },
        { role: 'assistant', content: null, refusal: 'No.' },
        { role: 'user', content: 'd' },
      ],
    })
    expect(body).toEqual({
      systemInstruction: { parts: [{ text: 'Be brief.' }, { text: 'And kind.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'a' }, { text: 'b' }] },
        { role: 'model', parts: [{ text: 'c' }, { text: 'No.' }] },
        { role: 'user', parts: [{ text: 'd' }] },
      ],
    })
    expect(adjustments).toEqual([])
  })

  it('of the system in the middle are moved, names are dropped, and both are told of', async () => {
    const { body, adjustments } = await sent({
      messages: [
        { role: 'user', content: 'a', name: 'Ann' },
        { role: 'system', content: 'now' },
        { role: 'user', content: 'b' },
      ],
    })
    expect(body.systemInstruction).toEqual({ parts: [{ text: 'now' }] })
    expect(body.contents).toEqual([{ role: 'user', parts: [{ text: 'a' }, { text: 'b' }] }])
    expect(adjustments).toEqual([
      { parameter: 'messages[0].name', action: 'dropped' },
      { parameter: 'messages[1]', action: 'mapped', detail: 'moved to the system instruction' },
    ])
  })

  it('of the system go to the user for a model without a system instruction', async () => {
    const messages = [{ role: 'system', content: 'S' } as const, user]
    const { body, adjustments } = await sent({ messages }, { model: 'gemma-3-27b-it' })
    expect(body).toEqual({ contents: [{ role: 'user', parts: [{ text: 'S' }, { text: 'Hi' }] }] })
    expect(adjustments).toMatchObject([{ parameter: 'messages[0]', action: 'mapped' }])
    const newer = await sent({ messages }, { model: 'gemma-4-31b-it' })
    expect(newer.body.systemInstruction).toEqual({ parts: [{ text: 'S' }] })
  })

  it('must hold a turn', async () => {
    const error = await refusal({ messages: [{ role: 'system', content: 'S' }] })
    expect(error).toMatchObject({ status: 400, param: 'messages' })
  })

  it.each([
    ['gemini-2.5-flash', true],
    ['gemini-3.5-flash', true],
    ['gemini-3.5-flash-lite', false],
    ['gemini-3.6-flash', false],
    ['gemini-4-argon', false],
  ])('may end with words of the model: %s: %s', async (model, taken) => {
    const messages = [user, { role: 'assistant', content: 'So ' } as const]
    if (taken) expect((await sent({ messages }, { model })).body.contents).toHaveLength(2)
    else {
      const error = await refusal({ messages }, { model })
      expect(error).toMatchObject({ code: 'unsupported_value', param: 'messages[1]' })
    }
  })

  it('must not begin with calls', async () => {
    const messages: ChatRequest['messages'] = [
      { role: 'assistant', content: 'Let me see.' },
      { role: 'assistant', tool_calls: [call('1', 'f')] },
      { role: 'tool', tool_call_id: '1', content: 'x' },
    ]
    expect(await refusal({ messages })).toMatchObject({ code: 'unsupported_value', param: 'messages[1]' })
    expect((await sent({ messages: messages.slice(0, 1) })).body.contents[0].role).toBe('model')
  })

  it('that are left as neighbours are joined in linear time', async () => {
    const foreign = { role: 'assistant', content: '', reasoning_content: 'Hm.' }
    const messages = Array.from({ length: 100_000 }, (_, at) => (at % 2 === 0 ? user : foreign))
    const { body } = await sent({ messages: messages as ChatRequest['messages'] })
    expect(body.contents).toHaveLength(1)
    expect(body.contents[0].parts).toHaveLength(50_000)
  })

  it('may be marked for a cache, which is told of once', async () => {
    const mark = { cache_control: { type: 'ephemeral' } }
    const messages = [
      { role: 'system', content: 'S', ...mark },
      { role: 'user', content: [{ type: 'text', text: 'a', ...mark }] },
    ] as unknown as ChatRequest['messages']
    const { adjustments } = await sent({ messages })
    expect(adjustments).toMatchObject([{ parameter: 'cache_control', action: 'dropped' }])
  })
})

describe('calls and what tools answered', () => {
  const conversation: ChatRequest['messages'] = [
    user,
    {
      role: 'assistant',
      content: 'Let me see.',
      tool_calls: [call('1', 'weather', '{"city":"Berlin"}'), call('2', 'time', '')],
    },
    { role: 'tool', tool_call_id: '2', content: 'noon' },
    { role: 'tool', tool_call_id: '1', content: [{ type: 'text', text: ' {"sky": "blue"}' }] },
    { role: 'user', content: 'And?' },
  ]

  it('stand in one turn each, by name', async () => {
    const { body } = await sent({ messages: conversation })
    expect(body.contents.slice(1)).toEqual([
      {
        role: 'model',
        parts: [
          { text: 'Let me see.' },
          { functionCall: { name: 'weather', args: { city: 'Berlin' } } },
          { functionCall: { name: 'time', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'weather', response: { sky: 'blue' } } },
          { functionResponse: { name: 'time', response: { result: 'noon' } } },
        ],
      },
      { role: 'user', parts: [{ text: 'And?' }] },
    ])
  })

  it('keep two calls of one function apart, in whatever order they were answered', async () => {
    const calls = ['a', 'b', 'c'].map(id => call(id, 'read', `{"file":"${id}"}`))
    const answers = ['c', 'a', 'b'].map(
      id => ({ role: 'tool', tool_call_id: id, content: `of ${id}` }) as const,
    )
    const { body } = await sent({ messages: [user, { role: 'assistant', tool_calls: calls }, ...answers] })
    const told = body.contents[2].parts.map(
      (part: ReturnType<typeof JSON.parse>) => part.functionResponse.response,
    )
    expect(told).toEqual([{ result: 'of a' }, { result: 'of b' }, { result: 'of c' }])
  })

  it('have ids and a signature for a model that insists on them', async () => {
    const { body, adjustments } = await sent({ messages: conversation }, { model: 'gemini-3-pro-preview' })
    expect(body.contents[1].parts.slice(1)).toEqual([
      {
        functionCall: { id: '1', name: 'weather', args: { city: 'Berlin' } },
        thoughtSignature: 'skip_thought_signature_validator',
      },
      { functionCall: { id: '2', name: 'time', args: {} } },
    ])
    expect(body.contents[2].parts[0].functionResponse.id).toBe('1')
    expect(adjustments).toEqual([
      {
        parameter: 'messages[1].tool_calls[0].extra_content',
        action: 'defaulted',
        detail: 'skip_thought_signature_validator',
      },
    ])
  })

  it.each(['gemini-2.5-flash', 'gemini-3-flash-preview'])('give %s its signatures back', async model => {
    const signed = call('1', 'weather', '{}', { extra_content: { google: { thought_signature: 'S1' } } })
    const { body, adjustments } = await sent(
      {
        messages: [
          user,
          { role: 'assistant', content: null, tool_calls: [signed, call('2', 'time')] },
          { role: 'tool', tool_call_id: '1', content: 'x' },
          { role: 'tool', tool_call_id: '2', content: 'y' },
        ],
      },
      { model },
    )
    expect(body.contents[1].parts).toMatchObject([{ thoughtSignature: 'S1' }, {}])
    expect(body.contents[1].parts[1]).not.toHaveProperty('thoughtSignature')
    expect(adjustments).toEqual([])
  })

  it('are told of where their signature is another vendor’s', async () => {
    const foreign = call('1', 'weather', '{}', { extra_content: { acme: { token: 't' } } })
    const messages: ChatRequest['messages'] = [
      user,
      { role: 'assistant', tool_calls: [foreign] },
      { role: 'tool', tool_call_id: '1', content: 'x' },
    ]
    const { adjustments } = await sent({ messages })
    expect(adjustments).toMatchObject([{ parameter: 'messages[1].tool_calls[0].extra_content' }])
  })

  it.each([
    ['plain', { result: 'plain' }],
    ['[1,2]', { result: '[1,2]' }],
    ['"x"', { result: '"x"' }],
    ['{"a":1} trailing', { result: '{"a":1} trailing' }],
    ['{"id": 12345678901234567890}', { result: '{"id": 12345678901234567890}' }],
    ['', { result: '' }],
    ['{"error":"none"}', { error: 'none' }],
    ['{"a":{"$ref":"#/$defs/A"}}', { result: '{"a":{"$ref":"#/$defs/A"}}' }],
  ])('answer %j as %j', async (content, response) => {
    const messages: ChatRequest['messages'] = [
      user,
      { role: 'assistant', tool_calls: [call('1', 'f')] },
      { role: 'tool', tool_call_id: '1', content },
    ]
    const { body } = await sent({ messages })
    expect(body.contents[2].parts).toEqual([{ functionResponse: { name: 'f', response } }])
  })

  it('must answer a call', async () => {
    const error = await refusal({ messages: [user, { role: 'tool', tool_call_id: 'x', content: 'y' }] })
    expect(error).toMatchObject({ status: 400, param: 'messages[1].tool_call_id' })
  })
})

describe('reasoning of earlier answers', () => {
  const format = 'google-gemini-v1'

  async function parts(message: Record<string, unknown>) {
    const messages = [user, { role: 'assistant', ...message }, user] as unknown as ChatRequest['messages']
    const { body, adjustments } = await sent({ messages }, { model: 'gemini-3-pro-preview' })
    return { parts: body.contents[1]?.parts, adjustments }
  }

  it('goes back as the signature of the text', async () => {
    const reasoning_details = [{ type: 'reasoning.encrypted', data: 'S', format, index: 0 }]
    expect(await parts({ content: 'Eight.', reasoning_content: 'Hm.', reasoning_details })).toEqual({
      parts: [{ text: 'Eight.', thoughtSignature: 'S' }],
      adjustments: [],
    })
  })

  it('goes back in order, where there are several', async () => {
    const reasoning_details = [
      { type: 'reasoning.encrypted', data: 'S0', format, index: 0 },
      { type: 'reasoning.encrypted', data: 'S1', format, index: 1 },
    ]
    expect((await parts({ content: 'a', reasoning_details })).parts).toEqual([
      { text: '', thoughtSignature: 'S0' },
      { text: 'a', thoughtSignature: 'S1' },
    ])
  })

  it('goes back beside calls, which have their own', async () => {
    const reasoning_details = [{ type: 'reasoning.encrypted', data: 'S', format, index: 0 }]
    const tool_calls = [call('1', 'f', '{}', { extra_content: { google: { thought_signature: 'C' } } })]
    const messages = [
      user,
      { role: 'assistant', content: null, reasoning_details, tool_calls },
      { role: 'tool', tool_call_id: '1', content: 'x' },
    ] as unknown as ChatRequest['messages']
    const { body } = await sent({ messages }, { model: 'gemini-3-pro-preview' })
    expect(body.contents[1].parts).toEqual([
      { text: '', thoughtSignature: 'S' },
      { functionCall: { id: '1', name: 'f', args: {} }, thoughtSignature: 'C' },
    ])
  })

  it('of another vendor is dropped and told of', async () => {
    const reasoning_details = [
      { type: 'reasoning.text', text: 'Hm.', signature: 'x', format: 'anthropic-claude-v1', index: 0 },
    ]
    expect(await parts({ content: 'a', reasoning_content: 'Hm.', reasoning_details })).toEqual({
      parts: [{ text: 'a' }],
      adjustments: [
        { parameter: 'messages[1].reasoning_details', action: 'dropped', detail: 'of another vendor' },
      ],
    })
  })

  it('without a signature is dropped and told of', async () => {
    expect((await parts({ content: 'a', reasoning_content: 'Hm.' })).adjustments).toEqual([
      { parameter: 'messages[1].reasoning_content', action: 'dropped' },
    ])
  })

  it('of its own without data is dropped and told of', async () => {
    const reasoning_details = [{ type: 'reasoning.text', text: 'Hm.', format, index: 0 }]
    expect((await parts({ content: 'a', reasoning_details })).adjustments).toEqual([
      { parameter: 'messages[1].reasoning_details', action: 'dropped', detail: 'without a signature' },
    ])
  })

  it('leaves no turn where it was all', async () => {
    const reasoning_details = [{ type: 'reasoning.encrypted', data: 'x', format: 'other', index: 0 }]
    const messages = [user, { role: 'assistant', content: '', reasoning_details }, user]
    const { body } = await sent({ messages: messages as unknown as ChatRequest['messages'] })
    expect(body.contents).toEqual([{ role: 'user', parts: [{ text: 'Hi' }, { text: 'Hi' }] }])
  })
})

describe('images, sound and files', () => {
  function image(url: string, detail?: 'auto' | 'low' | 'high') {
    const image_url = detail === undefined ? { url } : { url, detail }
    return { messages: [{ role: 'user', content: [{ type: 'image_url', image_url }] }] } as const
  }

  function file(given: Record<string, string>) {
    return { messages: [{ role: 'user', content: [{ type: 'file', file: given }] }] } as const
  }

  it('are sent as data', async () => {
    const { body } = await sent({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See and hear:' },
            { type: 'image_url', image_url: { url: png } },
            { type: 'image_url', image_url: { url: 'data:image/jpg;base64,AAAA' } },
            { type: 'input_audio', input_audio: { data: 'UklG', format: 'wav' } },
            { type: 'input_audio', input_audio: { data: 'SUQz', format: 'mp3' } },
            { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBE' } },
            { type: 'file', file: { file_data: 'data:text/plain,hello' } },
          ],
        },
      ],
    })
    expect(body.contents[0].parts).toEqual([
      { text: 'See and hear:' },
      { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
      { inlineData: { mimeType: 'image/jpeg', data: 'AAAA' } },
      { inlineData: { mimeType: 'audio/wav', data: 'UklG' } },
      { inlineData: { mimeType: 'audio/mp3', data: 'SUQz' } },
      { inlineData: { mimeType: 'application/pdf', data: 'JVBE' } },
      { inlineData: { mimeType: 'text/plain', data: 'aGVsbG8=' } },
    ])
  })

  it.each([
    'https://generativelanguage.googleapis.com/v1beta/files/abc-123',
    'https://www.youtube.com/watch?v=9hE5-98ZeCg',
    'https://youtu.be/9hE5-98ZeCg',
  ])('that Google reads by itself are sent as %s', async url => {
    const { body } = await sent(image(url))
    expect(body.contents[0].parts).toEqual([{ fileData: { fileUri: url } }])
  })

  it('elsewhere are refused without a fetcher', async () => {
    for (const url of [
      'https://example.com/a.png',
      'https://youtube.com.example/watch?v=1',
      'http://generativelanguage.googleapis.com/v1beta/files/x',
    ]) {
      const error = await refusal(image(url))
      expect(error).toMatchObject({ status: 400, param: 'messages[0].content[0].image_url.url' })
    }
  })

  it('elsewhere are fetched with one', async () => {
    const asked: unknown[] = []
    const { signal } = new AbortController()
    const fetchImage: GeminiOptions['fetchImage'] = async (url, given) => {
      asked.push(url, given)
      return { mediaType: 'image/webp; q=1', data: new Uint8Array([1, 2, 3]) }
    }
    const more = { signal, options: { fetchImage } }
    const { body } = await sent(image('https://example.com/a.webp'), more)
    expect(asked).toEqual(['https://example.com/a.webp', signal])
    expect(body.contents[0].parts).toEqual([{ inlineData: { mimeType: 'image/webp', data: 'AQID' } }])
  })

  it.each([
    [image('data:image/gif;base64,R0lG'), 'messages[0].content[0].image_url.url'],
    [file({ file_id: 'file-1' }), 'messages[0].content[0].file.file_id'],
    [file({ file_data: 'data:application/msword;base64,AAAA' }), 'messages[0].content[0].file.file_data'],
  ])('that it does not take are refused: %#', async (input, param) => {
    expect(await refusal(input)).toMatchObject({ status: 400, code: 'unsupported_value', param })
  })

  it('have no name, which is told of', async () => {
    const { adjustments } = await sent(file({ file_data: 'JVBE', filename: 'a.pdf' }))
    expect(adjustments).toEqual([{ parameter: 'messages[0].content[0].file.filename', action: 'dropped' }])
  })

  it('have a resolution from Gemini 3 on', async () => {
    const low = await sent(image(png, 'low'), { model: 'gemini-3-flash-preview' })
    expect(low.body.contents[0].parts[0].mediaResolution).toEqual({ level: 'MEDIA_RESOLUTION_LOW' })
    const before = await sent(image(png, 'high'))
    expect(before.body.contents[0].parts[0]).not.toHaveProperty('mediaResolution')
    expect(before.adjustments).toEqual([
      { parameter: 'messages[0].content[0].image_url.detail', action: 'dropped' },
    ])
    expect((await sent(image(png, 'auto'))).adjustments).toEqual([])
  })
})

describe('tools', () => {
  it('keep their whole schema', async () => {
    const parameters = {
      type: 'object',
      properties: { a: { $ref: '#/definitions/A' }, b: { $ref: '#/$defs/B' } },
      definitions: { A: { type: 'string', pattern: '^x' } },
      $defs: { B: { type: 'object', additionalProperties: false } },
      additionalProperties: false,
      required: ['a'],
    }
    const { body, adjustments } = await sent({
      tools: [
        weather({ description: 'How it is.', parameters }),
        weather({}, 'time'),
        weather({ parameters: {} }, 'now'),
        weather({ parameters: { properties: { a: {} } } }, 'untyped'),
      ],
    })
    expect(body.tools).toEqual([
      {
        functionDeclarations: [
          { name: 'weather', description: 'How it is.', parametersJsonSchema: parameters },
          { name: 'time' },
          { name: 'now' },
          { name: 'untyped', parametersJsonSchema: { type: 'object', properties: { a: {} } } },
        ],
      },
    ])
    expect(body).not.toHaveProperty('toolConfig')
    expect(adjustments).toEqual([])
  })

  const named = { type: 'function', function: { name: 'weather' } } as const
  const allowed = (mode: 'auto' | 'required') =>
    ({ type: 'allowed_tools', allowed_tools: { mode, tools: [named] } }) as const

  it.each([
    ['auto', undefined],
    ['none', { mode: 'NONE' }],
    ['required', { mode: 'ANY' }],
    [named, { mode: 'ANY', allowedFunctionNames: ['weather'] }],
    [allowed('required'), { mode: 'ANY', allowedFunctionNames: ['weather'] }],
  ] as const)('are chosen by %j', async (tool_choice, functionCallingConfig) => {
    const { body, adjustments } = await sent({ tools: [weather(), weather({}, 'time')], tool_choice })
    expect(body.toolConfig?.functionCallingConfig).toEqual(functionCallingConfig)
    expect(body.tools[0].functionDeclarations).toHaveLength(2)
    expect(adjustments).toEqual([])
  })

  it('some of which may be chosen are told of', async () => {
    const { body, adjustments } = await sent({ tools: [weather()], tool_choice: allowed('auto') })
    expect(body.toolConfig.functionCallingConfig).toEqual({
      mode: 'VALIDATED',
      allowedFunctionNames: ['weather'],
    })
    expect(adjustments).toMatchObject([{ parameter: 'tool_choice', action: 'mapped' }])
  })

  it('of which one is strict are held to their schemas', async () => {
    const { body } = await sent({ tools: [weather(), weather({ strict: true }, 'time')] })
    expect(body.toolConfig).toEqual({ functionCallingConfig: { mode: 'VALIDATED' } })
  })

  it('may be called side by side whatever is asked, which is told of', async () => {
    const { adjustments } = await sent({ tools: [weather()], parallel_tool_calls: false })
    expect(adjustments).toEqual([{ parameter: 'parallel_tool_calls', action: 'dropped' }])
  })

  it.each([
    [{ tools: [weather({}, '1st')] }, 'tools[0].function.name'],
    [{ tools: [weather(), { type: 'custom', custom: { name: 'c' } }] }, 'tools[1]'],
    [{ tools: [weather()], tool_choice: { type: 'custom', custom: { name: 'c' } } }, 'tool_choice'],
    [{ functions: [{ name: 'f' }] }, 'functions'],
    [
      { tools: [weather({}, 'time')], tool_choice: allowed('required') },
      'tool_choice.allowed_tools.tools[0]',
    ],
  ] as const)('that it lacks are refused: %#', async (input, param) => {
    expect(await refusal(input as Asked)).toMatchObject({ status: 400, param })
  })

  it('are not for old Gemma', async () => {
    const model = 'gemma-3-4b-it'
    expect(await refusal({ tools: [weather()] }, { model })).toMatchObject({
      code: 'unsupported_parameter',
      param: 'tools',
    })
    const dropped = await sent({ tools: [weather()] }, { model, unsupportedParameters: 'drop' })
    expect(dropped.body).not.toHaveProperty('tools')
    expect(dropped.adjustments).toMatchObject([{ parameter: 'tools', action: 'dropped' }])
  })
})

describe('a response format', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer', multipleOf: 2 } } }
  const asked = {
    type: 'json_schema',
    json_schema: { name: 'x', schema, description: 'A number.', strict: true },
  } as const

  it('is JSON', async () => {
    const { body } = await sent({ response_format: { type: 'json_object' } })
    expect(body.generationConfig).toEqual({ responseMimeType: 'application/json' })
    expect((await sent({ response_format: { type: 'text' } })).body).not.toHaveProperty('generationConfig')
  })

  it('is a reference, beside which nothing else may stand', async () => {
    const json_schema = { name: 'x', description: 'Lost.', schema: { $ref: '#/$defs/A', $defs: { A: {} } } }
    const { body, adjustments } = await sent({ response_format: { type: 'json_schema', json_schema } })
    expect(body.generationConfig.responseJsonSchema).toEqual(json_schema.schema)
    expect(adjustments).toEqual([
      { parameter: 'response_format', action: 'mapped', detail: 'left out of the schema: description' },
    ])
  })

  it('is a schema, without what Gemini does not know', async () => {
    const { body, adjustments } = await sent({ response_format: asked })
    expect(body.generationConfig).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: {
        description: 'A number.',
        type: 'object',
        properties: { n: { type: 'integer' } },
      },
    })
    expect(adjustments).toEqual([
      { parameter: 'response_format', action: 'mapped', detail: 'left out of the schema: multipleOf' },
    ])
  })

  it('is none beside tools before Gemini 3', async () => {
    const input = { response_format: asked, tools: [weather()] }
    expect(await refusal(input)).toMatchObject({ param: 'response_format' })
    const { body } = await sent(input, { model: 'gemini-3-pro-preview' })
    expect(body.generationConfig.responseMimeType).toBe('application/json')
  })

  it.each(['gemma-3-27b-it', 'gemini-1.5-pro'])('with a schema is none for %s', async model => {
    expect(await refusal({ response_format: asked }, { model })).toMatchObject({ param: 'response_format' })
  })
})

describe('parameters', () => {
  it('go by their own names', async () => {
    const { body, adjustments } = await sent(
      {
        temperature: 0.5,
        top_p: 0.9,
        top_k: 40,
        max_completion_tokens: 100,
        stop: ['a', 'b'],
        n: 2,
        seed: -7,
        presence_penalty: -2,
        frequency_penalty: 1.5,
        logprobs: true,
        top_logprobs: 3,
      },
      { model: 'gemini-2.0-flash' },
    )
    expect(body.generationConfig).toEqual({
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      maxOutputTokens: 100,
      stopSequences: ['a', 'b'],
      candidateCount: 2,
      seed: -7,
      presencePenalty: -2,
      frequencyPenalty: 1.5,
      responseLogprobs: true,
      logprobs: 3,
    })
    expect(adjustments).toEqual([])
  })

  it('that ask for nothing are not sent', async () => {
    const { body, adjustments } = await sent({
      n: 1,
      logprobs: false,
      presence_penalty: 0,
      frequency_penalty: 0,
      logit_bias: {},
      modalities: ['text'],
      parallel_tool_calls: true,
      service_tier: 'auto',
      store: false,
      stop: [],
    })
    expect(Object.keys(body)).toEqual(['contents'])
    expect(adjustments).toEqual([])
  })

  it('of one word are lists', async () => {
    const { body } = await sent(
      { stop: 'END', max_tokens: 5, logprobs: true, top_logprobs: 0 },
      { model: 'gemini-2.0-flash' },
    )
    expect(body.generationConfig).toEqual({
      stopSequences: ['END'],
      maxOutputTokens: 5,
      responseLogprobs: true,
    })
  })

  it('that are hints are dropped and told of', async () => {
    const { body, adjustments } = await sent({
      user: 'u',
      store: true,
      metadata: { a: 'b' },
      verbosity: 'low',
      prompt_cache_key: 'k',
      safety_identifier: 's',
      service_tier: 'scale',
      prediction: { type: 'content', content: 'x' },
      unheard_of: 1,
    })
    expect(Object.keys(body)).toEqual(['contents'])
    expect(adjustments?.map(({ parameter }) => parameter).sort()).toEqual([
      'metadata',
      'prediction',
      'prompt_cache_key',
      'safety_identifier',
      'service_tier',
      'store',
      'unheard_of',
      'user',
      'verbosity',
    ])
    expect(new Set(adjustments?.map(({ action }) => action))).toEqual(new Set(['dropped']))
  })

  it.each([
    [{ logit_bias: { 5: 1 } }, 'gemini-2.0-flash', 'logit_bias'],
    [{ logprobs: true }, 'gemini-2.5-flash', 'logprobs'],
    [{ n: 2 }, 'gemini-3-pro-preview', 'n'],
    [{ n: 9 }, 'gemini-2.5-flash', 'n'],
    [{ seed: 2 ** 31 }, 'gemini-2.5-flash', 'seed'],
    [{ presence_penalty: 2 }, 'gemini-2.0-flash', 'presence_penalty'],
    [{ stop: ['1', '2', '3', '4', '5', '6'] }, 'gemini-2.5-flash', 'stop'],
    [{ modalities: ['text', 'audio'] }, 'gemini-2.5-flash', 'modalities'],
    [{ web_search_options: {} }, 'gemini-2.5-flash', 'web_search_options'],
    [{ reasoning_effort: 'low' }, 'gemini-2.0-flash', 'reasoning_effort'],
  ] as const)(
    'that it lacks are refused, or dropped where the owner wants it: %j',
    async (input, model, param) => {
      expect(await refusal(input as Asked, { model })).toMatchObject({ status: 400, param })
      const dropped = await sent(input as Asked, { model, unsupportedParameters: 'drop' })
      expect(dropped.adjustments).toMatchObject([{ parameter: param, action: 'dropped' }])
      expect(dropped.body).not.toHaveProperty('generationConfig')
    },
  )

  it('that a model ignores are dropped and told of', async () => {
    const input = { temperature: 0.2, top_p: 0.5, top_k: 3, frequency_penalty: 1 }
    const { body, adjustments } = await sent(input, { model: 'gemini-4-argon' })
    expect(body).not.toHaveProperty('generationConfig')
    expect(adjustments?.map(({ parameter }) => parameter)).toEqual([
      'temperature',
      'top_p',
      'top_k',
      'frequency_penalty',
    ])
  })

  it.each([
    ['default', 'standard'],
    ['flex', 'flex'],
    ['priority', 'priority'],
    ['fast', undefined],
  ] as const)('ask for the tier %s as %s', async (service_tier, theirs) => {
    expect((await sent({ service_tier })).body.serviceTier).toBe(theirs)
  })

  it('of Gemini’s own are passed', async () => {
    const safetySettings = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' }]
    const { body, adjustments } = await sent({
      cachedContent: 'cachedContents/1',
      safetySettings,
      thinkingConfig: { thinkingBudget: -1 },
      reasoning_effort: 'low',
    })
    expect(body).toMatchObject({
      cachedContent: 'cachedContents/1',
      safetySettings,
      generationConfig: { thinkingConfig: { thinkingBudget: -1 } },
    })
    expect(adjustments).toMatchObject([{ parameter: 'reasoning_effort', action: 'dropped' }])
  })

  it('of safety are the owner’s, where the owner has set them', async () => {
    const owners = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_LOW_AND_ABOVE' }]
    const given = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' }]
    const options = { safetySettings: owners }
    expect((await sent({}, { options })).body.safetySettings).toEqual(owners)
    const both = await sent({ safetySettings: given }, { options })
    expect(both.body.safetySettings).toEqual(owners)
    expect(both.adjustments).toMatchObject([{ parameter: 'safetySettings', action: 'dropped' }])
  })
})

describe('reasoning_effort', () => {
  const table = {
    'gemini-2.5-flash': [0, 512, 1_024, 8_192, 24_576, 24_576, 24_576],
    'gemini-2.5-flash-lite': [0, 512, 1_024, 8_192, 24_576, 24_576, 24_576],
    'models/gemini-2.5-pro': [128, 512, 1_024, 8_192, 24_576, 32_768, 32_768],
    'gemini-3-pro-preview': ['low', 'low', 'low', 'high', 'high', 'high', 'high'],
    'gemini-3.1-pro-preview': ['low', 'low', 'low', 'medium', 'high', 'high', 'high'],
    'gemini-3-flash-preview': ['minimal', 'minimal', 'low', 'medium', 'high', 'high', 'high'],
    'gemini-3.8-flash': ['low', 'low', 'low', 'medium', 'high', 'high', 'high'],
    'gemini-4-argon': ['low', 'low', 'low', 'medium', 'high', 'high', 'high'],
    'gemini-robotics-er-1.5-preview': [0, 512, 1_024, 8_192, 24_576, 24_576, 24_576],
    'gemini-flash-lite-latest': ['minimal', 'minimal', 'low', 'medium', 'high', 'high', 'high'],
    'gemini-flash-latest': ['low', 'low', 'low', 'medium', 'high', 'high', 'high'],
    'gemma-4-31b-it': ['minimal', 'minimal', 'minimal', 'high', 'high', 'high', 'high'],
    'tunedModels/mine': [0, 512, 1_024, 8_192, 24_576, 24_576, 24_576],
  }
  const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

  it.each(Object.entries(table))('is for %s', async (model, amounts) => {
    for (const [index, reasoning_effort] of efforts.entries()) {
      const { body, adjustments } = await sent({ reasoning_effort }, { model })
      const amount = amounts[index]
      const thinkingConfig =
        typeof amount === 'number' ? { thinkingBudget: amount } : { thinkingLevel: amount }
      expect(body.generationConfig).toEqual({
        thinkingConfig:
          reasoning_effort === 'none' ? thinkingConfig : { ...thinkingConfig, includeThoughts: true },
      })
      const exact = amount === reasoning_effort || amount === 0
      expect(adjustments).toHaveLength(exact ? 0 : 1)
    }
  })

  it('of none is what a model that does not think does anyway', async () => {
    const { body, adjustments } = await sent({ reasoning_effort: 'none' }, { model: 'gemini-2.0-flash' })
    expect(body).not.toHaveProperty('generationConfig')
    expect(adjustments).toEqual([])
  })
})
