import type { RawExchange } from '@sluice/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readResponseStream } from '../../../../packages/core/test/support/read-response-stream.ts'
import { type Question, type Saying, type Script, startVendor } from '../../families/family.ts'
import { reasoningFamily } from '../../families/responses-family.ts'
import { eventsOf, type InboundSite, messageFrom, messageOf } from './inbound-site.ts'
import { type Open, overPlaces } from './over-places.ts'

// A reasoning model that is called by the Responses API for the callers of all dialects.

// biome-ignore lint/suspicious/noExplicitAny: a test reads what was written
type Loose = any

const thought = { text: 'The weather decides.', signature: 'gAAAA-encrypted' }
const script: Script = ({ results }) =>
  results.length > 0
    ? { text: `It is ${results.join()}.` }
    : { thought, text: 'I look.', calls: [{ id: 'call_1', name: 'get_weather', input: { city: 'Paris' } }] }

const parameters = { type: 'object', properties: { city: { type: 'string' } } }

/** What an answer says to its client. */
interface Said {
  readonly thought: string
  readonly text: string
  /** The ids of its calls. */
  readonly calls: readonly string[]
  /** Ends the conversation with the result of the call. */
  next(result: string): object
}

interface Dialect {
  /** Fields by which a caller asks to read thoughts. */
  readonly showing: object
  readonly hiding: object
  ask(site: InboundSite, fields: object): Promise<RawExchange>
  read(answer: RawExchange, stream: boolean): Promise<Said>
}

const dialects: Readonly<Record<string, Dialect>> = {
  chat: {
    showing: { reasoning_effort: 'low' },
    hiding: {},
    ask: (site, fields) =>
      site.chat({
        model: 'm',
        messages: [{ role: 'user', content: 'Weather?' }],
        tools: [{ type: 'function', function: { name: 'get_weather', parameters } }],
        ...fields,
      }),
    async read(answer, stream) {
      const message = stream ? chatMessage(answer.body) : (answer.json as Loose).choices[0].message
      return {
        thought: message.reasoning_content ?? '',
        text: message.content ?? '',
        calls: (message.tool_calls ?? []).map(({ id }: Loose) => id),
        next: content => ({
          messages: [
            { role: 'user', content: 'Weather?' },
            message,
            { role: 'tool', tool_call_id: message.tool_calls[0].id, content },
          ],
        }),
      }
    },
  },
  messages: {
    showing: { thinking: { type: 'enabled', budget_tokens: 2_000 }, max_tokens: 4_000 },
    hiding: { thinking: { type: 'adaptive', display: 'omitted' } },
    ask: (site, fields) =>
      site.message({
        model: 'm',
        messages: [{ role: 'user', content: 'Weather?' }],
        tools: [{ name: 'get_weather', input_schema: parameters }],
        ...fields,
      }),
    async read(answer, stream) {
      const { content } = stream ? messageFrom(await eventsOf(answer)) : messageOf(answer)
      const textOf = (name: 'thinking' | 'text') => content.map(block => block[name] ?? '').join('')
      const calls = content.flatMap(({ type, id }) => (type === 'tool_use' ? [id!] : []))
      return {
        thought: textOf('thinking'),
        text: textOf('text'),
        calls,
        next: result => ({
          messages: [
            { role: 'user', content: 'Weather?' },
            { role: 'assistant', content },
            { role: 'user', content: [{ type: 'tool_result', tool_use_id: calls[0], content: result }] },
          ],
        }),
      }
    },
  },
  responses: {
    showing: { reasoning: { effort: 'low', summary: 'detailed' }, include: ['reasoning.encrypted_content'] },
    hiding: { reasoning: { effort: 'low' } },
    ask: (site, fields) =>
      site.respond({
        model: 'm',
        input: [{ role: 'user', content: 'Weather?' }],
        tools: [{ type: 'function', name: 'get_weather', parameters, strict: false }],
        store: false,
        ...fields,
      }),
    async read(answer, stream) {
      const { output } = (stream ? streamedResponse(answer) : answer.json) as Loose
      const textsOf = (list: Loose) => (list ?? []).map(({ text }: Loose) => text).join('')
      return {
        thought: output.map(({ summary }: Loose) => textsOf(summary)).join(''),
        text: output.map(({ type, content }: Loose) => (type === 'message' ? textsOf(content) : '')).join(''),
        calls: output.flatMap(({ call_id }: Loose) => call_id ?? []),
        next: result => ({
          input: [
            { role: 'user', content: 'Weather?' },
            ...output,
            {
              type: 'function_call_output',
              call_id: output.find(({ call_id }: Loose) => call_id).call_id,
              output: result,
            },
          ],
        }),
      }
    },
  },
}

function chatMessage(body: string): Loose {
  const message: Loose = { role: 'assistant', content: '' }
  for (const line of body.split('\n')) {
    if (!line.startsWith('data: {')) continue
    const { reasoning_content, reasoning_details, content, tool_calls } =
      JSON.parse(line.slice(6)).choices[0]?.delta ?? {}
    if (reasoning_content) message.reasoning_content = (message.reasoning_content ?? '') + reasoning_content
    if (reasoning_details) message.reasoning_details = reasoning_details
    if (content) message.content += content
    for (const { index, id, type, function: called } of tool_calls ?? []) {
      message.tool_calls ??= []
      message.tool_calls[index] ??= { id, type, function: { name: called.name, arguments: '' } }
      message.tool_calls[index].function.arguments += called.arguments ?? ''
    }
  }
  return message
}

