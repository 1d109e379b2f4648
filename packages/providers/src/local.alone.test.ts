import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatRequest,
  JsonObject,
  PartialChunk,
  PartialCompletion,
  Target,
} from '@sluice/core/provider'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { LocalOptions } from './local/server.ts'
import { local } from './local.ts'

const user = (content: string) => [{ role: 'user' as const, content }]
const now = () => Date.UTC(2026, 7, 2)
const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'The weather in a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
      required: ['city'],
    },
  },
}
const mail = {
  type: 'function' as const,
  function: {
    name: 'send_email',
    description: 'Sends a message',
    parameters: { type: 'object', properties: { to: { type: 'string', format: 'email' } }, required: ['to'] },
  },
}

type Input = Omit<Partial<ChatRequest>, 'model'>

/** What goes over the wire, as bytes read one by one. */
async function send(target: Target, input: Input, signal = new AbortController().signal) {
  const { provider, model } = target
  const request: ChatRequest = { model: 'public', messages: user('Hello!'), ...input }
  return provider.transport!(await provider.encode({ input: request, model }), signal)
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of body) text += decoder.decode(bytes, { stream: true })
  return text
}

async function complete(input: Input, target = local({ now })('m')): Promise<ChatCompletion> {
  return JSON.parse(await textOf((await send(target, input)).body))
}

async function stream(input: Input, target = local({ now })('m')): Promise<ChatCompletionChunk[]> {
  const text = await textOf((await send(target, { ...input, stream: true })).body)
  const events = text.split('\n\n')
  expect(events.splice(-2)).toEqual(['data: [DONE]', ''])
  return events.map(event => JSON.parse(event.replace(/^data: /, '')))
}

/** What the gateway gets: encode, transport and decode together. */
async function ask(target: Target, input: Input): Promise<PartialCompletion | PartialChunk[]> {
  const call = { input: { model: 'public', messages: user('Hello!'), ...input }, model: target.model }
  const response = await send(target, input)
  const reply = await target.provider.decode({ ...response, text: () => textOf(response.body) }, call)
  if (reply.kind === 'completion') return reply.completion
  const chunks: PartialChunk[] = []
  for await (const read of reply.chunks) chunks.push(...read)
  return chunks
}

const contentOf = (chunks: readonly ChatCompletionChunk[], index = 0) =>
  chunks
    .flatMap(chunk =>
      chunk.choices.filter(choice => choice.index === index).map(choice => choice.delta.content ?? ''),
    )
    .join('')

