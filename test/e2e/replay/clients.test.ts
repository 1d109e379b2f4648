import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { ChatOpenAI } from '@langchain/openai'
import { streamText, tool } from 'ai'
import OpenAI from 'openai'
import { zodFunction } from 'openai/helpers/zod'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { recordedStream } from './recorded.ts'
import { present, recordings } from './recordings.ts'
import { replaying } from './vendor.ts'

const streams = recordings.filter(({ kind, bytes }) => kind === 'stream' && !recordedStream(bytes).error)
const { baseURL } = await replaying(streams)
const parameters = z.object({})

describe.skipIf(!present)('recorded streams (skipped where ../shared/fixtures is absent)', () => {
  describe.each(streams.map(recording => [recording.name, recording] as const))('%s', (model, { bytes }) => {
    const { choices } = recordedStream(bytes)
    const { text = '', calls = [], reasoning = '', finish = '' } = choices[0] ?? {}
    const called = calls.map(({ name }) => name)

    it('is understood by openai, whose helper takes one tool call at a time', async () => {
      const { chat } = new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 })
      const messages = [{ role: 'user', content: 'Hello!' }] as const
      const tools = called.map(name => zodFunction({ name, parameters }))
      const asked = { model, messages: [...messages], ...(tools.length > 0 ? { tools } : {}) }
      if (finish === 'length') {
        // The helper refuses an answer that was cut off; the plain stream does not.
        let said = ''
        for await (const chunk of await chat.completions.create({ ...asked, stream: true })) {
          if (chunk.choices[0]?.index === 0) said += chunk.choices[0].delta.content ?? ''
        }
        expect(said).toBe(text)
        return
      }
      const { message } = (await chat.completions.stream(asked).finalChatCompletion()).choices[0]!
      expect(message.content ?? '').toBe(text)
      expect((message.tool_calls ?? []).map(call => call.function.name)).toEqual(called)
    })

    it('is understood by the AI SDK', async () => {
      const vendor = createOpenAICompatible({ name: 'gateway', baseURL, includeUsage: true })
      const tools = Object.fromEntries(
        called.map(name => [name, tool({ inputSchema: z.looseObject({}), execute: async () => 'done' })]),
      )
      const errors: unknown[] = []
      const streamed = streamText({
        model: vendor(model),
        prompt: 'Hello!',
        tools,
        maxRetries: 0,
        onError: ({ error }) => void errors.push(error),
      })
      await streamed.consumeStream()
      expect(errors).toEqual([])
      // Here choices are not told apart.
      if (choices.length === 1) expect(await streamed.text).toBe(text)
      expect((await streamed.reasoningText) ?? '').toBe(reasoning)
      expect((await streamed.toolCalls).map(({ toolName }) => toolName)).toEqual(called)
    })

    it('is understood by LangChain', async () => {
      const chat = new ChatOpenAI({ model, apiKey: 'none', maxRetries: 0, configuration: { baseURL } })
      let said = ''
      const names: string[] = []
      for await (const chunk of await chat.stream('Hello!')) {
        said += typeof chunk.content === 'string' ? chunk.content : ''
        for (const { name } of chunk.tool_call_chunks ?? []) if (name) names.push(name)
      }
      if (choices.length === 1) expect(said).toBe(text)
      expect(names).toEqual(called)
    })
  })
})
