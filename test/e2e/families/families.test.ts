import { createGateway, models } from '@sluice/core'
import OpenAI from 'openai'
import { describe, expect, it, onTestFinished } from 'vitest'
import { families } from './families.ts'
import { type Script, startVendor, used } from './family.ts'

const script: Script = ({ text, results, tools }) => {
  if (results.length > 0) return { text: `got ${results.join(' and ')}` }
  if (tools.length > 0) return { calls: [{ id: 'call_1', name: tools[0]!, input: { city: 'Paris' } }] }
  return { thought: { text: 'Hm, a greeting.', signature: 'c2lnbmVk' }, text: `heard ${text}` }
}

const tools = [
  { type: 'function' as const, function: { name: 'get_weather', parameters: { type: 'object' } } },
]

describe.each(families)('a scripted vendor: $name', family => {
  const serving = async () => {
    const vendor = await startVendor(family, script)
    const gateway = createGateway({ authenticate: () => ({ id: 'ann' }), route: models({ m: vendor.entry }) })
    onTestFinished(async () => {
      await gateway.close({ drainMs: 1 })
      await vendor.close()
    })
    const client = new OpenAI({
      baseURL: 'http://gateway.test/v1',
      apiKey: 'k',
      maxRetries: 0,
      fetch: gateway.fetch as typeof fetch,
    })
    return { vendor, client }
  }

  it('answers chat completions, whole and streamed', async () => {
    const { client, vendor } = await serving()
    const messages = [{ role: 'user' as const, content: 'Hello!' }]
    const whole = await client.chat.completions.create({ model: 'm', messages })
    expect(whole.choices[0]).toMatchObject({ message: { content: 'heard Hello!' }, finish_reason: 'stop' })
    expect(whole.usage).toMatchObject({ prompt_tokens: used.prompt, completion_tokens: used.completion })
    expect(whole.usage?.prompt_tokens_details?.cached_tokens).toBe(used.cached)
    const streamed = await client.chat.completions.stream({ model: 'm', messages }).finalChatCompletion()
    expect(streamed.choices[0]?.message.content).toBe('heard Hello!')
    expect(vendor.questions).toMatchObject([{ stream: false }, { stream: true, text: 'Hello!' }])
  })

  it('calls tools and takes their results', async () => {
    const { client, vendor } = await serving()
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Weather?' }]
    for (const stream of [false, true]) {
      const asked = { model: 'm', messages, tools }
      const first = stream
        ? await client.chat.completions.stream(asked).finalChatCompletion()
        : await client.chat.completions.create(asked)
      const { message, finish_reason } = first.choices[0]!
      expect(finish_reason).toBe('tool_calls')
      const call = message.tool_calls?.[0] as OpenAI.ChatCompletionMessageFunctionToolCall
      expect([call.function.name, JSON.parse(call.function.arguments)]).toEqual([
        'get_weather',
        { city: 'Paris' },
      ])
      const then = await client.chat.completions.create({
        model: 'm',
        messages: [...messages, message, { role: 'tool', tool_call_id: call.id, content: 'sunny' }],
        tools,
      })
      expect(then.choices[0]?.message.content).toContain('sunny')
    }
    expect(vendor.questions.at(-1)?.results).toEqual([expect.stringContaining('sunny')])
  })
})
