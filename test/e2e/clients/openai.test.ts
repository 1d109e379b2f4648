import OpenAI, {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { overServices } from './service.ts'

const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hello!' }]
const question: OpenAI.ChatCompletionMessageParam[] = [
  { role: 'user', content: 'What is the weather in Paris?' },
]
const tools: OpenAI.ChatCompletionTool[] = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
]
const Person = z.object({ name: z.string(), age: z.number().int() })

overServices(service => {
  const client = (options: { apiKey?: string; maxRetries?: number } = {}) =>
    new OpenAI({
      baseURL: service.baseURL,
      fetch: service.fetch,
      apiKey: 'good-key',
      maxRetries: 0,
      ...options,
    })
  const completions = () => client().chat.completions

  it('answers', async () => {
    const { data, response, request_id } = await completions()
      .create({ model: 'local', messages })
      .withResponse()
    expect(response.status).toBe(200)
    expect(request_id).toMatch(/^req_[0-9a-f]{32}$/)
    expect(data).toHaveProperty('_request_id', request_id)
    expect(data.choices[0]?.message.content).toMatch(/\S/)
    expect(data.usage?.total_tokens).toBeGreaterThan(0)
  })

  it('streams what it answers', async () => {
    const whole = await completions().create({ model: 'local', messages })
    const stream = await completions().create({
      model: 'local',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    })
    let text = ''
    let usage: OpenAI.CompletionUsage | null | undefined
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? ''
      usage = chunk.usage
    }
    expect(text).toBe(whole.choices[0]?.message.content)
    expect(usage).toEqual(whole.usage)
  })

  it('streams to the helper', async () => {
    const whole = await completions().create({ model: 'local', messages, n: 2 })
    const stream = completions().stream({
      model: 'local',
      messages,
      n: 2,
      stream_options: { include_usage: true },
    })
    const final = await stream.finalChatCompletion()
    expect(final.choices.map(({ message }) => message.content)).toEqual(
      whole.choices.map(({ message }) => message.content),
    )
    expect(final.usage).toEqual(whole.usage)
    const deltas: string[] = []
    const one = completions()
      .stream({ model: 'local', messages })
      .on('content', delta => deltas.push(delta))
    expect(await one.finalContent()).toBe(whole.choices[0]?.message.content)
    expect(deltas.length).toBeGreaterThan(3)
    expect(deltas.join('')).toBe(whole.choices[0]?.message.content)
  })

  it('streams slowly, with comments between', async () => {
    expect(await completions().stream({ model: 'slow', messages }).finalContent()).toBe('slow but sure')
  })

  it('calls a tool and takes its result', async () => {
    const asked = { model: 'local', messages: question, tools, tool_choice: 'required' } as const
    const whole = await completions().create(asked)
    const call = whole.choices[0]?.message.tool_calls?.[0] as OpenAI.ChatCompletionMessageFunctionToolCall
    expect(whole.choices[0]?.finish_reason).toBe('tool_calls')
    expect(call.function.name).toBe('get_weather')
    expect(JSON.parse(call.function.arguments)).toEqual({ city: 'example' })
    const streamed = await completions().stream(asked).finalChatCompletion()
    const [again] = streamed.choices[0]?.message.tool_calls ?? []
    expect(again?.function).toMatchObject(call.function)
    const result = await completions().create({
      model: 'local',
      tools,
      messages: [
        ...question,
        whole.choices[0]!.message,
        { role: 'tool', tool_call_id: call.id, content: '{"sky":"azure"}' },
      ],
    })
    expect(result.choices[0]?.message.content).toContain('azure')
  })

  it('runs tools by itself', async () => {
    const runner = completions().runTools({
      model: 'local',
      messages: question,
      tools: [
        {
          type: 'function',
          function: {
            name: 'get_weather',
            description: 'The weather of a city',
            parse: JSON.parse,
            function: ({ city }: { city: string }) => `cloudless over ${city}`,
            parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
          },
        },
      ],
      stream: true,
    })
    expect(await runner.finalContent()).toContain('cloudless over example')
  })

  it('answers with data for a schema', async () => {
    const completion = await completions().parse({
      model: 'local',
      messages: [{ role: 'user', content: 'My name is Ada and my age: 36' }],
      response_format: zodResponseFormat(Person, 'person'),
    })
    expect(Person.parse(completion.choices[0]?.message.parsed)).toBeTruthy()
    const streamed = await completions()
      .stream({
        model: 'local',
        messages: [{ role: 'user', content: 'My name is Ada and my age: 36' }],
        response_format: zodResponseFormat(Person, 'person'),
      })
      .finalChatCompletion()
    expect(streamed.choices[0]?.message.parsed).toEqual(completion.choices[0]?.message.parsed)
  })

  it('lists models and tells of one', async () => {
    const names: string[] = []
    for await (const model of client().models.list()) names.push(model.id)
    expect(names).toContain('local')
    expect(await client().models.retrieve('local')).toMatchObject({ id: 'local', object: 'model' })
    expect(await client().models.retrieve('vendor/x')).toMatchObject({ id: 'vendor/x' })
    await expect(client().models.retrieve('nope')).rejects.toBeInstanceOf(NotFoundError)
  })

  it.each([
    [400, BadRequestError, 'local', 'good-key', 'decimal_above_max_value', 9],
    [401, AuthenticationError, 'local', 'nobody', 'invalid_api_key', 1],
    [403, PermissionDeniedError, 'local', 'narrow-key', 'model_not_found', 1],
    [404, NotFoundError, 'nope', 'good-key', 'model_not_found', 1],
    [429, RateLimitError, 'busy', 'good-key', 'rate_limit_exceeded', 1],
    [429, RateLimitError, 'unpaid', 'good-key', 'insufficient_quota', 1],
    [500, InternalServerError, 'failing', 'good-key', null, 1],
  ] as const)('throws a %i as %o for %s', async (status, kind, model, apiKey, code, temperature) => {
    for (const stream of [false, true]) {
      const asking = client({ apiKey }).chat.completions.create({ model, messages, stream, temperature })
      const thrown: unknown = await asking.then(
        () => 'no error',
        error => error,
      )
      expect(thrown).toBeInstanceOf(kind)
      expect(thrown).toMatchObject({ status, code, requestID: expect.stringMatching(/^req_/) })
      expect((thrown as APIError).message).toMatch(/\S{3}/)
    }
  })

  it('asks again after a 429', async () => {
    const before = service.asked('busy-once')
    const retrying = client({ maxRetries: 2 }).chat.completions
    const started = performance.now()
    expect((await retrying.create({ model: 'busy-once', messages })).choices[0]?.message.content).toMatch(
      /\S/,
    )
    expect(performance.now() - started).toBeLessThan(900)
    expect(service.asked('busy-once') - before).toBe(2)
  })

  it('does not ask again where there is no use in it', async () => {
    const before = service.asked('unpaid')
    const retrying = client({ maxRetries: 2 }).chat.completions
    await expect(retrying.create({ model: 'unpaid', messages })).rejects.toBeInstanceOf(RateLimitError)
    expect(service.asked('unpaid') - before).toBe(1)
  })

  it('throws where a stream breaks', async () => {
    const stream = await completions().create({ model: 'broken', messages, stream: true })
    let text = ''
    const reading = (async () => {
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    })()
    const thrown: unknown = await reading.catch(error => error)
    expect(thrown).toBeInstanceOf(APIError)
    expect(thrown).toMatchObject({ status: undefined, code: 'bad_gateway', type: 'server_error' })
    expect(text).toBe('one two')
    await expect(completions().stream({ model: 'broken', messages }).finalContent()).rejects.toBeInstanceOf(
      APIError,
    )
  })

  it.each(['by leaving the loop', 'by its controller'])('ends the upstream call when left %s', async how => {
    const before = service.upstream.requests.length
    const stream = await completions().create({ model: 'hanging', messages, stream: true })
    const reading = (async () => {
      for await (const chunk of stream) {
        if (chunk.choices[0]?.delta.content === undefined) continue
        if (how === 'by leaving the loop') break
        stream.controller.abort()
      }
    })()
    await reading.catch(() => {})
    await service.upstream.waitForClose(before + 1)
  })

  it('ends the upstream call when a whole answer is no longer wanted', async () => {
    const before = service.upstream.requests.length
    const left = new AbortController()
    const asking = completions().create({ model: 'hanging', messages }, { signal: left.signal })
    await service.upstream.waitForRequest(before + 1)
    left.abort()
    await expect(asking).rejects.toThrow('aborted')
    await service.upstream.waitForClose(before + 1)
  })
})
