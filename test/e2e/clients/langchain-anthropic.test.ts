import { ChatAnthropic } from '@langchain/anthropic'
import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { used } from '../families/family.ts'
import { overFamilies } from './family-service.ts'
import { script } from './script.ts'

const weather = tool(async ({ city }) => `cloudless over ${city}`, {
  name: 'get_weather',
  description: 'The weather of a city',
  schema: z.object({ city: z.string(), days: z.array(z.number()).optional() }),
})

overFamilies(script, service => {
  const model = (name = 'm', apiKey = 'good-key') =>
    new ChatAnthropic({ model: name, apiKey, anthropicApiUrl: service.origin, maxRetries: 0, maxTokens: 500 })

  it('answers, whole and streamed', async () => {
    const whole = await model().invoke('Hello!')
    expect(whole.text).toBe('heard Hello!')
    expect(whole.usage_metadata).toMatchObject({ input_tokens: used.prompt, output_tokens: used.completion })
    let text = ''
    for await (const chunk of await model().stream('Hello!')) text += chunk.text
    expect(text).toBe('heard Hello!')
  })

  it('calls two tools at once and takes their results', async () => {
    const bound = model().bindTools([weather])
    const question = new HumanMessage('Use two tools')
    const answer = await bound.invoke([question])
    expect(answer.tool_calls?.map(({ args }) => args.city)).toEqual(['Paris', 'Rome'])
    const results = await Promise.all(
      (answer.tool_calls ?? []).map(
        async ({ id, args }) =>
          new ToolMessage({ tool_call_id: id!, content: `cloudless over ${args.city}` }),
      ),
    )
    const then = await bound.invoke([question, answer, ...results])
    expect(then.text).toContain('cloudless over Paris')
    expect(then.text).toContain('cloudless over Rome')
  })

  it('throws what is refused', async () => {
    await expect(model('m', 'wrong-key').invoke('Hello!')).rejects.toMatchObject({ status: 401 })
    await expect(model('nope').invoke('Hello!')).rejects.toMatchObject({ status: 404 })
  })
})
