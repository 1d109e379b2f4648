import { createGateway, models, type Principal, type ResponseStore } from '@sluice/core'
import { memoryResponseStore } from '@sluice/core/store'
import { openaiCompatible } from '@sluice/providers'
import { type RawExchange, startUpstream, steps } from '@sluice/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { InboundSite } from './inbound-site.ts'
import { type Mount, overPlaces } from './over-places.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads what was written
type Loose = any

const secret = 'canary-of-ann'

/** The callers. The last two have one id, from two identity providers. */
const principals: Readonly<Record<string, Principal>> = {
  ann: { id: 'ann' },
  mallory: { id: 'mallory' },
  'ann of A': { id: 'ann', source: 'https://a.example' },
  'ann of B': { id: 'ann', source: 'https://b.example' },
}

const authenticate = (request: Request) =>
  principals[decodeURIComponent(request.headers.get('authorization')?.slice('Bearer '.length) ?? '')]

const keyOf = (name: string) => encodeURIComponent(name)

/** An answer of a vendor of the protocol, with ids of its own. */
const native = {
  id: `resp_${'0a'.repeat(24)}`,
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'm',
  output: [
    { id: 'rs_vendor', type: 'reasoning', summary: [], encrypted_content: 'gAAAA' },
    {
      id: 'msg_vendor',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: secret, annotations: [] }],
    },
  ],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
}

