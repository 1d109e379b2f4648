import { createAnthropic } from '@ai-sdk/anthropic'
import { APICallError, generateText, Output, stepCountIs, streamText, tool } from 'ai'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { used } from '../families/family.ts'
import { overFamilies } from './family-service.ts'
import { pixel, script } from './script.ts'

const tools = {
  get_weather: tool({
    description: 'The weather of a city',
    inputSchema: z.object({ city: z.string(), days: z.array(z.number()).optional() }),
    execute: async ({ city }) => ({ sky: `cloudless over ${city}` }),
  }),
}
const person = z.object({ name: z.string(), age: z.number().int() })

overFamilies(script, service => {
  const model = (name = 'm', apiKey = 'good-key') =>
    createAnthropic({ baseURL: `${service.origin}/v1`, apiKey })(name)

  it('answers, whole and streamed', async () => {
    const whole = await generateText({ model: model(), prompt: 'Hello!', maxRetries: 0 })
    expect(whole).toMatchObject({ text: 'heard Hello!', finishReason: 'stop' })
    expect(whole.usage).toMatchObject({ inputTokens: used.prompt, outputTokens: used.completion })
    const streamed = streamText({ model: model(), prompt: 'Hello!', maxRetries: 0 })
    expect(await streamed.text).toBe('heard Hello!')
    expect((await streamed.usage).outputTokens).toBe(used.completion)
  })

  it('calls tools over turns, two at once', async () => {
    for (const prompt of ['What is the weather?', 'Use two tools']) {
      const asked = { model: model(), prompt, tools, stopWhen: stepCountIs(3), maxRetries: 0 }
      const whole = await generateText(asked)
      expect(whole.steps[0]?.finishReason).toBe('tool-calls')
      expect(whole.text).toContain('cloudless over Paris')
      if (prompt.includes('two')) expect(whole.text).toContain('cloudless over Rome')
      expect(await streamText(asked).text).toBe(whole.text)
    }
  })

  it('answers with data for a schema', async () => {
    const { output } = await generateText({
      model: model(),
      prompt: 'Who?',
      output: Output.object({ schema: person }),
      maxRetries: 0,
      providerOptions: { anthropic: { structuredOutputMode: 'outputFormat' } },
    })
    expect(output).toEqual({ name: 'Ada', age: 36 })
  })

  it('shows a picture', async () => {
    const { text } = await generateText({
      model: model(),
      maxRetries: 0,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', image: Buffer.from(pixel, 'base64'), mediaType: 'image/png' },
            { type: 'text', text: 'Look!' },
          ],
        },
      ],
    })
    expect(text).toBe('saw image/png')
  })

  it('reads thought', async () => {
    const options = { thinking: { type: 'enabled', budgetTokens: 1_024 } } as const
    const asked = {
      model: model(),
      prompt: 'Please think',
      providerOptions: { anthropic: options },
      maxRetries: 0,
    }
    expect(await generateText(asked)).toMatchObject({
      reasoningText: 'The user wants thought.',
      text: 'I thought.',
    })
    expect(await streamText(asked).reasoningText).toBe('The user wants thought.')
  })

  it.each([
    [401, 'm', 'wrong-key'],
    [403, 'm', 'narrow-key'],
    [404, 'nope', 'good-key'],
  ] as const)('throws a %i', async (statusCode, name, apiKey) => {
    const thrown: unknown = await generateText({
      model: model(name, apiKey),
      prompt: 'Hello!',
      maxRetries: 0,
    }).catch((error: unknown) => error)
    expect(APICallError.isInstance(thrown)).toBe(true)
    expect(thrown).toMatchObject({ statusCode, isRetryable: false, message: expect.stringMatching(/\S{3}/) })
  })

  it('sees where a stream breaks off', async () => {
    const errors: unknown[] = []
    const streamed = streamText({
      model: model(),
      prompt: 'break off',
      maxRetries: 0,
      onError: ({ error }) => void errors.push(error),
    })
    await streamed.consumeStream()
    expect(errors).toHaveLength(1)
  })
})
