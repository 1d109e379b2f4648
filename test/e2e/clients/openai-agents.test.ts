import { Agent, handoff, OpenAIProvider, Runner, tool } from '@openai/agents'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { used } from '../families/family.ts'
import { overFamiliesOfResponses } from './family-service.ts'
import { pixel, script } from './script.ts'

const weather = tool({
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => `cloudless over ${city}`,
})

overFamiliesOfResponses(
  asked => {
    const transfer = asked.tools.find(name => name.startsWith('transfer_to'))
    if (transfer !== undefined) return { calls: [{ id: 'call_handoff', name: transfer, input: {} }] }
    // The other agent answers as if it were asked first.
    const isHandedOver = asked.results.some(result => result.includes('assistant'))
    return script(isHandedOver ? { ...asked, text: 'What is the weather?', results: [] } : asked)
  },
  service => {
    const runner = (apiKey = 'good-key') =>
      new Runner({
        modelProvider: new OpenAIProvider({ baseURL: `${service.origin}/v1`, apiKey, useResponses: true }),
        // Traces would be sent to OpenAI.
        tracingDisabled: true,
      })
    const agent = new Agent({ name: 'Helper', instructions: 'Be brief.', model: 'm', tools: [weather] })
    const plain = new Agent({ name: 'Plain', model: 'm' })

    it('answers, whole and streamed', async () => {
      const whole = await runner().run(plain, 'Hello!')
      expect(whole.finalOutput).toBe('heard Hello!')
      expect(whole.state.usage).toMatchObject({ inputTokens: used.prompt, outputTokens: used.completion })
      const streamed = await runner().run(plain, 'Hello!', { stream: true })
      let text = ''
      for await (const piece of streamed.toTextStream()) text += piece
      await streamed.completed
      expect([text, streamed.finalOutput]).toEqual(['heard Hello!', 'heard Hello!'])
    })

    it('runs tools, and sends their results', async () => {
      service.taken()
      for (const stream of [false, true]) {
        const result = stream
          ? await runner().run(agent, 'What is the weather?', { stream: true })
          : await runner().run(agent, 'What is the weather?')
        if ('completed' in result) await result.completed
        expect(result.finalOutput).toContain('cloudless over Paris')
        const [first, second] = service.taken()
        expect(first!.tools).toEqual(['get_weather'])
        expect(second!.results).toEqual([expect.stringContaining('cloudless over Paris')])
      }
    })

    it('hands over to another agent', async () => {
      service.taken()
      const triage = new Agent({ name: 'Triage', model: 'm', handoffs: [handoff(agent)] })
      const result = await runner().run(triage, 'What is the weather?')
      expect(result.lastAgent?.name).toBe('Helper')
      expect(result.finalOutput).toContain('cloudless over Paris')
      expect(service.taken().map(({ tools }) => tools)).toEqual([
        ['transfer_to_Helper'],
        ['get_weather'],
        ['get_weather'],
      ])
    })

    it('goes on with its history, and with a stored response', async () => {
      const first = await runner().run(agent, 'What is the weather?')
      const then = await runner().run(plain, [...first.history, { role: 'user', content: 'Hello!' }])
      expect(then.finalOutput).toBe('heard Hello!')
      service.taken()
      const stored = await runner().run(plain, 'Hello again!', { previousResponseId: first.lastResponseId! })
      expect(stored.finalOutput).toBe('heard Hello again!')
      expect(JSON.stringify(service.taken()[0]!.body)).toContain('cloudless over Paris')
    })

    it('answers with data for a schema, and sees pictures', async () => {
      const person = z.object({ name: z.string(), age: z.number() })
      const typed = new Agent({ name: 'Typed', model: 'm', outputType: person })
      expect((await runner().run(typed, 'Who?')).finalOutput).toEqual({ name: 'Ada', age: 36 })
      const content = [
        { type: 'input_text' as const, text: 'Look!' },
        { type: 'input_image' as const, image: `data:image/png;base64,${pixel}` },
      ]
      const seen = await runner().run(plain, [{ role: 'user', content }])
      expect(seen.finalOutput).toBe('saw image/png')
    })

    it('throws what the gateway refuses', async () => {
      await expect(runner('bad-key').run(plain, 'Hello!')).rejects.toMatchObject({ status: 401 })
      await expect(runner().run(new Agent({ name: 'None', model: 'none' }), 'Hello!')).rejects.toMatchObject({
        status: 400,
        code: 'model_not_found',
      })
    })
  },
)
