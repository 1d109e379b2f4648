import { createOpenAI } from '@ai-sdk/openai'
import { createGateway, models } from '@sluice/core'
import { gemini } from '@sluice/providers'
import { startUpstream, steps } from '@sluice/testing'
import { generateText, stepCountIs, streamText, tool } from 'ai'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'

const thoughtSignature = 'c2lnbmVkLWJ5LXZlbmRvcg=='
const city = 'Paris'
const answers = [
  [{ functionCall: { name: 'get_weather', args: { city } }, thoughtSignature }],
  [{ text: 'It is sunny.' }],
].map(parts => ({ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] }))

describe('the AI SDK over /v1/responses, as it is by default', () => {
  it.each([
    { name: 'whole', generate: generateText, scripts: answers.map(answer => steps.reply(answer)) },
    {
      name: 'streamed',
      generate: streamText,
      scripts: answers.map(answer => steps.stream([`data: ${JSON.stringify(answer)}\n\n`])),
    },
  ])(
    'brings a signature of Gemini back with the call that it came with, $name',
    async ({ generate, scripts }) => {
      const upstream = await startUpstream(...scripts)
      onTestFinished(() => upstream.close())
      const gateway = createGateway({
        authenticate: () => ({ id: 'ann' }),
        route: models({
          m: gemini({ apiKey: 'k', baseURL: `${upstream.url}/v1beta` })('gemini-3-pro-preview'),
        }),
      })
      onTestFinished(() => gateway.close())
      const model = createOpenAI({
        apiKey: 'sk-ann',
        baseURL: 'http://sluice.test/v1',
        fetch: (url, init) => gateway.fetch(new Request(url, init)),
      })('m')
      const get_weather = tool({ inputSchema: z.object({ city: z.string() }), execute: async () => 'sunny' })
      const stopWhen = stepCountIs(2)
      const result = await generate({
        model,
        prompt: 'Weather?',
        tools: { get_weather },
        stopWhen,
        maxRetries: 0,
      })
      expect(await result.text).toBe('It is sunny.')
      expect(JSON.parse(upstream.requests[1]!.body).contents[1].parts).toMatchObject([
        { functionCall: { name: 'get_weather', args: { city } }, thoughtSignature },
      ])
    },
  )
})