/** A gateway over a server with both protocols. One of two servers can be down. */
async function serving(mount: Mount, options: { store?: ResponseStore } = {}) {
  let isDown = false
  const upstream = await startUpstream(request =>
    request.path.endsWith('/responses') ? steps.reply(native) : steps.answer({ text: secret }),
  )
  const first = await startUpstream(() =>
    isDown ? steps.reply({ error: { message: 'down' } }, { status: 500 }) : steps.answer({ text: secret }),
  )
  onTestFinished(async () => {
    await Promise.all([upstream.close(), first.close()])
  })
  const at = (baseURL: string, name: string, speaks: 'responses'[] = []) =>
    openaiCompatible({ name, baseURL, apiKey: 'k', speaks })('m')
  const chat = at(upstream.baseURL, 'second')
  const table = {
    chat,
    native: at(upstream.baseURL, 'speaking', ['responses']),
    both: [at(first.baseURL, 'first'), chat],
  }
  const gatewayOptions = {
    authenticate,
    route: models(table),
    retry: false,
    breaker: false,
    responses: options.store ?? memoryResponseStore(),
  } as const
  const gateway = createGateway(gatewayOptions)
  onTestFinished(() => gateway.close({ drainMs: 1 }))
  return {
    site: await mount(gateway),
    upstreams: [upstream, first],
    reload: () => gateway.reload(gatewayOptions),
    another: async () => {
      const other = createGateway(gatewayOptions)
      onTestFinished(() => other.close({ drainMs: 1 }))
      return mount(other)
    },
    explain: (caller: string, body: object) =>
      gateway.explain(
        new Request('http://x/v1/responses', {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${keyOf(caller)}` },
          body: JSON.stringify({ model: 'both', ...body }),
        }),
      ),
    goDown: () => {
      isDown = true
    },
  }
}

interface Ids {
  readonly response: string
  readonly item: string
}

async function made(site: InboundSite, owner: string, fields: object): Promise<Ids> {
  const answer = await site.respond({ input: secret, ...fields }, { key: keyOf(owner) })
  expect(answer.status, answer.body).toBe(200)
  const { id, output } = answer.json as Loose
  return { response: id, item: output.at(-1).id }
}

/** Every request that takes an id of a response, or of an item. */
const probes: Readonly<Record<string, (site: InboundSite, ids: Ids, key: string) => Promise<RawExchange>>> = {
  get: (site, { response }, key) => site.send(`/responses/${response}`, { method: 'GET', key }),
  'get a stream': (site, { response }, key) =>
    site.send(`/responses/${response}?stream=true`, { method: 'GET', key }),
  'get the rest of a stream': (site, { response }, key) =>
    site.send(`/responses/${response}?stream=true&starting_after=1`, { method: 'GET', key }),
  delete: (site, { response }, key) => site.send(`/responses/${response}`, { method: 'DELETE', key }),
  cancel: (site, { response }, key) => site.send(`/responses/${response}/cancel`, { method: 'POST', key }),
  'input items': (site, { response }, key) =>
    site.send(`/responses/${response}/input_items`, { method: 'GET', key }),
  'input items after one': (site, { response, item }, key) =>
    site.send(`/responses/${response}/input_items?after=${item}`, { method: 'GET', key }),
  'previous response': (site, { response }, key) => site.respond({ previous_response_id: response }, { key }),
  'previous response of a vendor of the protocol': (site, { response }, key) =>
    site.respond({ model: 'native', previous_response_id: response }, { key }),
  'previous response, streamed': (site, { response }, key) =>
    site.respond({ previous_response_id: response, stream: true }, { key }),
  'previous response, counted': (site, { response }, key) =>
    site.send('/responses/input_tokens', {
      method: 'POST',
      body: { model: 'chat', previous_response_id: response, input: 'x' },
      key,
    }),
  reference: (site, { item }, key) =>
    site.respond({ input: [{ type: 'item_reference', id: item }] }, { key }),
  'reference without a type': (site, { item }, key) =>
    site.respond({ model: 'native', input: [{ type: null, id: item }] }, { key }),
  'reference with nothing but an id': (site, { item }, key) =>
    site.respond({ model: 'native', input: [{ id: item }] }, { key }),
  'reference, counted': (site, { item }, key) =>
    site.send('/responses/input_tokens', {
      method: 'POST',
      body: { model: 'chat', input: [{ type: 'item_reference', id: item }] },
      key,
    }),
  conversation: (site, { response }, key) => site.respond({ conversation: response }, { key }),
  'conversation as an object': (site, { response }, key) =>
    site.respond({ model: 'native', conversation: { id: response } }, { key }),
}

/** What a caller sees of an answer, without the ids that the caller sent, and what differs in every answer. */
function seen({ status, body, headers }: RawExchange, { response, item }: Ids) {
  const { 'x-request-id': _, date: __, 'content-length': ___, ...others } = headers
  return { status, headers: others, body: body.replaceAll(response, 'ID').replaceAll(item, 'ITEM') }
}

/** Ids in the form of the gateway's own, which nobody has. */
const unknown = ({ response, item }: Ids): Ids => ({
  response: response.replace(/[0-9a-f]{8}$/, '00000000'),
  item: item.replace(/[0-9a-f]{8}$/, '00000000'),
})

/** Holds that a caller learns nothing of ids: the answers are those for ids that nobody has. Returns how many answers there were. */
async function expectNothing(site: InboundSite, caller: string, foreign: readonly Ids[]): Promise<number> {
  let count = 0
  for (const [name, probe] of Object.entries(probes)) {
    const nobody = unknown(foreign[0]!)
    const expected = seen(await probe(site, nobody, keyOf(caller)), nobody)
    expect(expected.status, name).toBeGreaterThanOrEqual(400)
    expect(expected.status, name).toBeLessThan(500)
    for (const ids of foreign) {
      const answer = await probe(site, ids, keyOf(caller))
      expect(seen(answer, ids), `${caller}: ${name}`).toEqual(expected)
      expect(answer.body).not.toContain(secret)
      count++
    }
  }
  return count
}

overPlaces((_, mount) => {
  describe('R53 T1 what one tenant has stored', () => {
    const strangers = [
      ['ann', 'mallory'],
      ['ann', 'ann of A'],
      ['ann of A', 'ann of B'],
    ] as const

    it.each(strangers)('R53 T1 of %s is nothing for %s, on any path', async (owner, stranger) => {
      const { site, upstreams, reload, another, goDown } = await serving(mount)
      const foreign = [
        await made(site, owner, { model: 'chat' }),
        await made(site, owner, { model: 'native' }),
        await made(site, owner, { model: 'both' }),
      ]
      const deleted = await made(site, owner, { model: 'chat' })
      await site.send(`/responses/${deleted.response}`, { method: 'DELETE', key: keyOf(owner) })
      goDown()
      foreign.push(await made(site, owner, { model: 'both' }), deleted)
      const calls = upstreams.map(({ requests }) => requests.length)
      let reads = await expectNothing(site, stranger, foreign)
      reload()
      reads += await expectNothing(site, stranger, foreign)
      reads += await expectNothing(await another(), stranger, foreign)
      expect(reads).toBe(3 * 17 * 5)
      // Nothing of it reached a vendor.
      expect(upstreams.map(({ requests }) => requests.length)).toEqual(calls)
      const own = await site.send(`/responses/${foreign[0]!.response}`, { method: 'GET', key: keyOf(owner) })
      expect([own.status, own.body.includes(secret)]).toEqual([200, true])
    })

    it('R53 is for its own owner like any other once it is deleted or expired', async () => {
      let now = 0
      const store = memoryResponseStore({ ttlMs: 1_000, now: () => now })
      const { site } = await serving(mount, { store })
      const [expired, other] = [
        await made(site, 'ann', { model: 'chat' }),
        await made(site, 'ann', { model: 'native' }),
      ]
      await site.send(`/responses/${other.response}`, { method: 'DELETE', key: 'ann' })
      now += 1_001
      await expectNothing(site, 'ann', [expired, other])
    })

    it('R53 T1 an id of a vendor never reaches a vendor', async () => {
      const { site, upstreams } = await serving(mount)
      const { response } = await made(site, 'ann', { model: 'native' })
      const calls = upstreams[0]!.requests.length
      const vendors: readonly Ids[] = [
        { response: native.id, item: 'rs_vendor' },
        { response: `resp_${'68ab'.repeat(12)}`, item: `msg_${'68ab'.repeat(12)}` },
        { response: `conv_${'68ab'.repeat(12)}`, item: 'ig_68ab' },
        { response: `chatcmpl-${'68ab'.repeat(7)}`, item: 'fc_68ab' },
      ]
      await expectNothing(site, 'mallory', vendors)
      // Its items have the ids of the vendor, and their owner may name them.
      const stolen = { response, item: 'msg_vendor' }
      await expectNothing(site, 'mallory', [stolen])
      for (const [fields, code] of [
        [{ prompt: { id: 'pmpt_1' }, input: 'x' }, 'unsupported_parameter'],
        [
          { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }] },
          'unsupported_value',
        ],
        [
          { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'file-1' }] }] },
          'unsupported_value',
        ],
        [
          {
            input: [
              {
                type: 'function_call_output',
                call_id: 'c',
                output: [{ type: 'input_image', file_id: 'file-1' }],
              },
            ],
          },
          'unsupported_value',
        ],
        [{ input: [{ type: 'image_generation_call', id: 'ig_1' }] }, null],
      ] as const) {
        const refused = await site.respond({ model: 'native', ...fields }, { key: 'mallory' })
        expect([refused.status, (refused.json as Loose).error.code]).toEqual([400, code])
      }
      expect(upstreams[0]!.requests).toHaveLength(calls)
      const bare = { type: 'reasoning', id: 'rs_vendor', summary: [{ type: 'summary_text', text: 'x' }] }
      const input = [bare, { role: 'user', content: 'x' }]
      const answer = await site.respond({ model: 'native', input, store: false }, { key: 'mallory' })
      expect([answer.status, answer.headers['x-sluice-adjustments']]).toEqual([
        200,
        expect.stringContaining('"input[0]";action=dropped'),
      ])
      expect(upstreams[0]!.requests.at(-1)!.body).not.toContain('rs_vendor')
    })

    it('R53 T1 is explained to its owner only', async () => {
      const { site, explain } = await serving(mount)
      const ids = await made(site, 'ann', { model: 'both' })
      const bodies = ({ response, item }: Ids): readonly object[] => [
        { previous_response_id: response, input: 'x' },
        { input: [{ type: 'item_reference', id: item }] },
      ]
      for (const [at, body] of bodies(ids).entries()) {
        const own = await explain('ann', body)
        expect([own.refusal, own.candidates.map(({ provider }) => provider)]).toEqual([
          undefined,
          ['first', 'second'],
        ])
        const foreign = await explain('mallory', body)
        const nobody = await explain('mallory', bodies(unknown(ids))[at]!)
        expect(foreign.candidates).toEqual([])
        const told = ({ refusal }: typeof foreign, { response, item }: Ids) => ({
          status: refusal?.status,
          message: refusal?.message.replace(response, 'ID').replace(item, 'ITEM'),
        })
        expect(told(foreign, ids)).toEqual(told(nobody, unknown(ids)))
        expect(foreign.refusal?.status).toBe(400)
      }
    })
  })
})