describe('local', () => {
  it('makes targets of one provider', () => {
    const target = local()
    expect(target().model).toBe('local')
    expect(target('o1', { reasoning: true })).toMatchObject({
      model: 'o1',
      capabilities: { reasoning: true },
      provider: { name: 'local' },
    })
    expect(target('a').provider).toBe(target('b').provider)
    expect(local({ maxConcurrent: 3 })().provider.maxConcurrent).toBe(3)
  })

  it('writes an ordinary request', async () => {
    const request = await local()().provider.encode({
      input: { model: 'public', messages: user('x') },
      model: 'm',
    })
    expect(request).toMatchObject({ method: 'POST', url: 'local:chat/completions' })
    expect(JSON.parse(String(request.body))).toEqual({ model: 'm', messages: user('x') })
  })

  it('answers with a whole completion that says what it is', async () => {
    const completion = await complete({})
    expect(Object.keys(completion)).toEqual([
      'id',
      'object',
      'created',
      'model',
      'choices',
      'usage',
      'service_tier',
      'system_fingerprint',
    ])
    expect(completion).toMatchObject({
      object: 'chat.completion',
      created: now() / 1000,
      model: 'm',
      system_fingerprint: 'local-not-a-language-model',
      choices: [
        { index: 0, message: { role: 'assistant', refusal: null }, logprobs: null, finish_reason: 'stop' },
      ],
    })
    expect(completion.id).toMatch(/^chatcmpl-[a-z0-9]{24}$/)
    expect(completion.choices[0]!.message.content).toContain('not a language model')
    expect(completion.choices[0]!.message).not.toHaveProperty('tool_calls')
    expect(completion.usage.total_tokens).toBe(
      completion.usage.prompt_tokens + completion.usage.completion_tokens,
    )
    expect(await complete({})).toEqual(completion)
  })

  it('streams the same text word by word, in few reads', async () => {
    const chunks = await stream({})
    const whole = await complete({})
    expect(contentOf(chunks)).toBe(whole.choices[0]!.message.content)
    expect(chunks[0]!.choices[0]!.delta).toEqual({ role: 'assistant', content: '', refusal: null })
    expect(chunks.filter(chunk => chunk.choices[0]?.delta.content).length).toBe(whole.usage.completion_tokens)
    expect(new Set(chunks.map(chunk => chunk.id)).size).toBe(1)
    expect(chunks.at(-2)!.choices).toEqual([{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }])
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage })
    expect(chunks.slice(0, -1).every(chunk => chunk.usage === null)).toBe(true)
    let reads = 0
    for await (const _ of (
      await send(local()(), { stream: true, messages: user(`Say: ${'word '.repeat(3_200)}`) })
    ).body)
      reads++
    expect(reads).toBeLessThan(110)
  })

  it('sends no usage in a stream unless asked', async () => {
    const { provider } = local()()
    const body = JSON.stringify({ model: 'm', messages: user('x'), stream: true })
    const response = await provider.transport!(
      { method: 'POST', url: '', headers: {}, body },
      new AbortController().signal,
    )
    expect(await textOf(response.body)).not.toContain('"usage"')
  })

  it('honours n, counting the prompt once', async () => {
    const one = await complete({})
    const three = await complete({ n: 3 })
    expect(three.choices.map(choice => choice.index)).toEqual([0, 1, 2])
    expect(three.usage.prompt_tokens).toBe(one.usage.prompt_tokens)
    expect(three.usage.completion_tokens).toBeGreaterThan(2 * one.usage.completion_tokens)
    const chunks = await stream({ n: 3 })
    for (const index of [0, 1, 2]) {
      const own = chunks.flatMap(chunk => chunk.choices).filter(choice => choice.index === index)
      expect(own.filter(choice => choice.delta.role === 'assistant').length).toBe(1)
      expect(own.filter(choice => choice.finish_reason !== null).length).toBe(1)
      expect(own.at(-1)!.finish_reason).toBe('stop')
      expect(contentOf(chunks, index)).toBe(three.choices[index]!.message.content)
    }
  })

  it('ends at a stop sequence and leaves it out', async () => {
    const say = user('Say: one two three four')
    for (const [stop, content] of [
      ['three', 'one two '],
      [['four', ' two'], 'one'],
      ['five', 'one two three four'],
      ['', 'one two three four'],
      ['wo th', 'one t'],
    ] as const) {
      const { choices } = await complete({ messages: say, stop })
      expect(choices[0]).toMatchObject({ message: { content }, finish_reason: 'stop' })
      expect(contentOf(await stream({ messages: say, stop }))).toBe(content)
    }
  })

  it('ends with length at max_tokens and max_completion_tokens', async () => {
    const messages = user('Say: one two three four')
    for (const limit of [
      { max_tokens: 2 },
      { max_completion_tokens: 2 },
      { max_tokens: 9, max_completion_tokens: 2 },
    ]) {
      const completion = await complete({ messages, ...limit })
      expect(completion.choices[0]).toMatchObject({
        message: { content: 'one two' },
        finish_reason: 'length',
      })
      expect(completion.usage.completion_tokens).toBe(2)
    }
    expect((await complete({ messages, max_tokens: 4 })).choices[0]!.finish_reason).toBe('stop')
    expect((await complete({ messages, max_tokens: 0 })).choices[0]).toMatchObject({
      message: { content: '' },
      finish_reason: 'length',
    })
    const endless = await complete({ messages: user(`Say: ${'word '.repeat(9_000)}`) })
    expect(endless).toMatchObject({
      usage: { completion_tokens: 8_192 },
      choices: [{ finish_reason: 'length' }],
    })
  })

  it('gives log probabilities for every token, the same in a stream', async () => {
    const input = { messages: user('Say: héllo 😀!'), logprobs: true, top_logprobs: 3 }
    const { choices } = await complete(input)
    const content = choices[0]!.logprobs!.content!
    expect(content.map(entry => entry.token)).toEqual(['héllo', ' 😀', '!'])
    for (const entry of content) {
      expect(new TextDecoder().decode(new Uint8Array(entry.bytes!))).toBe(entry.token)
      expect(entry.top_logprobs.length).toBe(3)
      expect(entry.top_logprobs[0]!.token).toBe(entry.token)
      expect(entry.top_logprobs.reduce((sum, { logprob }) => sum + Math.exp(logprob), 0)).toBeLessThanOrEqual(
        1,
      )
      expect([...entry.top_logprobs].sort((a, b) => b.logprob - a.logprob)).toEqual(entry.top_logprobs)
    }
    const streamed = (await stream(input)).flatMap(chunk => chunk.choices[0]?.logprobs?.content ?? [])
    expect(streamed).toEqual(content)
    expect(
      (await complete({ messages: input.messages, logprobs: true })).choices[0]!.logprobs!.content![0]!
        .top_logprobs,
    ).toEqual([])
  })

  it('refuses a prompt longer than its context window, in the usual words', async () => {
    const target = local({ contextWindow: 8 })()
    const response = await send(target, {
      stream: true,
      messages: user('one two three four five six seven eight'),
    })
    expect(response.status).toBe(400)
    expect(JSON.parse(await textOf(response.body)).error).toEqual({
      message:
        "This model's maximum context length is 8 tokens. However, your messages resulted in 9 tokens. Please reduce the length of the messages.",
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    })
    const near = await complete({ messages: user('Say: a b c') }, target)
    expect(near).toMatchObject({
      usage: { prompt_tokens: 6, total_tokens: 8 },
      choices: [{ finish_reason: 'length' }],
    })
  })

  it('carries its provider, as every vendor does', () => {
    const vendor = local()
    expect(vendor.provider).toBe(vendor().provider)
  })

  it('sends a stream as events, and anything else as JSON', async () => {
    const typeOf = async (input: Input) => (await send(local()(), input)).headers.get('content-type')
    expect(await typeOf({ stream: true })).toBe('text/event-stream; charset=utf-8')
    expect(await typeOf({})).toBe('application/json')
  })

  it('refuses options that make no sense', () => {
    const wrong: readonly [LocalOptions, RegExp][] = [
      [{ pace: { tokenMs: -1 } }, /pace.tokenMs must be a number from 0/],
      [{ pace: { jitter: 2 } }, /from 0 to 1, but is 2/],
      [{ faults: { cut: 0.6, hang: 0.6 } }, /sum to 1.2/],
      [{ faults: { failed: Number.NaN } }, /faults.failed/],
      [{ faults: { latencyMs: [9, 1] } }, /faults.latencyMs/],
      [{ contextWindow: 0.5 }, /contextWindow must be a whole number/],
      [{ maxConcurrent: 0 }, /maxConcurrent/],
      [{ script: [], faults: {} }, /both faults and script/],
      [{ script: [{}] }, /script\[0\] needs one of text/],
      [{ script: ['a', { text: 'a', chunks: [] }] }, /script\[1\] has both text and chunks/],
      [{ script: [{ text: 'a', cutAfter: 1, hang: 2 }] }, /both cutAfter and hang/],
      [{ script: [{ text: 'a', errorAfter: 1 }] }, /errorAfter without error/],
      [{ script: [{ error: { status: 200 } }] }, /status must be a whole number from 400 to 599/],
    ]
    const untyped: readonly [object, RegExp][] = [
      [
        { scripts: [] },
        /^local\(\): scripts: got an empty list, expected no such option. Did you mean 'script'/,
      ],
      [[], /^local\(\): got an empty list, expected an object of options/],
      [{ pace: 5 }, /pace: got 5, expected an object of options/],
      [{ pace: { tokensMs: 5 } }, /pace: tokensMs: got 5, expected no such option/],
      [{ faults: { fail: 1 } }, /faults: fail: got 1, expected no such option/],
      [{ now: 5 }, /now must be a function/],
      [{ script: [] }, /script is an empty array/],
      [{ script: [{ txt: 'a' }] }, /script\[0\]: txt: got a string, expected no such option/],
      [{ script: [{ text: 'a', error: {} }] }, /script\[0\] has both error and text/],
      [{ script: [{ toolCalls: [], error: {} }] }, /has both error and toolCalls/],
      [{ script: [{ error: { state: 500 } }] }, /script\[0\].error: state: got 500, expected no such option/],
      [
        { script: [{ toolCalls: [{ name: 'a', args: {} }] }] },
        /toolCalls\[0\]: args: got an empty object, expected no such option/,
      ],
      [{ script: [{ toolCalls: [{ name: 'a', arguments: {}, input: '' }] }] }, /both arguments and input/],
    ]
    for (const [options, message] of [...wrong, ...untyped])
      expect(() => local(options), JSON.stringify(options)).toThrow(message)
  })
})

