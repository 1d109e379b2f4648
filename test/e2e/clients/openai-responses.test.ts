import OpenAI from 'openai'
import { zodTextFormat } from 'openai/helpers/zod'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { used } from '../families/family.ts'
import { overFamiliesOfResponses } from './family-service.ts'
import { pixel, script } from './script.ts'

type Params = OpenAI.Responses.ResponseCreateParamsNonStreaming
type Response = OpenAI.Responses.Response

const weather: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: false,
}

overFamiliesOfResponses(script, service => {
  describe('openai, client.responses', () => {
    const client = (apiKey = 'good-key') =>
      new OpenAI({ baseURL: `${service.origin}/v1`, apiKey, maxRetries: 0 })
    const asking = (text: string, more: Partial<Params> = {}): Params => ({
      model: 'm',
      input: text,
      ...more,
    })
    const both = async (params: Params): Promise<readonly Response[]> => [
      await client().responses.create(params),
      await client()
        .responses.stream({ ...params, stream: true } as Parameters<OpenAI['responses']['stream']>[0])
        .finalResponse(),
    ]

    it('reads a text, whole and streamed', async () => {
      for (const response of await both(asking('Hello!', { instructions: 'Be brief.' }))) {
        expect(response.id).toMatch(/^resp_/)
        expect(response).toMatchObject({ object: 'response', model: 'm', status: 'completed', error: null })
        expect(response.output_text).toBe('heard Hello!')
        expect(response.output).toMatchObject([{ type: 'message', role: 'assistant', status: 'completed' }])
        expect(response.usage).toMatchObject({
          input_tokens: used.prompt,
          input_tokens_details: { cached_tokens: used.cached },
          output_tokens: used.completion,
          total_tokens: used.prompt + used.completion,
        })
      }
    })

    it('calls tools, one and two at once, and takes their results', async () => {
      for (const text of ['What is the weather?', 'Use two tools']) {
        for (const response of await both(asking(text, { tools: [weather] }))) {
          const calls = response.output.filter(item => item.type === 'function_call')
          expect(calls[0]).toMatchObject({ name: 'get_weather', arguments: '{"city":"Paris"}' })
          expect(new Set(calls.map(({ call_id }) => call_id)).size).toBe(text === 'Use two tools' ? 2 : 1)
          const results = calls.map(({ call_id }, at) => ({
            type: 'function_call_output' as const,
            call_id,
            output: `result ${at + 1}`,
          }))
          const then = await client().responses.create({
            ...asking(text, { tools: [weather] }),
            input: [
              { role: 'user', content: text },
              ...response.output,
              ...results,
            ] as OpenAI.Responses.ResponseInput,
          })
          expect(then.output_text).toContain(`result ${calls.length}`)
        }
      }
    })

    it('goes on from a stored response, by its id and by those of its items', async () => {
      for (const stream of [false, true]) {
        const [whole, streamed] = await both(asking('What is the weather?', { tools: [weather] }))
        const first = stream ? streamed! : whole!
        expect(first).toMatchObject({ store: true })
        const found = await client().responses.retrieve(first.id)
        expect(found.output.map(({ id }) => id)).toEqual(first.output.map(({ id }) => id))
        const call = first.output.find(item => item.type === 'function_call')!
        const output = { type: 'function_call_output' as const, call_id: call.call_id, output: 'sunny' }
        const next = await client().responses.create({
          model: 'm',
          tools: [weather],
          previous_response_id: first.id,
          input: [output],
        })
        expect(next.previous_response_id).toBe(first.id)
        expect(next.output_text).toContain('sunny')
        const named = await client().responses.create({
          model: 'm',
          tools: [weather],
          input: [
            { role: 'user', content: 'What is the weather?' },
            { type: 'item_reference', id: call.id! },
            output,
          ],
        })
        expect(named.output_text).toContain('sunny')
        const items = await client().responses.inputItems.list(next.id)
        expect(items.data).toMatchObject([{ type: 'function_call_output', output: 'sunny' }])
        await client().responses.delete(next.id)
        await expect(client().responses.retrieve(next.id)).rejects.toMatchObject({ status: 404 })
        await expect(client('narrow-key').responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 })
      }
    })

    it('shows pictures', async () => {
      const response = await client().responses.create({
        model: 'm',
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_text', text: 'Look!' },
              { type: 'input_image', image_url: `data:image/png;base64,${pixel}`, detail: 'auto' },
            ],
          },
        ],
      })
      expect(response.output_text).toBe('saw image/png')
    })

    it('reads data for a schema', async () => {
      const person = z.object({ name: z.string(), age: z.number().int() })
      const parsed = await client().responses.parse({
        ...asking('Who?'),
        text: { format: zodTextFormat(person, 'person') },
      })
      expect(parsed.output_parsed).toEqual({ name: 'Ada', age: 36 })
    })

    it('sends back reasoning that nothing has stored', async () => {
      for (const stream of [false, true]) {
        const params = asking('Please think', {
          store: false,
          include: ['reasoning.encrypted_content'],
          reasoning: { effort: 'medium', summary: 'auto' },
        })
        const [whole, streamed] = await both(params)
        const first = stream ? streamed! : whole!
        expect(first).toMatchObject({ store: false })
        const [thought, answer] = first.output
        expect([thought!.type, answer!.type]).toEqual(['reasoning', 'message'])
        expect(JSON.stringify(thought)).toContain('The user wants thought.')
        service.taken()
        const input = [
          { role: 'user', content: 'Please think' },
          ...first.output,
          { role: 'user', content: 'Hi' },
        ]
        const next = await client().responses.create({
          ...params,
          input: input as OpenAI.Responses.ResponseInput,
        })
        expect(next.output_text).toBe('heard Hi')
        const { signatures } = service.taken()[0]!
        const isSigned = service.family !== 'chat' && service.family !== 'gemini'
        expect(signatures).toEqual(isSigned ? ['c2lnbmVk'] : [])
        await expect(client().responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 })
      }
    })

    it('throws errors of its kinds', async () => {
      const failed = (params: Params, key?: string) =>
        client(key)
          .responses.create(params)
          .catch((thrown: unknown) => thrown)
      expect(await failed(asking('Hello!'), 'wrong-key')).toBeInstanceOf(OpenAI.AuthenticationError)
      expect(await failed(asking('Hello!'), 'narrow-key')).toBeInstanceOf(OpenAI.PermissionDeniedError)
      const unknown = await failed(asking('Hello!', { model: 'none' }))
      expect(unknown).toBeInstanceOf(OpenAI.BadRequestError)
      expect(unknown).toMatchObject({ code: 'model_not_found', param: 'model' })
      const lost = await failed(asking('Hello!', { previous_response_id: 'resp_unknown' }))
      expect(lost).toMatchObject({ status: 400, code: 'previous_response_not_found' })
      expect(await failed(asking('refuse me'))).toBeInstanceOf(OpenAI.BadRequestError)
    })

    it('sees where a stream breaks off', async () => {
      const events: string[] = []
      const reading = async () => {
        const stream = await client().responses.create({ ...asking('break off'), stream: true })
        for await (const { type } of stream) events.push(type)
      }
      await expect(reading()).rejects.toBeInstanceOf(OpenAI.APIError)
      expect(events).not.toContain('response.completed')
    })
  })
})
