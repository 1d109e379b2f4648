import Anthropic from '@anthropic-ai/sdk'
import AnthropicBefore1 from 'anthropic-sdk-0'
import { describe, expect, it } from 'vitest'
import { used } from '../families/family.ts'
import { overFamilies } from './family-service.ts'
import { pixel, script } from './script.ts'

type Message = Anthropic.Message
type Params = Anthropic.MessageCreateParamsNonStreaming

const weather: Anthropic.Tool = {
  name: 'get_weather',
  description: 'The weather of a city',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

const versions = [
  [
    'since 1.0, with a bearer token',
    (baseURL: string, key: string) => new Anthropic({ baseURL, authToken: key, apiKey: null, maxRetries: 0 }),
  ],
  [
    'since 1.0, with an API key',
    (baseURL: string, key: string) => new Anthropic({ baseURL, apiKey: key, maxRetries: 0 }),
  ],
  [
    'before 1.0',
    (baseURL: string, key: string) =>
      new AnthropicBefore1({ baseURL, apiKey: key, maxRetries: 0 }) as unknown as Anthropic,
  ],
] as const

overFamilies(script, service => {
  describe.each(versions)('@anthropic-ai/sdk %s', (_name, make) => {
    const client = (key = 'good-key') => make(service.origin, key)
    const asking = (text: string, more: Partial<Params> = {}): Params => ({
      model: 'm',
      max_tokens: 2_048,
      messages: [{ role: 'user', content: text }],
      ...more,
    })
    const both = async (params: Params): Promise<readonly Message[]> => [
      await client().messages.create(params),
      await client().messages.stream(params).finalMessage(),
    ]
    const textOf = ({ content }: Message) =>
      content.map(block => (block.type === 'text' ? block.text : '')).join('')

    it('reads a text, whole and streamed', async () => {
      const { data, request_id } = await client().messages.create(asking('Hello!')).withResponse()
      expect(request_id).toMatch(/^req_/)
      expect(data).toMatchObject({ type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn' })
      for (const message of await both(asking('Hello!', { system: 'Be brief.' }))) {
        expect(message.id).toMatch(/^msg_/)
        expect(message.content).toMatchObject([{ type: 'text', text: 'heard Hello!' }])
        expect(message.usage).toMatchObject({
          input_tokens: used.prompt - used.cached,
          cache_read_input_tokens: used.cached,
          output_tokens: used.completion,
        })
      }
    })

    it('calls tools, one and two at once, and takes their results', async () => {
      for (const message of await both(asking('What is the weather?', { tools: [weather] }))) {
        expect(message.stop_reason).toBe('tool_use')
        const call = message.content.find(block => block.type === 'tool_use')!
        expect(call).toMatchObject({ name: 'get_weather', input: { city: 'Paris' } })
        const then = await client().messages.create({
          ...asking('What is the weather?', { tools: [weather] }),
          messages: [
            { role: 'user', content: 'What is the weather?' },
            { role: 'assistant', content: message.content },
            {
              role: 'user',
              content: [{ type: 'tool_result', tool_use_id: call.id, content: 'sunny' }],
            },
          ],
        })
        expect(textOf(then)).toContain('sunny')
      }
      service.taken()
      for (const message of await both(asking('Use two tools', { tools: [weather] }))) {
        const calls = message.content.filter(block => block.type === 'tool_use')
        expect(calls.map(({ input }) => input)).toEqual([{ city: 'Paris' }, { city: 'Rome', days: [1, 2] }])
        expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
        const results = calls.map(({ id }, at) => ({
          type: 'tool_result' as const,
          tool_use_id: id,
          content: [{ type: 'text' as const, text: `result ${at + 1}` }],
          is_error: at === 1,
        }))
        const then = await client().messages.create({
          ...asking('', { tools: [weather] }),
          messages: [
            { role: 'user', content: 'Use two tools' },
            { role: 'assistant', content: message.content },
            { role: 'user', content: results.toReversed() },
          ],
        })
        expect(textOf(then)).toContain('result 1')
        expect(textOf(then)).toContain('result 2')
      }
    })

    it('shows pictures, also as the result of a tool', async () => {
      const source = { type: 'base64', media_type: 'image/png', data: pixel } as const
      const shown = await client().messages.create(
        asking('', {
          messages: [
            {
              role: 'user',
              content: [
                { type: 'image', source },
                { type: 'text', text: 'Look!' },
              ],
            },
          ],
        }),
      )
      expect(textOf(shown)).toBe('saw image/png')
      service.taken()
      await client().messages.create(
        asking('', {
          tools: [weather],
          messages: [
            { role: 'user', content: 'Show me' },
            {
              role: 'assistant',
              content: [{ type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} }],
            },
            {
              role: 'user',
              content: [
                { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'image', source }] },
              ],
            },
          ],
        }),
      )
      expect(service.taken()[0]?.media).toEqual(['image/png'])
    })

    it('shows documents', async () => {
      service.taken()
      const data = Buffer.from('%PDF-1.4 a document').toString('base64')
      await client().messages.create(
        asking('', {
          messages: [
            {
              role: 'user',
              content: [
                { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } },
                {
                  type: 'document',
                  title: 'A note',
                  source: { type: 'text', media_type: 'text/plain', data: 'Bring the umbrella.' },
                },
                { type: 'text', text: 'Read!' },
              ],
            },
          ],
        }),
      )
      const [question] = service.taken()
      expect(question?.media[0]).toMatch(/pdf$/)
      expect(JSON.stringify(question?.body)).toContain('Bring the umbrella.')
    })

    it('reads thinking, with its signature', async () => {
      const thinking = { type: 'enabled', budget_tokens: 1_024 } as const
      for (const message of await both(asking('Please think', { thinking }))) {
        const [first, second] = message.content
        expect(first).toMatchObject({
          type: 'thinking',
          thinking: 'The user wants thought.',
          signature: expect.any(String),
        })
        expect(second).toMatchObject({ type: 'text', text: 'I thought.' })
      }
    })

    it('gets data for a schema', async () => {
      const schema = {
        type: 'object',
        properties: { name: { type: 'string' }, age: { type: 'integer' } },
        required: ['name', 'age'],
        additionalProperties: false,
      }
      const message = await client().messages.create(
        asking('Who?', { output_config: { format: { type: 'json_schema', schema } } } as Partial<Params>),
      )
      expect(JSON.parse(textOf(message))).toEqual({ name: 'Ada', age: 36 })
    })

    it.each([
      ['a wrong key', 'wrong-key', {}, 401, 'authentication_error'],
      ['a model of others', 'narrow-key', {}, 403, 'permission_error'],
      ['an unknown model', 'good-key', { model: 'nope' }, 404, 'not_found_error'],
      ['a wrong request', 'good-key', { max_tokens: -1 }, 400, 'invalid_request_error'],
    ] as const)('throws for %s', async (_what, key, more, status, type) => {
      const thrown = await client(key)
        .messages.create(asking('Hello!', more))
        .catch((error: unknown) => error)
      expect(thrown).toMatchObject({
        status,
        error: {
          type: 'error',
          error: { type, message: expect.stringMatching(/\S/) },
          request_id: expect.stringMatching(/^req_/),
        },
        requestID: expect.stringMatching(/^req_/),
      })
    })

    it('throws what the vendor refuses, and where a stream breaks off', async () => {
      const refused = await client()
        .messages.create(asking('refuse me'))
        .catch((error: unknown) => error)
      expect(refused).toMatchObject({
        status: 400,
        message: expect.stringContaining('The vendor refuses this.'),
      })
      const broken = client().messages.stream(asking('break off'))
      await expect(broken.finalMessage()).rejects.toThrow()
    })

    it('counts tokens', async () => {
      const { input_tokens } = await client().messages.countTokens({
        model: 'm',
        messages: [{ role: 'user', content: 'one two three four' }],
        tools: [weather],
      })
      expect(input_tokens).toBeGreaterThan(10)
    })

    it('lists models', async () => {
      const listed = await client().models.list()
      expect(listed.data).toMatchObject([{ type: 'model', id: 'm' }])
    })
  })
})