describe('local with tools', () => {
  const call = async (input: Input) => (await complete(input)).choices[0]!

  it('calls the only tool with arguments generated from its schema', async () => {
    const { message, finish_reason } = await call({
      tools: [weather],
      messages: user('Weather in New York in fahrenheit?'),
    })
    expect(finish_reason).toBe('tool_calls')
    expect(message.content).toBeNull()
    const [only] = message.tool_calls!
    expect(only).toEqual({
      id: expect.stringMatching(/^call_[a-z0-9]{24}$/),
      type: 'function',
      function: { name: 'get_weather', arguments: '{"city":"example","unit":"celsius"}' },
    })
  })

  it('chooses among several by their words, and calls several where the text names them', async () => {
    const tools = [weather, mail]
    const names = async (content: string, more: Input = {}) =>
      ((await call({ tools, messages: user(content), ...more })).message.tool_calls ?? []).map(tool =>
        tool.type === 'function' ? tool.function.name : '',
      )
    expect(await names('How is the weather in Rome?')).toEqual(['get_weather'])
    expect(await names('Send an email to a@b.co')).toEqual(['send_email'])
    expect(await names('Send the weather in Rome by email to a@b.co')).toEqual(['get_weather', 'send_email'])
    expect(
      await names('Send the weather in Rome by email to a@b.co', { parallel_tool_calls: false }),
    ).toHaveLength(1)
    expect(await names('Tell me a joke')).toEqual([])
    expect(await names('Tell me a joke', { tool_choice: 'required' })).toEqual(['get_weather'])
    expect(await names('weather', { tool_choice: 'none' })).toEqual([])
    expect(
      await names('weather', { tool_choice: { type: 'function', function: { name: 'send_email' } } }),
    ).toEqual(['send_email'])
    const allowed = (mode: 'auto' | 'required') => ({
      type: 'allowed_tools' as const,
      allowed_tools: { mode, tools: [{ type: 'function', function: { name: 'send_email' } }] },
    })
    expect(await names('weather', { tool_choice: allowed('required') })).toEqual(['send_email'])
  })

  it('streams calls one after the other, ids and names first', async () => {
    const chunks = await stream({
      tools: [weather, mail],
      messages: user('Send the weather in Rome by email to a@b.co'),
    })
    const deltas = chunks.flatMap(chunk => chunk.choices.map(choice => choice.delta))
    expect(deltas[0]).toEqual({ role: 'assistant', content: null, refusal: null })
    const pieces = deltas.flatMap(delta => delta.tool_calls ?? [])
    expect(pieces.map(piece => piece.index)).toEqual([...pieces.map(piece => piece.index)].sort())
    for (const index of [0, 1]) {
      const [start, ...rest] = pieces.filter(piece => piece.index === index)
      expect(start).toMatchObject({
        id: expect.stringMatching(/^call_/),
        type: 'function',
        function: { arguments: '' },
      })
      expect(
        rest.every(piece => Object.keys(piece).join() === 'index,function' && piece.id === undefined),
      ).toBe(true)
      expect(JSON.parse(rest.map(piece => piece.function!.arguments).join(''))).toEqual(
        [{ city: 'example', unit: 'celsius' }, { to: 'example' }][index],
      )
    }
    const single = await stream({ tools: [weather] })
    expect(single[0]!.choices[0]!.delta).toEqual({ role: 'assistant', content: null, refusal: null })
    expect(single[1]!.choices[0]!.delta).toMatchObject({
      tool_calls: [{ index: 0, function: { name: 'get_weather' } }],
    })
    expect(single.at(-2)!.choices[0]!.finish_reason).toBe('tool_calls')
  })

  it('repeats what the tool answered', async () => {
    const messages: ChatRequest['messages'] = [
      ...user('Weather?'),
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '{"sky":"clear"}' },
    ]
    expect(await call({ tools: [weather], messages })).toMatchObject({
      message: { content: 'The tool answered: {"sky":"clear"}' },
      finish_reason: 'stop',
    })
  })

  it('C120 answers deprecated functions with function_call', async () => {
    const { message, finish_reason } = await call({
      functions: [weather.function],
      function_call: { name: 'get_weather' },
      messages: user('in Rome'),
    })
    expect(message.function_call).toEqual({
      name: 'get_weather',
      arguments: '{"city":"example","unit":"celsius"}',
    })
    expect(message).not.toHaveProperty('tool_calls')
    expect(finish_reason).toBe('function_call')
    const chunks = await stream({ functions: [weather.function], messages: user('in Rome') })
    const joined = chunks.map(chunk => chunk.choices[0]?.delta.function_call?.arguments ?? '').join('')
    expect(joined).toBe(message.function_call!.arguments)
    expect(chunks.at(-2)!.choices[0]!.finish_reason).toBe('function_call')
  })

  it('calls custom tools with text', async () => {
    const plain = { type: 'custom' as const, custom: { name: 'note' } }
    expect((await call({ tools: [plain], messages: user('buy milk') })).message.tool_calls).toMatchObject([
      { type: 'custom', custom: { name: 'note', input: 'buy milk' } },
    ])
  })

  it('cuts arguments at the token limit and says so', async () => {
    const completion = await complete({ tools: [weather], messages: user('in Rome'), max_tokens: 5 })
    expect(completion.choices[0]!.finish_reason).toBe('length')
    expect(completion.usage.completion_tokens).toBeLessThanOrEqual(5)
    const none = await complete({ tools: [weather], max_tokens: 0 })
    expect(none).toMatchObject({
      usage: { completion_tokens: 0 },
      choices: [{ finish_reason: 'length', message: { content: null } }],
    })
  })

  it('refuses a choice of what is not declared, and arguments that cannot be made', async () => {
    const absent = await send(local()(), {
      tools: [weather],
      tool_choice: { type: 'function', function: { name: 'nope' } },
    })
    expect(absent.status).toBe(400)
    expect(JSON.parse(await textOf(absent.body)).error).toMatchObject({
      param: 'tool_choice',
      type: 'invalid_request_error',
    })
    const impossible = {
      type: 'function' as const,
      function: { name: 'f', parameters: { type: 'object', properties: { x: false }, required: ['x'] } },
    }
    const response = await send(local()(), { tools: [impossible] })
    expect(response.status).toBe(400)
    expect(JSON.parse(await textOf(response.body)).error).toMatchObject({
      param: 'tools[0].function.parameters',
      message: expect.stringContaining("function 'f'"),
    })
  })
})

