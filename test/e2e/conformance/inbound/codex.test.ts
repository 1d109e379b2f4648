import {
  budget,
  type ErrorReason,
  GatewayError,
  type GatewayErrorDetails,
  type GatewayOptions,
  priceTable,
  type Target,
} from '@sluice/core'
import { sse, steps } from '@sluice/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readResponseStream } from '../../../../packages/core/test/support/read-response-stream.ts'
import { familiesOfResponses } from '../../families/families.ts'
import { type Script, startVendor } from '../../families/family.ts'
import { overPlaces, startRawVendor } from './over-places.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads what was written
type Loose = any

const signature = 'c2lnbmVk'
const sessionId = '01a219b6-b4af-7523-a91b-1b7cbebf6559'

/** What Codex sends beside its key. */
const headers = {
  accept: 'text/event-stream',
  originator: 'codex_exec',
  'user-agent': 'codex_exec/0.169.0 (Debian 12.0.0; x86_64) dumb',
  'session-id': sessionId,
  'thread-id': sessionId,
  'x-client-request-id': sessionId,
  'x-codex-window-id': `${sessionId}:0`,
  'x-codex-turn-metadata': JSON.stringify({ session_id: sessionId, turn_id: 'turn-canary' }),
  'x-codex-beta-features': 'canary_feature',
}

/** A request of Codex, with these items as its input. */
const asked = (input: readonly object[], more: object = {}) => ({
  stream: true,
  store: false,
  include: ['reasoning.encrypted_content'],
  reasoning: { effort: 'medium', summary: 'auto' },
  tool_choice: 'auto',
  parallel_tool_calls: true,
  prompt_cache_key: sessionId,
  client_metadata: { 'x-codex-window-id': 'window-canary' },
  tools: [
    {
      type: 'function',
      name: 'exec_command',
      description: 'Runs a command',
      strict: false,
      parameters: { type: 'object', properties: { cmd: { type: 'string' } }, required: ['cmd'] },
    },
    { type: 'web_search', external_web_access: false },
  ],
  input,
  ...more,
})

const said = (role: string, text: string) => ({
  type: 'message',
  id: `msg_${role}`,
  role,
  content: [{ type: 'input_text', text }],
})
const question = [said('developer', 'You are a coding agent.'), said('user', 'What is in the file?')]

const thinking: Script = ({ results }) =>
  results.length > 0
    ? { text: `It has ${results.join()}` }
    : {
        thought: { text: 'I read it.', signature },
        calls: [{ id: 'call_1', name: 'exec_command', input: { cmd: 'cat note.txt' } }],
      }

/** How an error looks to Codex after the beginning of a stream: it reads the last event alone. */
const lateErrors = {
  responses: (code: string, message: string) => {
    const response = { id: 'resp_1', object: 'response', model: 'model', status: 'in_progress', output: [] }
    const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] }
    const part = { type: 'output_text', text: '', annotations: [], logprobs: [] }
    const place = { item_id: 'msg_1', output_index: 0, content_index: 0 }
    return sse(
      [
        { type: 'response.created', response },
        { type: 'response.in_progress', response },
        { type: 'response.output_item.added', output_index: 0, item },
        { type: 'response.content_part.added', ...place, part },
        { type: 'response.output_text.delta', ...place, delta: 'Hel', logprobs: [] },
        { type: 'response.failed', response: { ...response, status: 'failed', error: { code, message } } },
      ].map((event, sequence_number) => ({ ...event, sequence_number })),
    )
  },
  chat: (code: string, message: string) => {
    const choices = [{ index: 0, delta: { role: 'assistant', content: 'Hel' }, finish_reason: null }]
    return sse([
      { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices },
      { error: { message, code, type: code } },
    ])
  },
} as const