function streamedResponse(answer: RawExchange): Loose {
  expect(answer.status, answer.body).toBe(200)
  return readResponseStream(answer.body).response
}

overPlaces(open => {
  describe.each(Object.entries(dialects))('a caller of %s', (_, dialect) => {
    const { ask, read } = dialect

    it.each([false, true])(
      'G26 T27 R50 calls a reasoning model by Responses, which gets its reasoning back, stream: %s',
      async stream => {
        const { questions, site } = await serving(open, script)
        const answer = await ask(site, { stream, ...dialect.showing })
        expect(answer.status, answer.body).toBe(200)
        const said = await read(answer, stream)
        expect(said).toMatchObject({ thought: thought.text, text: 'I look.', calls: ['call_1'] })
        // Another gateway has no memory of the first answer.
        const other = await serving(open, script, site)
        const then = await ask(other.site, { stream, ...dialect.showing, ...said.next('sunny') })
        expect(await read(then, stream)).toMatchObject({ text: 'It is sunny.', calls: [] })
        const [first, second] = questions as readonly Loose[]
        for (const { body } of [first, second]) {
          expect(body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] })
          expect(body.reasoning.effort).toBe('low')
        }
        expect(second.body.input).toEqual([
          { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] },
          { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: thought.signature },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
          { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Paris"}' },
          { type: 'function_call_output', call_id: 'call_1', output: 'sunny' },
        ])
      },
    )

    it('G26 R18 asks for a summary of thoughts if its caller wants to read them', async () => {
      const { questions, site } = await serving(open, script)
      await ask(site, dialect.showing)
      await ask(site, dialect.hiding)
      const summaries = questions.map(({ body }) => (body.reasoning as Loose)?.summary)
      expect(summaries).toEqual([expect.stringMatching(/^(auto|detailed)$/), undefined])
    })

    it('G26 G32 T26 leaves reasoning out once if the vendor refuses it', async () => {
      let refused = 0
      const { questions, site } = await serving(open, question => {
        if (question.signatures.length === 0) return script(question)
        refused++
        return {
          error: { status: 400, message: 'The encrypted content for item rs_1 could not be verified.' },
        }
      })
      const said = await read(await ask(site, dialect.showing), false)
      const then = await ask(site, { ...dialect.showing, ...said.next('sunny') })
      expect(await read(then, false)).toMatchObject({ text: 'It is sunny.' })
      expect(then.headers['x-sluice-adjustments']).toContain('"the vendor refused it"')
      expect([refused, questions.length]).toEqual([1, 3])
    })

    it('G26 R40 T8 fails if the stream of the vendor is cut off', async () => {
      const { site } = await serving(open, () => ({ text: 'Hello, you.', cutAfter: 1_500 }))
      const answer = await ask(site, { stream: true })
      expect(answer.body).toContain('error')
      expect(answer.body).not.toMatch(/response\.completed|message_stop|finish_reason":"stop/)
    })
  })

  it('G26 R50 keeps reasoning for the next response that only names the one before', async () => {
    const { questions, site } = await serving(open, script)
    const tools = [{ type: 'function', name: 'get_weather', parameters, strict: false }]
    const first = (await site.respond({ model: 'm', tools })).json as Loose
    expect(JSON.stringify(first.output)).not.toContain('encrypted_content')
    const input = [{ type: 'function_call_output', call_id: 'call_1', output: 'sunny' }]
    const then = await site.respond({ model: 'm', tools, previous_response_id: first.id, input })
    expect(then.status, then.body).toBe(200)
    expect(questions.at(-1)!.signatures).toEqual([thought.signature])
  })

  it('G26 sends no reasoning of another vendor', async () => {
    const { questions, site } = await serving(open, script)
    const messages = [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmVk' },
          { type: 'text', text: 'Yes.' },
        ],
      },
      { role: 'user', content: 'So?' },
    ]
    const answer = await site.message({ model: 'm', messages })
    expect(answer.status, answer.body).toBe(200)
    expect(JSON.stringify(questions[0]!.body)).not.toMatch(/c2lnbmVk|Hm\./)
    expect(answer.headers['x-sluice-adjustments']).toContain(
      '"messages[1].content[0].signature";action=dropped',
    )
  })
})

interface Served {
  readonly questions: readonly Question[]
  readonly site: InboundSite
}

const origins = new WeakMap<InboundSite, { readonly entry: Loose; readonly questions: readonly Question[] }>()

/** Opens a gateway over a vendor of its own, or over that of another gateway. */
async function serving(
  open: Open,
  says: (question: Question) => Saying,
  sharing?: InboundSite,
): Promise<Served> {
  const shared = sharing && origins.get(sharing)
  if (shared !== undefined) {
    const site = await open({ m: shared.entry })
    return { site, questions: shared.questions }
  }
  const vendor = await startVendor(reasoningFamily, says)
  onTestFinished(() => vendor.close())
  const { entry, questions } = vendor
  const site = await open({ m: entry })
  origins.set(site, { entry, questions })
  return { site, questions }
}