describe('local with a response format', () => {
  const format = (schema: JsonObject) => ({
    response_format: { type: 'json_schema' as const, json_schema: { name: 'result', schema } },
  })

  it('answers with data for the schema', async () => {
    const schema = {
      type: 'object',
      properties: { final_answer: { type: 'number' }, explanation: { type: 'string' } },
      required: ['final_answer', 'explanation'],
      additionalProperties: false,
    }
    const { choices } = await complete({ ...format(schema), messages: user('what is 6 * 7?') })
    expect(JSON.parse(choices[0]!.message.content!)).toEqual({ final_answer: 1, explanation: 'example' })
    expect(contentOf(await stream({ ...format(schema), messages: user('what is 6 * 7?') }))).toBe(
      choices[0]!.message.content,
    )
  })

  it('refuses a schema for which it can make nothing', async () => {
    const response = await send(local()(), {
      stream: true,
      ...format({
        type: 'object',
        properties: { a: { type: 'integer', minimum: 2, maximum: 1 } },
        required: ['a'],
      }),
    })
    expect(response.status).toBe(400)
    expect(response.headers.get('Content-Type')).toBe('application/json')
    expect(JSON.parse(await textOf(response.body)).error).toEqual({
      message: expect.stringMatching(/^Invalid schema for response_format 'result': In context=\('a'\)/),
      type: 'invalid_request_error',
      param: 'response_format',
      code: null,
    })
  })

  it('answers with an object for json_object', async () => {
    const response_format = { type: 'json_object' as const }
    const { choices } = await complete({ response_format, messages: user('What is 2 + 2?') })
    expect(JSON.parse(choices[0]!.message.content!)).toEqual({ answer: '2 + 2 = 4' })
  })
})

