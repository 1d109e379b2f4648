import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { overFamiliesOfResponses } from './family-service.ts'
import { pixel, script } from './script.ts'

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
} as const

overFamiliesOfResponses(script, service => {
  const model = (apiKey = 'good-key') =>
    new ChatOpenAI({
      model: 'm',
      apiKey,
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

  it('goes on from a stored response', async () => {
    const bound = model().bindTools([weather])
    const first = await bound.invoke('What is the weather?')
    const [call] = first.tool_calls ?? []
    const result = new ToolMessage({ tool_call_id: call?.id ?? '', content: 'sunny' })
    const options = { previous_response_id: String(first.response_metadata.id) }
    expect((await bound.invoke([result], options)).text).toContain('sunny')
    expect(service.taken().at(-1)!.results).toEqual([expect.stringContaining('sunny')])
  })

  it('shows a picture, and reads data for a schema', async () => {
    const content = [
      { type: 'text', text: 'Look!' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
    ]
    expect((await model().invoke([new HumanMessage({ content })])).text).toBe('saw image/png')
    const person = z.object({ name: z.string(), age: z.number() })
    const typed = model().withStructuredOutput(person, { name: 'person', method: 'jsonSchema' })
    expect(await typed.invoke('Who?')).toEqual({ name: 'Ada', age: 36 })
  })

  it('throws what the gateway refuses', async () => {
    await expect(model('wrong-key').invoke('Hello!')).rejects.toMatchObject({ status: 401 })
    await expect(model().invoke('refuse me')).rejects.toMatchObject({ status: 400 })
  })
})
