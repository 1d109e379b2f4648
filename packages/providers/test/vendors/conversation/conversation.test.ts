import type OpenAI from 'openai'
import { APIError, BadRequestError, InternalServerError, RateLimitError } from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Answered, type Ask, askBy, clientOf, type Params, ways } from './ask.ts'
import { openPlaces, type Place, placeNames } from './places.ts'
import { reasoningOf } from './reasoning-of.ts'
import { courseOf, identitiesOf, shapeOf } from './shape-of.ts'

const keys = 'choices created id model object usage'
const chunkKeys = 'choices,created,id,model,object,system_fingerprint,usage'
const messageKeys = {
  whole: { text: 'annotations content refusal role', calls: 'annotations content refusal role tool_calls' },
  streamed: { text: 'content refusal role', calls: 'content refusal role tool_calls' },
}

const tools: OpenAI.ChatCompletionTool[] = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'The weather of a city',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
]
const Person = z.object({
  name: z.string(),
  age: z.number().int(),
  home: z.object({ city: z.string(), since: z.nullable(z.number()) }),
  tags: z.array(z.enum(['a', 'b'])),
})
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const user = (content: string) => ({ role: 'user', content }) as const
const usage = (completion: number, reasoning = 0) => ({
  prompt_tokens: 100,
  completion_tokens: completion,
  total_tokens: 100 + completion,
  prompt_tokens_details: { cached_tokens: 20, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: reasoning,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
})

let open: Awaited<ReturnType<typeof openPlaces>>
let client: OpenAI
beforeAll(async () => {
  open = await openPlaces()
  client = clientOf(open.baseURL)
})
afterAll(() => open.close())

describe.each(placeNames)('%s', name => {
  const place = (): Place => open.places[name]!

  describe.each(ways)('%s', way => {
    const ask: Ask = async params => {
      const { standIn } = place()
      const before = standIn.refused.length
      try {
        return await askBy(client, way)(params)
      } finally {
        // What a vendor refuses is a fault of the provider's, and better told in the vendor's words.
        expect(standIn.refused.slice(before)).toEqual([])
      }
    }
    const expectAnswer = (
      { completion, chunks }: Answered,
      model: string,
      said: { text?: string; cities?: readonly string[]; finish?: string; tokens: number; thought?: number },
    ) => {
      const { text = null, cities = [], tokens, thought = 0 } = said
      const finish = said.finish ?? (cities.length > 0 ? 'tool_calls' : 'stop')
      const kind = cities.length > 0 ? 'calls' : 'text'
      expect(shapeOf(completion, model)).toEqual({
        keys,
        messageKeys: messageKeys[way][kind],
        content: text,
        refusal: null,
        calls: cities.map(city => ({ name: 'get_weather', input: { city } })),
        finish,
        usage: usage(tokens, place().countsReasoning ? thought : 0),
      })
      if (chunks === undefined) return
      const calls = cities.map((_, index) => `call ${index}, arguments ${index}, `).join('')
      expect(courseOf(chunks)).toBe(
        `role, content, refusal, ${text === null ? '' : 'content, '}${calls}${finish}, usage`,
      )
      expect(identitiesOf(chunks)).toEqual([expect.stringMatching(`^${chunkKeys} `)])
    }

    it('speaks over several turns', async () => {
      const model = place().plain
      const answer = await ask({
        model,
        messages: [
          { role: 'system', content: 'Be brief.' },
          user('I am Ada.'),
          { role: 'assistant', content: 'Hello, Ada.' },
          user('Who am I?'),
        ],
      })
      const text = 'system: Be brief. / user: I am Ada. / assistant: Hello, Ada. / user: Who am I?'
      expectAnswer(answer, model, { text, tokens: 17 })
    })

    it('calls one tool after the other', async () => {
      await oneAfterTheOther(place().plain, {}, 0)
    })

    it('calls tools at once and takes both results', async () => {
      const model = place().plain
      const messages: OpenAI.ChatCompletionMessageParam[] = [user('Weather in Paris and Oslo?')]
      const asked = await ask({ model, messages, tools })
      expectAnswer(asked, model, { cities: ['Paris', 'Oslo'], tokens: 20 })
      const { message } = asked.completion.choices[0]!
      const [paris, oslo] = message.tool_calls!.map(({ id }) => id)
      messages.push(message)
      messages.push({ role: 'tool', tool_call_id: paris!, content: 'sun over Paris' })
      messages.push({ role: 'tool', tool_call_id: oslo!, content: 'rain over Oslo' })
      const answer = await ask({ model, messages, tools })
      expectAnswer(answer, model, { text: 'The tools say: sun over Paris; rain over Oslo.', tokens: 9 })
    })

    it('chooses tools as it is told', async () => {
      const model = place().plain
      const asked = { model, messages: [user('Hello.')], tools }
      for (const tool_choice of [
        'required',
        { type: 'function', function: { name: 'get_weather' } },
      ] as const) {
        expectAnswer(await ask({ ...asked, tool_choice }), model, { cities: ['Ada'], tokens: 10 })
      }
      const messages = [user('Weather in Paris?')]
      const answer = await ask({ model, messages, tools, tool_choice: 'none' })
      expectAnswer(answer, model, { text: 'system:  / user: Weather in Paris?', tokens: 6 })
    })

    it('answers with data for a schema', async () => {
      const model = place().plain
      const asked: Params = {
        model,
        messages: [user('Describe Ada.')],
        response_format: zodResponseFormat(Person, 'person'),
      }
      const expected = { name: 'Ada', age: 36, home: { city: 'Ada', since: 36 }, tags: ['a'] }
      if (way === 'whole') {
        const { choices } = await client.chat.completions.parse(asked)
        expect(choices[0]?.message.parsed).toEqual(expected)
      }
      const { completion, chunks } = await ask(asked)
      const { content, ...shape } = shapeOf(completion, model)
      expect(Person.parse(JSON.parse(content!))).toEqual(expected)
      expect(shape).toMatchObject({
        keys,
        messageKeys: messageKeys[way].text,
        refusal: null,
        calls: [],
        finish: 'stop',
      })
      if (chunks !== undefined) {
        expect(courseOf(chunks)).toBe('role, content, refusal, content, stop, usage')
      }
    })

    it('sees an image and a file', async () => {
      const model = place().plain
      const url = `data:image/png;base64,${pixel}`
      const content = [
        { type: 'text', text: 'What is it?' },
        { type: 'image_url', image_url: { url } },
        {
          type: 'file',
          file: { filename: 'one (1).pdf', file_data: 'data:application/pdf;base64,JVBERi0xLjQ=' },
        },
      ] as const
      const answer = await ask({ model, messages: [{ role: 'user', content: [...content] }] })
      expectAnswer(answer, model, {
        text: 'I see image/png of 70 bytes and application/pdf of 8 bytes.',
        tokens: 11,
      })
    })

    it('stops where it is told', async () => {
      const model = place().plain
      const answer = await ask({ model, messages: [user('Count to twenty.')], stop: [' six'] })
      expectAnswer(answer, model, { text: 'one two three four five', tokens: 5 })
    })

    it('says no more than it may', async () => {
      const model = place().plain
      const messages = [user('Count to twenty.')]
      const answer = await ask({ model, messages, max_completion_tokens: 3 })
      expectAnswer(answer, model, { text: 'one two three', finish: 'length', tokens: 3 })
    })

    it('thinks before it calls, and is given back what it thought', async () => {
      const { thinking, reasoning, standIn } = place()
      if (thinking === undefined) return
      const before = standIn.requests.length
      const [first, second] = await oneAfterTheOther(thinking, { reasoning_effort: 'low' }, 9)
      const bodies = standIn.requests.slice(before).map(({ body }) => body)
      for (const [at, choice] of [first!, second!].entries()) {
        const { text, signatures } = reasoningOf(choice.message)
        if (reasoning === 'kept') {
          expect({ text, signatures }).toEqual({ text: undefined, signatures: [] })
          continue
        }
        // Of a streamed text the client's helper keeps the last piece alone.
        const whole = 'I think about this: Weather in Paris, then Oslo?'
        expect(text).toBe(way === 'whole' ? whole : ' Oslo?')
        expect(signatures).toHaveLength(1)
        for (const body of bodies.slice(at + 1)) expect(body).toContain(signatures[0])
      }
    })

    it.each(['context', 'rate', 'overloaded'] as const)('fails: %s', async failing => {
      const { plain: model, retryAfter } = place()
      const thrown: unknown = await ask({ model, messages: [user(`fail: ${failing}`)] }).catch(error => error)
      expect(thrown).toBeInstanceOf(APIError)
      const { status, code, type, param, headers } = thrown as APIError
      if (failing === 'context') {
        expect(thrown).toBeInstanceOf(BadRequestError)
        expect({ status, code, type }).toEqual({
          status: 400,
          code: 'context_length_exceeded',
          type: 'invalid_request_error',
        })
        return
      }
      expect(param).toBe(null)
      if (failing === 'rate') {
        expect(thrown).toBeInstanceOf(RateLimitError)
        expect({ code, type }).toEqual({ code: 'rate_limit_exceeded', type: 'requests' })
        expect(headers?.get('retry-after') ?? undefined).toBe(retryAfter)
      } else {
        expect(thrown).toBeInstanceOf(InternalServerError)
        expect({ status, code }).toEqual({ status: 503, code: 'server_is_overloaded' })
      }
    })

    /** A conversation of four answers; gives what was said. */
    async function oneAfterTheOther(model: string, further: Partial<Params>, thought: number) {
      const messages: OpenAI.ChatCompletionMessageParam[] = [user('Weather in Paris, then Oslo?')]
      const given: OpenAI.ChatCompletion.Choice[] = []
      const next = async (said: Parameters<typeof expectAnswer>[2]) => {
        const answer = await ask({ model, messages, tools, ...further })
        expectAnswer(answer, model, { ...said, thought, tokens: said.tokens + thought })
        const choice = answer.completion.choices[0]!
        given.push(choice)
        messages.push(choice.message)
        return choice.message.tool_calls?.[0]?.id ?? ''
      }
      const paris = await next({ cities: ['Paris'], tokens: 10 })
      messages.push({ role: 'tool', tool_call_id: paris, content: 'sun over Paris' })
      const oslo = await next({ cities: ['Oslo'], tokens: 10 })
      messages.push({ role: 'tool', tool_call_id: oslo, content: 'rain over Oslo' })
      await next({ text: 'The tools say: rain over Oslo.', tokens: 6 })
      return given
    }
  })

  it.each(['first', 'midway'] as const)('breaks a stream: %s', async failing => {
    const model = place().plain
    let text = ''
    const reading = (async () => {
      const messages = [user(`fail: ${failing}`)]
      for await (const { choices } of await client.chat.completions.create({
        model,
        messages,
        stream: true,
      })) {
        text += choices[0]?.delta.content ?? ''
      }
    })()
    const thrown: unknown = await reading.catch(error => error)
    expect(thrown).toBeInstanceOf(APIError)
    const { status, code } = thrown as APIError
    expect(code).toBe('server_is_overloaded')
    expect(status).toBe(failing === 'first' ? 503 : undefined)
    expect('system:  / user: fail: midway').toContain(text)
    expect(text === '').toBe(failing === 'first')
  })
})
