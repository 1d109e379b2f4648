import type { FunctionToolCall } from '@sluice/core/provider'
import { expect, it } from 'vitest'
import { choiceOf } from './completion-of.ts'
import { overMounts } from './over-mounts.ts'
import { testGateway } from './test-gateway.ts'

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const tools = [{ type: 'function', function: { name: 'get_weather', parameters } }]
const asked = {
  tools,
  tool_choice: 'required',
  messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
}

overMounts(testGateway, site => {
  it('C21 calls a tool', async () => {
    const { message, finish_reason } = choiceOf(await site.chat(asked))
    expect(finish_reason).toBe('tool_calls')
    expect(message.content).toBeNull()
    expect(message.tool_calls).toEqual([
      {
        id: expect.stringMatching(/^call_\w+$/),
        type: 'function',
        function: { name: 'get_weather', arguments: expect.any(String) },
      },
    ])
  })

  it('C22 gives arguments as JSON text', async () => {
    const { message } = choiceOf(await site.chat(asked))
    const call = message.tool_calls?.[0] as FunctionToolCall
    expect(call.function.arguments).toBeTypeOf('string')
    expect(JSON.parse(call.function.arguments)).toEqual({ city: 'example' })
  })

  it('C23 gives log probabilities', async () => {
    const { logprobs, message } = choiceOf(await site.chat({ logprobs: true, top_logprobs: 2 }))
    const tokens = logprobs?.content ?? []
    expect(tokens.map(({ token }) => token).join('')).toBe(message.content)
    for (const token of tokens) {
      expect(Object.keys(token)).toEqual(['token', 'logprob', 'bytes', 'top_logprobs'])
      expect(token.logprob).toBeLessThanOrEqual(0)
      expect(token.bytes).toEqual([...Buffer.from(token.token)])
      expect(token.top_logprobs.length).toBeLessThanOrEqual(2)
    }
  })

  it('C55 takes the result of a tool', async () => {
    const { message } = choiceOf(await site.chat(asked))
    const call = message.tool_calls![0]!
    const answer = await site.chat({
      tools,
      messages: [
        ...asked.messages,
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: call.id, content: '{"sky":"blue"}' },
      ],
    })
    expect(choiceOf(answer).message.content).toContain('blue')
    expect(choiceOf(answer).finish_reason).toBe('stop')
  })

  it('C120 takes the deprecated functions', async () => {
    const [{ function: definition }] = tools as [(typeof tools)[0]]
    for (const function_call of [undefined, { name: 'get_weather' }]) {
      const { message, finish_reason } = choiceOf(
        await site.chat({ messages: asked.messages, functions: [definition], function_call }),
      )
      expect(message.function_call).toEqual({ name: 'get_weather', arguments: expect.any(String) })
      expect(JSON.parse(message.function_call!.arguments)).toEqual({ city: 'example' })
      expect(message).not.toHaveProperty('tool_calls')
      expect(finish_reason).toBe('function_call')
    }
  })
})