describe('local with keywords that it does not regard', () => {
  const parameters = {
    type: 'object',
    properties: { code: { type: 'string', pattern: '^[A-Z]+$' }, mail: { type: 'string', format: 'email' } },
    required: ['code'],
  }
  const tool = (name: string) => ({ type: 'function' as const, function: { name, parameters } })
  const adjustmentsOf = async (input: Input, target = local()()) =>
    (await target.provider.encode({ input: { model: 'm', messages: user('x'), ...input }, model: 'm' }))
      .adjustments
  const detail = 'local() generates without regard to format, pattern'

  it('reports them as an adjustment, for each schema that it generates from', async () => {
    expect(await adjustmentsOf({ tools: [tool('a')] })).toEqual([
      { parameter: 'tools[0].function.parameters', action: 'dropped', detail },
    ])
    const tool_choice = { type: 'function' as const, function: { name: 'b' } }
    expect(await adjustmentsOf({ tools: [tool('a'), tool('b')], tool_choice })).toEqual([
      { parameter: 'tools[1].function.parameters', action: 'dropped', detail },
    ])
    const response_format = { type: 'json_schema' as const, json_schema: { name: 'r', schema: parameters } }
    expect(await adjustmentsOf({ response_format })).toEqual([
      { parameter: 'response_format.json_schema.schema', action: 'dropped', detail },
    ])
    const format = { type: 'grammar', grammar: { syntax: 'regex', definition: '[A-Z]' } }
    expect(await adjustmentsOf({ tools: [{ type: 'custom', custom: { name: 'c', format } }] })).toEqual([
      {
        parameter: 'tools[0].custom.format',
        action: 'dropped',
        detail: 'local() generates without regard to grammar',
      },
    ])
  })

  it('reports nothing where nothing is generated from them', async () => {
    expect(await adjustmentsOf({})).toBeUndefined()
    expect(await adjustmentsOf({ tools: [weather] })).toBeUndefined()
    expect(await adjustmentsOf({ tools: [tool('a')], tool_choice: 'none' })).toBeUndefined()
    expect(await adjustmentsOf({ tools: [tool('a')] }, local({ script: ['x'] })())).toBeUndefined()
    const impossible = { ...parameters, properties: { code: false } }
    const response_format = { type: 'json_schema' as const, json_schema: { name: 'r', schema: impossible } }
    expect(await adjustmentsOf({ response_format })).toBeUndefined()
  })
})

