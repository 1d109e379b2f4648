import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { HumanMessage } from '@langchain/core/messages'
import { tool as langchainTool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { generateText, stepCountIs, streamText, tool } from 'ai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openPlaces, placeNames } from './places.ts'

const prompt = 'Weather in Paris and Oslo?'
const answer = 'The tools say: sun over Paris; sun over Oslo.'
const inputSchema = z.object({ city: z.string() })
const weather = ({ city }: { city: string }) => `sun over ${city}`

let open: Awaited<ReturnType<typeof openPlaces>>
beforeAll(async () => {
  open = await openPlaces()
})
afterAll(() => open.close())

describe.each(placeNames)('%s', name => {
  const modelOf = () => open.places[name]!.thinking ?? open.places[name]!.plain
  const effort = () =>
    open.places[name]!.thinking === undefined ? {} : ({ reasoningEffort: 'low' } as const)

  it('calls the tools of the AI SDK', async () => {
    const vendor = createOpenAICompatible({
      name: 'gateway',
      baseURL: open.baseURL,
      apiKey: 'good-key',
      includeUsage: true,
    })
    const asked = {
      model: vendor(modelOf()),
      prompt,
      tools: { get_weather: tool({ inputSchema, execute: async input => weather(input) }) },
      stopWhen: stepCountIs(3),
      maxRetries: 0,
      providerOptions: { gateway: effort() },
    }
    const whole = await generateText(asked)
    expect(whole.text).toBe(answer)
    expect(whole.steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop'])
    const streamed = streamText(asked)
    expect(await streamed.text).toBe(answer)
    expect((await streamed.totalUsage).totalTokens).toBe(whole.totalUsage.totalTokens)
  })

  it('calls the tools of LangChain', async () => {
    const getWeather = langchainTool(async input => weather(input), {
      name: 'get_weather',
      schema: inputSchema,
    })
    const chat = new ChatOpenAI({
      model: open.places[name]!.plain,
      apiKey: 'good-key',
      maxRetries: 0,
      configuration: { baseURL: open.baseURL },
    }).bindTools([getWeather])
    const asked = await chat.invoke(prompt)
    expect(asked.tool_calls).toMatchObject([{ args: { city: 'Paris' } }, { args: { city: 'Oslo' } }])
    const results = await Promise.all(asked.tool_calls!.map(call => getWeather.invoke(call)))
    let text = ''
    for await (const chunk of await chat.stream([new HumanMessage(prompt), asked, ...results])) {
      text += chunk.content
    }
    expect(text).toBe(answer)
  })
})
