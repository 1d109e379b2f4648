import { createOpenAI } from '@ai-sdk/openai'
import { APICallError, generateText, type ModelMessage, Output, stepCountIs, streamText, tool } from 'ai'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { used } from '../families/family.ts'
import { overFamiliesOfResponses } from './family-service.ts'
import { pixel, script } from './script.ts'

const tools = {
  get_weather: tool({
    description: 'The weather of a city',
    inputSchema: z.object({ city: z.string(), days: z.array(z.number()).optional() }),
    execute: async ({ city }) => ({ sky: `cloudless over ${city}` }),
  }),
}

overFamiliesOfResponses(script, service => {
  /** As it is by default: the Responses API, with stored items. */
  const model = (name = 'm', apiKey = 'good-key') =>
    createOpenAI({ baseURL: `${service.origin}/v1`, apiKey })(name)

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

  it('goes on for three turns, with what was stored of those before', async () => {
    for (const stream of [false, true]) {
      const messages: ModelMessage[] = []
      for (const content of ['Please think', 'What is the weather?', 'Hello!']) {
        messages.push({ role: 'user', content })
        const asked = { model: model(), messages, tools, stopWhen: stepCountIs(3), maxRetries: 0 }
        const response = stream ? await streamText(asked).response : (await generateText(asked)).response
        messages.push(...response.messages)
      }
      expect(JSON.stringify(messages.at(-1))).toContain('heard Hello!')
    }
  })

  it('answers with data for a schema', async () => {
    const { output } = await generateText({
      model: model(),
      prompt: 'Who?',
      output: Output.object({ schema: z.object({ name: z.string(), age: z.number().int() }) }),
      maxRetries: 0,
    })
    expect(output).toEqual({ name: 'Ada', age: 36 })
  })

  it('reads thought', async () => {
    const providerOptions = { openai: { reasoningSummary: 'auto', forceReasoning: true } }
    const asked = { model: model(), prompt: 'Please think', providerOptions, maxRetries: 0 }
    const whole = await generateText(asked)
    expect(whole).toMatchObject({ reasoningText: 'The user wants thought.', text: 'I thought.' })
    expect(await streamText(asked).reasoningText).toBe('The user wants thought.')
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
    expect(errors.length).toBeGreaterThan(0)
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

  it('has errors of its kind', async () => {
    const failed = async (prompt: string, name = 'm', key = 'good-key') => {
      const error = await generateText({ model: model(name, key), prompt, maxRetries: 0 }).catch(
        thrown => thrown,
      )
      expect(APICallError.isInstance(error)).toBe(true)
      return [error.statusCode, error.isRetryable]
    }
    expect(await failed('Hello!', 'm', 'bad-key')).toEqual([401, false])
    expect(await failed('Hello!', 'none')).toEqual([400, false])
  })
})