describe('local with a script', () => {
  const scripted = (...script: NonNullable<LocalOptions['script']> & readonly unknown[]) =>
    local({ script })('m')

  it('answers word for word, in turn, and then says that there is no more', async () => {
    const target = scripted('first answer', { chunks: ['sec', 'ond'] })
    expect((await complete({ stop: 'answer', max_tokens: 1 }, target)).choices[0]!.message.content).toBe(
      'first answer',
    )
    const chunks = await stream({}, target)
    expect(chunks.map(chunk => chunk.choices[0]?.delta.content).filter(Boolean)).toEqual(['sec', 'ond'])
    await expect(send(target, {})).rejects.toThrow('The script of local() has 2 answers, and this is call 3.')
  })

  it('asks a function, with the request and the number of the call', async () => {
    const seen: unknown[] = []
    const target = local({
      script: async (request, call) => {
        seen.push([request.model, request.messages, call])
        return `call ${call}`
      },
    })('m')
    await complete({ messages: user('a') }, target)
    expect((await complete({ messages: user('b') }, target)).choices[0]!.message.content).toBe('call 1')
    expect(seen).toEqual([
      ['m', user('a'), 0],
      ['m', user('b'), 1],
    ])
  })

  it('gives calls, refusals, reasoning, finish reasons and usage as written', async () => {
    const usage = { prompt_tokens: 7, completion_tokens: 5, cached_tokens: 4, reasoning_tokens: 2 }
    const target = scripted(
      {
        toolCalls: [
          { name: 'f', arguments: { a: 1 }, id: 'call_x' },
          { name: 'g', arguments: '{"broken' },
        ],
      },
      { refusal: 'I will not.', finishReason: 'content_filter', usage },
      { reasoning: 'Hmm, so', text: 'Yes.', usage: null },
      { functionCall: { name: 'f', arguments: { a: 1 } } },
    )
    expect((await complete({}, target)).choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: null,
        tool_calls: [
          { id: 'call_x', function: { arguments: '{"a":1}' } },
          { function: { name: 'g', arguments: '{"broken' } },
        ],
      },
    })
    expect(await complete({}, target)).toMatchObject({
      choices: [{ message: { content: null, refusal: 'I will not.' }, finish_reason: 'content_filter' }],
      usage: {
        prompt_tokens: 7,
        completion_tokens: 5,
        total_tokens: 12,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    })
    const chunks = await stream({}, target)
    expect(chunks.map(chunk => chunk.choices[0]?.delta.reasoning_content ?? '').join('')).toBe('Hmm, so')
    expect(chunks.some(chunk => chunk.choices.length === 0)).toBe(false)
    expect((await complete({}, target)).choices[0]).toMatchObject({ finish_reason: 'function_call' })
  })

  it('is read back by the ordinary decoder', async () => {
    const target = scripted({ text: 'Hi there', usage: { prompt_tokens: 1 } }, { toolCalls: [{ name: 'f' }] })
    expect(await ask(target, {})).toMatchObject({
      choices: [{ message: { content: 'Hi there' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    })
    const chunks = (await ask(target, { stream: true })) as PartialChunk[]
    expect(chunks.some(chunk => chunk.choices.some(choice => choice.finish_reason === 'tool_calls'))).toBe(
      true,
    )
  })

  it('gives errors, before and within a stream', async () => {
    const target = scripted(
      { error: { status: 429, code: 'rate_limit_exceeded', message: 'Slow down.', retryAfter: 3 } },
      { chunks: ['a', 'b'], errorAfter: 1, error: { message: 'Oh no.', code: 'boom' } },
    )
    await expect(ask(target, {})).rejects.toMatchObject({
      kind: 'refused',
      status: 429,
      code: 'rate_limit_exceeded',
      vendorMessage: 'Slow down.',
      retryAfterMs: 3_000,
    })
    const text = await textOf((await send(target, { stream: true })).body)
    expect(text).toContain('"content":"a"')
    expect(text).not.toContain('"content":"b"')
    expect(
      text.endsWith(
        'data: {"error":{"message":"Oh no.","type":"server_error","param":null,"code":"boom"}}\n\n',
      ),
    ).toBe(true)
  })

  it('cuts and garbles where it is told', async () => {
    const target = scripted(
      { chunks: ['a', 'b'], cutAfter: 1 },
      { chunks: ['a', 'b'], malformedAfter: 1 },
      { text: 'a', cutAfter: 9 },
      { text: 'a', cutAfter: 0 },
    )
    let text = ''
    const cut = await send(target, { stream: true })
    await expect(
      (async () => {
        for await (const bytes of cut.body) text += new TextDecoder().decode(bytes)
      })(),
    ).rejects.toMatchObject({ kind: 'truncated' })
    expect(text).toContain('"content":"a"')
    expect(text).not.toContain('"content":"b"')
    await expect(ask(target, { stream: true })).rejects.toMatchObject({ kind: 'garbled' })
    await expect(ask(target, { stream: true })).rejects.toMatchObject({ kind: 'truncated' })
    await expect(ask(target, {})).rejects.toMatchObject({ kind: 'truncated' })
  })

  it('hangs where it is told, until it is aborted', async () => {
    for (const [hang, before] of [
      ['after-headers', ''],
      [0, 'role'],
      [1, 'first'],
    ] as const) {
      const abort = new AbortController()
      const reason = new Error('left')
      const { body } = await send(
        scripted({ chunks: ['first', 'second'], hang }),
        { stream: true },
        abort.signal,
      )
      let text = ''
      const read = (async () => {
        for await (const bytes of body) text += new TextDecoder().decode(bytes)
      })()
      await new Promise(resolve => setImmediate(resolve))
      expect(text.includes(before) && !text.includes('second')).toBe(true)
      abort.abort(reason)
      await expect(read).rejects.toBe(reason)
    }
    const abort = new AbortController()
    const waiting = send(scripted({ hang: 'before-headers' }), {}, abort.signal)
    abort.abort(new Error('left'))
    await expect(waiting).rejects.toThrow('left')
  })
})

describe('local in time', () => {
  afterEach(() => void vi.useRealTimers())

  it('paces its words, and stops at once when aborted, leaving no timer', async () => {
    vi.useFakeTimers()
    const abort = new AbortController()
    const target = local({ pace: { firstTokenMs: 100, tokenMs: 10 } })()
    const { body } = await send(target, { stream: true, messages: user('Say: a b c') }, abort.signal)
    let text = ''
    const read = (async () => {
      for await (const bytes of body) text += new TextDecoder().decode(bytes)
    })().catch(error => error)
    await vi.advanceTimersByTimeAsync(99)
    expect(text).toContain('"role":"assistant"')
    expect(text).not.toContain('"content":"a"')
    await vi.advanceTimersByTimeAsync(1)
    expect(text).toContain('"content":"a"')
    expect(text).not.toContain('"content":" b"')
    await vi.advanceTimersByTimeAsync(10)
    expect(text).toContain('"content":" b"')
    abort.abort(new Error('left'))
    expect(await read).toMatchObject({ message: 'left' })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('gives a whole answer after as long as its stream would take', async () => {
    vi.useFakeTimers()
    const sent = send(local({ pace: { firstTokenMs: 100, tokenMs: 10 } })(), { messages: user('Say: a b c') })
    let answered = false
    void sent.then(() => {
      answered = true
    })
    await vi.advanceTimersByTimeAsync(119)
    expect(answered).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(answered).toBe(true)
  })

  it('waits as a script says', async () => {
    vi.useFakeTimers()
    const { provider } = local({ script: [{ chunks: ['a', 'b'], delayMs: 50, chunkDelayMs: 5 }] })()
    const sent = provider.transport!(
      await provider.encode({ input: { model: 'm', messages: user('x'), stream: true }, model: 'm' }),
      new AbortController().signal,
    )
    await vi.advanceTimersByTimeAsync(50)
    const done = textOf((await sent).body)
    await vi.advanceTimersByTimeAsync(10)
    expect(await done).toContain('[DONE]')
  })

  it('makes no more of a stream than is read', async () => {
    const { body } = await send(local()(), { stream: true, messages: user(`Say: ${'word '.repeat(5_000)}`) })
    const reader = body[Symbol.asyncIterator]()
    const first = await reader.next()
    expect(first.done).toBe(false)
    expect((first.value as Uint8Array).byteLength).toBeLessThan(20_000)
    await reader.return?.()
    expect(await reader.next()).toEqual({ done: true, value: undefined })
  })

  it('does not begin for a caller who has left', async () => {
    await expect(send(local()(), {}, AbortSignal.abort(new Error('left')))).rejects.toThrow('left')
  })
})

describe('local with faults', () => {
  const outcome = async (target: Target, input: Input = {}) => {
    try {
      await ask(target, { stream: true, messages: user('Say: a b c d e f g h i j k l'), ...input })
      return 'answered'
    } catch (error) {
      const { kind, status } = error as { kind?: string; status?: number }
      return `${kind} ${status ?? ''}`.trim()
    }
  }

  it('draws the same faults from the same seed, in about the shares asked for', async () => {
    const draw = async (seed: number) => {
      const target = local({
        faults: { seed, rateLimited: 0.2, failed: 0.1, overloaded: 0.1, malformed: 0.1, cut: 0.1 },
      })()
      const drawn: string[] = []
      for (let call = 0; call < 300; call++) drawn.push(await outcome(target))
      return drawn
    }
    const drawn = await draw(7)
    expect(await draw(7)).toEqual(drawn)
    expect(await draw(8)).not.toEqual(drawn)
    const share = (kind: string) => drawn.filter(one => one === kind).length / drawn.length
    expect(share('answered')).toBeGreaterThan(0.3)
    expect(share('answered')).toBeLessThan(0.5)
    for (const kind of ['refused 429', 'refused 500', 'refused 503', 'garbled', 'truncated'])
      expect(share(kind), kind).toBeGreaterThan(0.04)
  })

  it('asks to wait after a 429', async () => {
    const response = await send(local({ faults: { rateLimited: 1, retryAfter: 7 } })(), {})
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7'])
  })

  it('strikes after so many words', async () => {
    for (const stream of [true, false]) {
      await expect(ask(local({ faults: { cut: 1, afterTokens: 3 } })(), { stream })).rejects.toMatchObject({
        kind: 'truncated',
      })
      await expect(
        ask(local({ faults: { malformed: 1, afterTokens: 3 } })(), { stream }),
      ).rejects.toMatchObject({ kind: 'garbled' })
    }
  })

  it('never answers, or stops answering, until it is aborted', async () => {
    for (const faults of [{ hang: 1 }, { stall: 1, afterTokens: 1 }]) {
      const abort = new AbortController()
      const reading = (async () =>
        textOf((await send(local({ faults })(), { stream: true }, abort.signal)).body))()
      await new Promise(resolve => setImmediate(resolve))
      abort.abort(new Error('left'))
      await expect(reading).rejects.toThrow('left')
    }
  })

  it('is late', async () => {
    vi.useFakeTimers()
    let answered = false
    const sent = send(local({ faults: { latencyMs: [20, 30] } })(), {}).then(() => {
      answered = true
    })
    await vi.advanceTimersByTimeAsync(19)
    expect(answered).toBe(false)
    await vi.advanceTimersByTimeAsync(12)
    expect(answered).toBe(true)
    await sent
    vi.useRealTimers()
  })
})
