import { apiKeys, models, type ResponseStore, tokens } from '@sluice/core'
import { memoryResponseStore } from '@sluice/core/store'
import { sse, steps } from '@sluice/testing'
import { expect, it } from 'vitest'
import { readResponseStream } from '../../../../packages/core/test/support/read-response-stream.ts'
import {
  familyNames,
  type Open,
  overPlaces,
  startRawVendor,
  startVendors,
  testGateway,
} from './over-places.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads what was written
type Loose = any

const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
})

/** A site over a server with chat completions, and what that was sent last. */
async function chatting(open: Open, options: object = {}) {
  const { table, upstream } = await startRawVendor(steps.answer())
  const site = await open(table, options)
  const respond = async (fields: object = {}, key?: string) => {
    const answer = await site.respond(fields, key === undefined ? {} : { key })
    return { status: answer.status, json: answer.json as Loose, headers: answer.headers }
  }
  const get = async (path: string, method = 'GET', key = 'good-key') => {
    const answer = await site.send(`/responses/${path}`, { method, key })
    return { status: answer.status, json: answer.json as Loose }
  }
  const sent = () => (upstream.requests.at(-1)!.json as Loose).messages
  return { site, upstream, respond, get, sent }
}

overPlaces((open, mount) => {
  it('R5 R50 R61 writes the chain out for the vendor, without the instructions of before', async () => {
    const { respond, sent, get } = await chatting(open)
    const first = await respond({ instructions: 'Be brief.', input: 'one' })
    const second = await respond({ previous_response_id: first.json.id, input: 'two' })
    const third = await respond({
      previous_response_id: second.json.id,
      instructions: 'Be loud.',
      input: [{ role: 'user', content: [{ type: 'input_text', text: 'three' }] }],
    })
    expect(third.json).toMatchObject({ store: true, previous_response_id: second.json.id })
    const said = first.json.output[0].content[0].text
    expect(sent()).toEqual([
      { role: 'system', content: 'Be loud.' },
      { role: 'user', content: 'one' },
      { role: 'assistant', content: said },
      { role: 'user', content: 'two' },
      { role: 'assistant', content: said },
      { role: 'user', content: 'three' },
    ])
    expect((await get(third.json.id)).json).toEqual(third.json)
  })

  it.each(familyNames)('R51 T2 goes on over any vendor, also from a stream: %s', async model => {
    const { table } = await startVendors(({ text, results }) =>
      results.length > 0
        ? { text: `the tool said ${results.join()}` }
        : text.includes('weather')
          ? { calls: [{ id: 'call_1', name: 'get_weather', input: { city: 'Paris' } }] }
          : { text: `heard ${text}` },
    )
    const site = await open(table)
    const tools = [{ type: 'function', name: 'get_weather', parameters: { type: 'object', properties: {} } }]
    const stream = await site.respond({ model, tools, input: 'weather?', stream: true })
    const { response } = readResponseStream(stream.body)
    const call = response.output.find((item: Loose) => item.type === 'function_call')
    const next = await site.respond({
      model,
      tools,
      previous_response_id: response.id,
      input: [{ type: 'function_call_output', call_id: call.call_id, output: 'sunny' }],
    })
    expect(next.status, next.body).toBe(200)
    expect(JSON.stringify((next.json as Loose).output)).toContain('sunny')
  })

  it('R53 R54 T1 T3 shows one owner nothing of another, under any id', async () => {
    const { respond, get } = await chatting(open)
    const { json } = await respond({ input: 'secret-canary' })
    const [item] = json.output
    const unknown = 'resp_00000000000000000000000000000000'
    for (const id of [json.id, unknown]) {
      for (const [path, method] of [
        [id, 'GET'],
        [id, 'DELETE'],
        [`${id}/input_items`, 'GET'],
        [`${id}/cancel`, 'POST'],
      ] as const) {
        const found = await get(path, method, 'narrow-key')
        expect([found.status, found.json.error.message]).toEqual([404, `Response with id '${id}' not found.`])
      }
      const before = await respond({ model: 'other', previous_response_id: id }, 'narrow-key')
      expect([before.status, before.json.error]).toMatchObject([
        400,
        {
          message: `Previous response with id '${id}' not found.`,
          param: 'previous_response_id',
          code: 'previous_response_not_found',
        },
      ])
    }
    for (const id of [item.id, 'msg_unknown']) {
      for (const reference of [
        { type: 'item_reference', id },
        { id, type: null },
      ]) {
        const named = await respond({ model: 'other', input: [reference] }, 'narrow-key')
        expect([named.status, named.json.error]).toMatchObject([
          400,
          { message: `Item with id '${id}' not found.`, param: 'input' },
        ])
      }
    }
    expect((await get(json.id)).status).toBe(200)
  })

  it.each(['', '\ud800', '__proto__', 'x'.repeat(10_000), '../models'])(
    'R53 finds nothing under %j',
    async id => {
      const { respond } = await chatting(open)
      expect((await respond({ previous_response_id: id })).status).toBe(400)
      expect((await respond({ input: [{ type: 'item_reference', id }] })).status).toBe(400)
    },
  )

  it('R52 R56 stores nothing where the caller or the operator does not want it', async () => {
    const { respond, get } = await chatting(open)
    const { json } = await respond({ store: false })
    expect([json.store, (await get(json.id)).status]).toEqual([false, 404])
    const without = await chatting(open, { responses: false })
    const answer = await without.respond({ store: true })
    expect([answer.json.store, (await without.get(answer.json.id)).status]).toEqual([false, 404])
    const refused = await without.respond({ previous_response_id: answer.json.id })
    expect(refused.json.error).toMatchObject({
      message: expect.stringContaining('This gateway stores no responses.'),
      code: 'previous_response_not_found',
    })
    expect((await without.respond({ input: [{ id: 'msg_1' }] })).status).toBe(400)
    expect((await without.respond({ background: true })).json.error.param).toBe('background')
  })

  it('R52 R56 stores nothing of a principal that forbids it, and goes on for others', async () => {
    const store = memoryResponseStore()
    const { respond, get } = await chatting(open, {
      responses: store,
      authenticate: apiKeys([
        { id: 'ann', key: 'good-key', storeResponses: false },
        { id: 'bob', key: 'other-key', storeResponses: true },
      ]),
    })
    const { json } = await respond({ store: true })
    expect([json.store, store.size, (await get(json.id)).status]).toEqual([false, 0, 404])
    for (const body of [{ previous_response_id: json.id }, { input: [{ id: 'msg_1' }] }])
      expect((await respond(body)).status).toBe(400)
    const other = await respond({}, 'other-key')
    expect([other.json.store, store.size]).toEqual([true, 1])
    expect((await respond({ previous_response_id: other.json.id }, 'other-key')).status).toBe(200)
  })

  it('R16 says that a response is not stored where the store is too small for it', async () => {
    const store = memoryResponseStore({ maxBytes: 100 })
    const { respond } = await chatting(open, { responses: store })
    expect([(await respond()).json.store, store.size]).toEqual([false, 0])
  })

  it('R52 R56 runs nothing in the background where nothing is stored', async () => {
    const authenticate = apiKeys([{ id: 'ann', key: 'good-key', storeResponses: false }])
    const { respond } = await chatting(open, { authenticate })
    const { status, json } = await respond({ background: true })
    expect([status, json.error.param]).toEqual([400, 'background'])
  })

  it.each(['false', 0, {}])('R52 takes %j of an authenticator for a prohibition', async storeResponses => {
    const store = memoryResponseStore()
    const authenticate = () => ({ id: 'ann', storeResponses: storeResponses as boolean })
    const { respond } = await chatting(open, { responses: store, authenticate })
    expect([(await respond()).json.store, store.size]).toEqual([false, 0])
  })

  it('R55 has stored a response before its end is sent, and says so where the store fails', async () => {
    const inner = memoryResponseStore()
    let fails = false
    const order: string[] = []
    const store: ResponseStore = {
      put: async response => {
        if (fails) throw new Error('The disk is full.')
        await new Promise(resolve => setTimeout(resolve, 20))
        order.push('stored')
        return inner.put(response)
      },
      get: (owner, id) => {
        if (fails) throw new Error('The disk is full.')
        return inner.get(owner, id)
      },
      findItem: (owner, id) => inner.findItem(owner, id),
      delete: (owner, id) => inner.delete(owner, id),
    }
    const { table } = await startRawVendor(steps.stream(sse([chunk({ content: 'a' }), chunk({}, 'stop')])))
    const events: string[] = []
    const site = await open(table, {
      responses: store,
      observe: (event: Loose) =>
        events.push(event.type === 'store' ? `${event.store} ${event.state}` : event.type),
    })
    const { response } = readResponseStream((await site.respond({ stream: true })).body)
    order.push('sent')
    expect([order, response.store]).toEqual([['stored', 'sent'], true])
    fails = true
    for (let round = 0; round < 6; round++) {
      const failed = readResponseStream((await site.respond({ stream: true })).body).response
      expect([failed.status, failed.store]).toEqual(['completed', false])
    }
    expect(events).toContain('responses failing')
    const later = await site.respond({ previous_response_id: response.id })
    expect([later.status, (later.json as Loose).error.code]).toEqual([503, 'response_store_unavailable'])
  })

  it('R55 stores what a client left before its end was sent, and settles it once', async () => {
    const inner = memoryResponseStore()
    let id = ''
    let endWait = () => {}
    const store: ResponseStore = {
      put: async response => {
        id = response.id
        await new Promise<void>(resolve => {
          endWait = resolve
        })
        return inner.put(response)
      },
      get: (owner, id) => inner.get(owner, id),
      findItem: (owner, id) => inner.findItem(owner, id),
      delete: (owner, id) => inner.delete(owner, id),
    }
    const { table } = await startRawVendor(steps.stream(sse([chunk({ content: 'a' }), chunk({}, 'stop')])))
    const outcomes: string[] = []
    const site = await open(table, {
      responses: store,
      observe: (event: Loose) => {
        if (event.type === 'end') outcomes.push(event.outcome)
      },
    })
    const leaving = new AbortController()
    const answer = await fetch(`${site.place.baseURL}/responses`, {
      method: 'POST',
      headers: { authorization: 'Bearer good-key', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'chat', input: 'Hello!', stream: true }),
      signal: leaving.signal,
    })
    await expect.poll(() => id).not.toBe('')
    leaving.abort()
    await expect(answer.text()).rejects.toThrow()
    await expect.poll(() => outcomes).toEqual(['client_disconnected'])
    endWait()
    expect((await site.get(`/responses/${id}`)).status).toBe(200)
    expect(outcomes.filter(outcome => outcome === 'client_disconnected')).toHaveLength(1)
  })

  it('R40 does not store what broke off, and R57 continues what was cut', async () => {
    const store = memoryResponseStore()
    const broken = await startRawVendor(steps.stream([...sse([chunk({ content: 'one' })]).slice(0, 1)]))
    const site = await open(broken.table, { responses: store })
    const { response } = readResponseStream((await site.respond({ stream: true })).body)
    expect([response.status, store.size]).toEqual(['failed', 0])
    const cut = await startRawVendor(steps.stream(sse([chunk({ content: 'one' }), chunk({}, 'length')])))
    const other = await open(cut.table, { responses: store })
    const first = readResponseStream((await other.respond({ stream: true })).body).response
    expect(first.status).toBe('incomplete')
    const next = await other.respond({ previous_response_id: first.id, stream: true })
    expect(readResponseStream(next.body).response.previous_response_id).toBe(first.id)
  })

  it('R57 R58 deletes a response, and none that continues it', async () => {
    const { respond, get, sent } = await chatting(open)
    const first = (await respond({ input: 'one' })).json
    const second = (await respond({ previous_response_id: first.id, input: 'two' })).json
    expect(await get(first.id, 'DELETE')).toEqual({
      status: 200,
      json: { id: first.id, object: 'response', deleted: true },
    })
    expect((await get(first.id, 'DELETE')).status).toBe(404)
    expect((await get(first.id)).status).toBe(404)
    expect((await respond({ previous_response_id: first.id })).status).toBe(400)
    expect((await respond({ input: [{ type: 'item_reference', id: first.output[0].id }] })).status).toBe(400)
    expect((await respond({ previous_response_id: second.id, input: 'three' })).status).toBe(200)
    expect(sent().map(({ content }: Loose) => content)).toContain('one')
  })

  it('R58 lists the items of a request, by pages', async () => {
    const { respond, get } = await chatting(open)
    const input = Array.from({ length: 5 }, (_, at) => ({ role: 'user', content: `${at}` }))
    const { json } = await respond({ input })
    const contents = (page: Loose) => page.data.map(({ content }: Loose) => content)
    const newest = (await get(`${json.id}/input_items?limit=2`)).json
    expect([contents(newest), newest.has_more]).toEqual([['4', '3'], true])
    const next = (await get(`${json.id}/input_items?limit=3&after=${newest.last_id}`)).json
    expect([contents(next), next.has_more]).toEqual([['2', '1', '0'], false])
    const oldest = (await get(`${json.id}/input_items?order=asc`)).json
    expect(contents(oldest)).toEqual(['0', '1', '2', '3', '4'])
    expect(oldest.data[0]).toMatchObject({ type: 'message', id: expect.stringMatching(/^msg_/) })
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'order=up', 'after=none'])
      expect((await get(`${json.id}/input_items?${query}`)).status, query).toBe(400)
    expect((await get(`${json.id}?stream=true`)).status).toBe(400)
  })

  it('R59 T32 cancels nothing that has ended', async () => {
    const { respond, get } = await chatting(open)
    const { json } = await respond()
    const cancelled = await get(`${json.id}/cancel`, 'POST')
    expect([cancelled.status, cancelled.json.error.message]).toEqual([
      400,
      'Cannot cancel a synchronous response.',
    ])
  })

  it('G16 counts the chain before the call', async () => {
    const { respond, upstream } = await chatting(open, { limits: [tokens(2_500).per('minute')] })
    const first = await respond({ input: 'word '.repeat(1_000), max_output_tokens: 1 })
    expect(first.status).toBe(200)
    const calls = upstream.requests.length
    const second = await respond({
      previous_response_id: first.json.id,
      input: 'word '.repeat(800),
      max_output_tokens: 1,
    })
    expect([second.status, upstream.requests.length]).toEqual([429, calls])
  })

  it('names the fields of the caller, whatever was before', async () => {
    const { respond } = await chatting(open)
    const { json } = await respond({ input: 'one' })
    const items = [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }]
    const refused = await respond({ previous_response_id: json.id, input: items })
    expect(refused.json.error.param).toBe('input[0].content[0].file_id')
    const invalid = await respond({ previous_response_id: json.id, input: [{ role: 'king', content: 'x' }] })
    expect(invalid.json.error.param).toBe('input[0].role')
    const dropped = await respond({ previous_response_id: json.id, input: [{ type: 'item_of_tomorrow' }] })
    expect(dropped.headers['x-sluice-adjustments']).toContain('input[0]')
  })

  it('R53 outlives a reload, and is read by another gateway with the same store', async () => {
    const { table } = await startRawVendor(steps.answer())
    const gateway = testGateway(table)
    const site = await mount(gateway)
    const first = (await site.respond()).json as Loose
    gateway.reload(testOptions(table))
    expect((await site.respond({ previous_response_id: first.id })).status).toBe(200)
    const store = memoryResponseStore()
    const one = await open(table, { responses: store })
    const two = await open(table, { responses: store })
    const begun = (await one.respond()).json as Loose
    expect((await two.respond({ previous_response_id: begun.id })).status).toBe(200)
    const foreign = await two.respond(
      { model: 'other', previous_response_id: begun.id },
      { key: 'narrow-key' },
    )
    expect(foreign.status).toBe(400)
    await gateway.close({ drainMs: 1 })
  })

  it('G20 G22 restores for vendors of the protocol, too, and keeps what they encrypted', async () => {
    const encrypted = { id: 'rs_v', type: 'reasoning', summary: [], encrypted_content: 'gAAAA-secret' }
    const message = {
      id: 'msg_v',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
    }
    const { table, upstream } = await startRawVendor(
      steps.reply({
        id: 'resp_vendor',
        object: 'response',
        created_at: 1,
        status: 'completed',
        model: 'm',
        output: [encrypted, message],
        usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
      }),
    )
    const site = await open(table)
    const first = (await site.respond({ model: 'responses', input: 'one' })).json as Loose
    expect(first.store).toBe(true)
    expect(JSON.stringify(first)).not.toContain('secret')
    await site.respond({ model: 'responses', previous_response_id: first.id, input: 'two', unknown: 1 })
    const sent = upstream.requests.at(-1)!.json as Loose
    expect(sent).toMatchObject({ store: false, unknown: 1 })
    expect(sent).not.toHaveProperty('previous_response_id')
    expect(sent.input.map(({ type, content }: Loose) => type ?? content)).toEqual([
      'message',
      'reasoning',
      'message',
      'message',
    ])
    expect(sent.input[1]).toEqual(encrypted)
  })
})

function testOptions(table: Parameters<typeof testGateway>[0]) {
  return { authenticate: apiKeys([{ id: 'ann', key: 'good-key' }]), route: models(table) }
}
