import { type AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { overServices } from './service.ts'

const question = 'What is the weather in Paris?'
const getWeather = tool(async ({ city }) => `cloudless over ${city}`, {
  name: 'get_weather',
  description: 'The weather of a city',
  schema: z.object({ city: z.string() }),
})
const person = z.object({ name: z.string(), age: z.number().int() })

/** The library's own type of its counts comes out as `never`. */
const tokensOf = (usage: unknown) => (usage as { total_tokens: number } | undefined)?.total_tokens ?? 0

overServices(service => {
  const chat = (model: string, apiKey = 'good-key', maxRetries = 0) =>
    new ChatOpenAI({
      model,
      apiKey,
      maxRetries,
      configuration: {
        baseURL: service.baseURL,
        ...(service.fetch === undefined ? {} : { fetch: service.fetch }),
      },
    })

  it('answers', async () => {
    const { content, usage_metadata, response_metadata } = await chat('local').invoke('Hello!')
    expect(content).toMatch(/\S/)
    expect(tokensOf(usage_metadata)).toBeGreaterThan(0)
    expect(response_metadata.finish_reason).toBe('stop')
  })

  it('streams what it answers', async () => {
    const whole = await chat('local').invoke('Hello!')
    let text = ''
    let tokens = 0
    for await (const chunk of await chat('local').stream('Hello!')) {
      text += chunk.content
      tokens += tokensOf(chunk.usage_metadata)
    }
    expect(text).toBe(whole.content)
    expect(tokens).toBe(tokensOf(whole.usage_metadata))
  })

  it('streams slowly, with comments between', async () => {
    let text = ''
    for await (const chunk of await chat('slow').stream('Hello!')) text += chunk.content
    expect(text).toBe('slow but sure')
  })

  it('calls a tool and takes its result', async () => {
    const bound = chat('local').bindTools([getWeather], { tool_choice: 'required' })
    const answer = await bound.invoke(question)
    expect(answer.tool_calls).toMatchObject([{ name: 'get_weather', args: { city: 'example' } }])
    let streamed: AIMessage | undefined
    for await (const chunk of await bound.stream(question)) {
      streamed = streamed === undefined ? chunk : (streamed as typeof chunk).concat(chunk)
    }
    expect(streamed?.tool_calls).toMatchObject([{ name: 'get_weather', args: { city: 'example' } }])
    const result = await getWeather.invoke(answer.tool_calls![0]!)
    expect(result).toBeInstanceOf(ToolMessage)
    const last = await chat('local')
      .bindTools([getWeather])
      .invoke([new HumanMessage(question), answer, result])
    expect(last.content).toContain('cloudless over example')
  })

  it.each(['jsonSchema', 'functionCalling'] as const)(
    'answers with data for a schema by %s',
    async method => {
      const structured = chat('local').withStructuredOutput(person, { name: 'person', method })
      const answer = await structured.invoke('My name is Ada and my age: 36')
      expect(person.parse(answer)).toEqual(answer)
    },
  )

  it.each([
    [401, 'local', 'nobody'],
    [403, 'local', 'narrow-key'],
    [404, 'nope', 'good-key'],
    [429, 'busy', 'good-key'],
    [500, 'failing', 'good-key'],
  ])('throws a %i', async (status, model, key) => {
    await expect(chat(model, key).invoke('Hello!')).rejects.toMatchObject({ status })
    await expect(chat(model, key).stream('Hello!')).rejects.toMatchObject({ status })
  })

  it('asks again after a 429', async () => {
    const before = service.asked('busy-once')
    expect((await chat('busy-once', 'good-key', 2).invoke('Hello!')).content).toMatch(/\S/)
    expect(service.asked('busy-once') - before).toBe(2)
  })

  it('throws where a stream breaks', async () => {
    let text = ''
    const reading = (async () => {
      for await (const chunk of await chat('broken').stream('Hello!')) text += chunk.content
    })()
    await expect(reading).rejects.toMatchObject({ code: 'bad_gateway' })
    expect(text).toBe('one two')
  })

  it('ends the upstream call when a stream is left', async () => {
    const before = service.upstream.requests.length
    const left = new AbortController()
    const reading = (async () => {
      for await (const chunk of await chat('hanging').stream('Hello!', { signal: left.signal })) {
        if (chunk.content !== '') left.abort()
      }
    })()
    await reading.catch(() => {})
    await service.upstream.waitForClose(before + 1)
  })
})