overPlaces(open => {
  describe.each(familiesOfResponses)('Codex over a vendor of the family $name', family => {
    const serving = async () => {
      const vendor = await startVendor(family, thinking)
      onTestFinished(() => vendor.close())
      return { vendor, site: await open({ chat: vendor.entry }) }
    }

    it('K2 gets an id of its request, and its own headers go no further', async () => {
      const { site, vendor } = await serving()
      const answer = await site.respond(asked(question), { headers })
      expect(answer.status, answer.body).toBe(200)
      expect(answer.headers['x-request-id']).toMatch(/^req_[0-9a-f]{32}$/)
      expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8')
      const [{ headers: received, body }] = vendor.questions as [(typeof vendor.questions)[0]]
      const sent = Object.keys(received)
      const own = Object.keys(headers).filter(name => name !== 'accept' && name !== 'user-agent')
      expect(sent.filter(name => own.includes(name))).toEqual([])
      expect(JSON.stringify(received)).not.toMatch(/canary|codex|good-key/)
      // The body goes as it came to a vendor that speaks the protocol.
      expect(JSON.stringify(body).includes('window-canary')).toBe(family.name === 'responses')
    })

    it('K7 K8 gets reasoning whole with the end of its item, and sends it back', async () => {
      const { site, vendor } = await serving()
      const { items } = readResponseStream((await site.respond(asked(question), { headers })).body)
      const types = items.map(({ type }: Loose) => type)
      expect(types).toEqual(['reasoning', 'function_call'])
      const [thought, call] = items as [Loose, Loose]
      expect(thought.id).toMatch(/^rs_/)
      // Chat completions have nothing to seal; a vendor of the protocol has its own seal.
      if (family.name === 'responses') expect(thought.encrypted_content).toBe(signature)
      else expect(typeof thought.encrypted_content).toBe(family.name === 'chat' ? 'undefined' : 'string')
      expect(JSON.stringify([...thought.summary, ...(thought.content ?? [])])).toContain('I read it.')
      const output = { type: 'function_call_output', call_id: call.call_id, output: 'swordfish' }
      // As Codex does, with members of its own and all others as they came.
      const marked = items.map((item: object) => ({
        ...item,
        internal_chat_message_metadata_passthrough: {},
      }))
      const then = await site.respond(asked([...question, ...marked, output]), { headers })
      expect(readResponseStream(then.body).response).toMatchObject({ status: 'completed' })
      const { signatures, results, body } = vendor.questions[1]!
      expect(results).toEqual([expect.stringContaining('swordfish')])
      if (family.name === 'chat') expect(JSON.stringify(body)).toContain('I read it.')
      else expect(signatures).toEqual([signature])
    })
  })

  describe('Codex and errors', () => {
    const refused = async (reason: ErrorReason, details: GatewayErrorDetails = {}) => {
      const authorize: GatewayOptions['authorize'] = () => {
        throw new GatewayError(reason, details)
      }
      const { table } = await startRawVendor(steps.answer())
      const site = await open(table, { authorize })
      return site.respond(asked(question), { headers })
    }

    it.each<[ErrorReason, GatewayErrorDetails, number, string, Readonly<Record<string, string>>]>([
      ['context_length_exceeded', {}, 400, 'context_length_exceeded', {}],
      ['insufficient_quota', {}, 429, 'insufficient_quota', { 'x-should-retry': 'false' }],
      [
        'rate_limit_exceeded',
        { headers: { 'retry-after': '1' } },
        429,
        'rate_limit_exceeded',
        { 'retry-after': '1' },
      ],
      ['upstream_error', {}, 502, 'bad_gateway', {}],
      ['service_overloaded', {}, 503, 'server_is_overloaded', {}],
    ])('K9 has %s as a status that it knows', async (reason, details, status, code, expected) => {
      const answer = await refused(reason, details)
      expect([answer.status, (answer.json as Loose).error.code]).toEqual([status, code])
      expect(answer.headers).toMatchObject(expected)
    })

    it('K4 has a budget although its search of the web has no price, as nobody searches', async () => {
      const { table, upstream } = await startRawVendor(steps.answer())
      const price = { input: 1, output: 1 }
      const options = {
        prices: priceTable({ chat: price, paid: price }),
        limits: [budget(9, 'usd').per('day')],
      }
      const site = await open(
        { chat: table.chat, paid: { ...(table.responses as Target), allowFields: ['server_tools'] } },
        options,
      )
      const answer = await site.respond(asked(question, { stream: false }), { headers })
      expect(answer.status, answer.body).toBe(200)
      expect(answer.headers['x-sluice-adjustments']).toContain('"tools[1]";action=dropped')
      // A target that runs it needs a price for it.
      const refused = await site.respond(asked(question, { model: 'paid' }), { headers })
      expect([refused.status, (refused.json as Loose).error.code]).toEqual([403, 'model_not_priced'])
      expect(upstream.requests).toHaveLength(1)
    })

    it('K9 gets an error for a wrong key that says not to try again', async () => {
      const { table } = await startRawVendor(steps.answer())
      const site = await open(table)
      const answer = await site.respond(asked(question), { headers, key: 'wrong-key' })
      expect([answer.status, answer.headers['x-should-retry']]).toEqual([401, 'false'])
    })

    describe.each(Object.entries(lateErrors))('of a vendor of %s', (model, events) => {
      it.each([
        [
          'context_length_exceeded',
          'The context window is too small.',
          'context_length_exceeded',
          /context window/,
        ],
        ['insufficient_quota', 'You exceeded your current quota.', 'insufficient_quota', /quota/],
        ['rate_limit_exceeded', 'Please try again in 1.2s.', 'rate_limit_exceeded', /try again in 2s/],
        ['server_error', 'Failed.', 'server_error', /./],
        // With a code of its own Codex would give up.
        ['server_is_overloaded', 'Overloaded.', 'server_error', /overloaded/],
      ])(
        'K9 has %s after the beginning as the code of a response that failed',
        async (code, message, known, text) => {
          const { table } = await startRawVendor(steps.stream(events(code, message)))
          const site = await open(table)
          const answer = await site.respond(asked(question, { model }), { headers })
          const { types, response } = readResponseStream(answer.body)
          expect(types.slice(-2)).toEqual(['error', 'response.failed'])
          expect(response.error).toEqual({ code: known, message: expect.stringMatching(text) })
        },
      )

      it('K9 R40 has a stream without an end as one that failed', async () => {
        const begun = [...events('x', 'x')].slice(0, -1)
        const { table } = await startRawVendor(steps.stream(begun))
        const site = await open(table)
        const answer = await site.respond(asked(question, { model }), { headers })
        const { types, response } = readResponseStream(answer.body)
        expect(types.slice(-2)).toEqual(['error', 'response.failed'])
        expect(response.error.code).toBe('server_error')
      })
    })
  })
})
