import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { expect, it } from 'vitest'
import { overFamilies } from './family-service.ts'
import { script } from './script.ts'

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
} as const

overFamilies(script, service => {
  const model = () =>
    new ChatOpenAI({
      model: 'm',
      apiKey: 'good-key',
      useResponsesApi: true,
      maxRetries: 0,
      configuration: { baseURL: `${service.origin}/v1` },
    })

  it('answers, whole and streamed', async () => {
    expect((await model().invoke('Hello!')).text).toBe('heard Hello!')
    let text = ''
    for await (const chunk of await model().stream('Hello!')) text += chunk.text
    expect(text).toBe('heard Hello!')
  })

  it('calls tools, and sends all of it back', async () => {
    const bound = model().bindTools([weather])
    for (const question of ['What is the weather?', 'Use two tools']) {
      const asked = new HumanMessage(question)
      const answer = await bound.invoke([asked])
      const calls = answer.tool_calls ?? []
      expect(calls[0]).toMatchObject({ name: 'get_weather', args: { city: 'Paris' } })
      const results = calls.map(
        ({ id }, at) => new ToolMessage({ tool_call_id: id ?? '', content: `result ${at + 1}` }),
      )
      expect((await bound.invoke([asked, answer, ...results])).text).toContain(`result ${calls.length}`)
    }
  })
})
