import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, generateText, Output, stepCountIs, streamText, tool } from 'ai'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { overServices } from './service.ts'

const prompt = 'Hello!'
const tools = {
  get_weather: tool({
    description: 'The weather of a city',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => ({ sky: `cloudless over ${city}` }),
  }),
}
const person = z.object({ name: z.string(), age: z.number().int() })

overServices(service => {
  const vendor = (apiKey = 'good-key') =>
    createOpenAICompatible({
      name: 'gateway',
      baseURL: service.baseURL,
      apiKey,
      includeUsage: true,
      supportsStructuredOutputs: true,
      ...(service.fetch === undefined ? {} : { fetch: service.fetch }),
    })
  const model = (name: string, apiKey?: string) => vendor(apiKey)(name)

  it('answers', async () => {
    const { text, finishReason, usage, response } = await generateText({
      model: model('local'),
      prompt,
      maxRetries: 0,
    })
    expect(text).toMatch(/\S/)
    expect(finishReason).toBe('stop')
    expect(usage.totalTokens).toBeGreaterThan(0)
    expect(response.id).toMatch(/^chatcmpl-/)
  })

  it('streams what it answers', async () => {
    const whole = await generateText({ model: model('local'), prompt })
    const streamed = streamText({ model: model('local'), prompt })
    const kinds = new Set<string>()
    let text = ''
    for await (const part of streamed.fullStream) {
      kinds.add(part.type)
      if (part.type === 'text-delta') text += part.text
    }
    expect(text).toBe(whole.text)
    expect(kinds).not.toContain('error')
    expect(await streamed.finishReason).toBe('stop')
    expect(await streamed.usage).toEqual(whole.usage)
  })

  it('streams slowly, with comments between', async () => {
    expect(await streamText({ model: model('slow'), prompt }).text).toBe('slow but sure')
  })

  it('calls tools and takes their results', async () => {
    const asked = {
      model: model('local'),
      prompt: 'What is the weather in Paris?',
      tools,
      stopWhen: stepCountIs(3),
    }
    const whole = await generateText(asked)
    expect(whole.steps[0]?.toolCalls).toMatchObject([{ toolName: 'get_weather', input: { city: 'example' } }])
    expect(whole.steps[0]?.finishReason).toBe('tool-calls')
    expect(whole.text).toContain('cloudless over example')
    expect(await streamText(asked).text).toBe(whole.text)
  })

  it('answers with data for a schema', async () => {
    const asked = {
      model: model('local'),
      prompt: 'My name is Ada and my age: 36',
      output: Output.object({ schema: person }),
    }
    const { output } = await generateText(asked)
    expect(person.parse(output)).toEqual(output)
    expect(await streamText(asked).output).toEqual(output)
  })

  it.each([
    [401, 'local', 'nobody', false],
    [403, 'local', 'narrow-key', false],
    [404, 'nope', 'good-key', false],
    [429, 'busy', 'good-key', true],
    [500, 'failing', 'good-key', true],
  ] as const)('throws a %i', async (statusCode, name, apiKey, isRetryable) => {
    const asked = { model: model(name, apiKey), prompt, maxRetries: 0 }
    const thrown: unknown = await generateText(asked).catch(error => error)
    expect(APICallError.isInstance(thrown)).toBe(true)
    expect(thrown).toMatchObject({ statusCode, isRetryable, message: expect.stringMatching(/\S{3}/) })
    const errors: unknown[] = []
    const streamed = streamText({ ...asked, onError: ({ error }) => void errors.push(error) })
    await streamed.consumeStream()
    expect(errors).toMatchObject([{ statusCode, isRetryable }])
  })

  it('asks again after a 429', async () => {
    const before = service.asked('busy-once')
    const started = performance.now()
    const { text } = await generateText({ model: model('busy-once'), prompt, maxRetries: 2 })
    expect(text).toMatch(/\S/)
    expect(performance.now() - started).toBeLessThan(1900)
    expect(service.asked('busy-once') - before).toBe(2)
  })

  it('sees where a stream breaks', async () => {
    const errors: unknown[] = []
    const streamed = streamText({
      model: model('broken'),
      prompt,
      maxRetries: 0,
      onError: ({ error }) => void errors.push(error),
    })
    let text = ''
    for await (const delta of streamed.textStream) text += delta
    expect(text).toBe('one two')
    expect(errors).toHaveLength(1)
    expect(await streamed.finishReason).toBe('error')
  })

  it('ends the upstream call when a stream is aborted', async () => {
    const before = service.upstream.requests.length
    const left = new AbortController()
    const { textStream } = streamText({ model: model('hanging'), prompt, abortSignal: left.signal })
    const reading = (async () => {
      for await (const _ of textStream) left.abort()
    })()
    await reading.catch(() => {})
    await service.upstream.waitForClose(before + 1)
  })
})
