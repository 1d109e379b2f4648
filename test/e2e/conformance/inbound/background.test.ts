import { concurrent, createGateway, type ResponseStore } from '@sluice/core'
import { memoryResponseStore } from '@sluice/core/store'
import fc from 'fast-check'
import { expect, it, onTestFinished, vi } from 'vitest'
import {
  openEvents,
  readResponseStream,
} from '../../../../packages/core/test/support/read-response-stream.ts'
import { startGatedVendor } from './gated-vendor.ts'
import type { InboundSite } from './inbound-site.ts'
import { memoryLedger } from './memory-ledger.ts'
import { overPlaces, testGateway } from './over-places.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads what was written
type Loose = any

const background = { background: true }

/** What a caller does with a site: each with the status and the JSON. */
function caller(site: InboundSite, key = 'good-key') {
  const send = async (path: string, method: string, body?: object) => {
    const answer = await site.send(path, { method, key, ...(body !== undefined && { body: body as Loose }) })
    return { status: answer.status, json: answer.json as Loose, body: answer.body, headers: answer.headers }
  }
  const get = (id: string, query = '') => send(`/responses/${id}${query}`, 'GET')
  return {
    create: (fields: object = {}) =>
      send('/responses', 'POST', { model: 'chat', input: 'Hello!', ...background, ...fields }),
    get,
    cancel: (id: string) => send(`/responses/${id}/cancel`, 'POST'),
    remove: (id: string) => send(`/responses/${id}`, 'DELETE'),
    status: async (id: string) => (await get(id)).json?.status,
    ended: async (id: string) => {
      await expect.poll(async () => (await get(id)).json.status).not.toMatch(/queued|in_progress/)
      return (await get(id)).json
    },
  }
}

/** Begins a stream, and reads it as it comes. */
async function following(site: InboundSite, path: string, init: RequestInit = {}) {
  const leaving = new AbortController()
  const answer = await fetch(site.place.baseURL + path, {
    ...init,
    headers: { authorization: 'Bearer good-key', 'content-type': 'application/json' },
    signal: leaving.signal,
  })
  let text = ''
  const read = (async () => {
    const decoder = new TextDecoder()
    for await (const piece of answer.body!) text += decoder.decode(piece, { stream: true })
  })()
  read.catch(() => {})
  return {
    status: answer.status,
    get text() {
      return text
    },
    read,
    leave: () => leaving.abort(),
  }
}

function streamed(site: InboundSite, fields: object = {}) {
  const body = JSON.stringify({ model: 'chat', input: 'Hello!', stream: true, ...background, ...fields })
  return following(site, '/responses', { method: 'POST', body })
}

const idIn = (text: string) => /"id":"(resp_\w+)"/.exec(text)![1]!

/** A store of which all operations wait, as those of a database do, and may fail. */
function slowStore() {
  const inner = memoryResponseStore()
  const state = { fails: false, inner, owner: '' }
  const later = async <T>(run: () => T): Promise<T> => {
    await Promise.resolve()
    if (state.fails) throw new Error('The disk is full.')
    return run()
  }
  const store: ResponseStore = {
    put: response =>
      later(() => {
        state.owner = response.owner
        return inner.put(response)
      }),
    get: (owner, id) => later(() => inner.get(owner, id)),
    findItem: (owner, id) => later(() => inner.findItem(owner, id)),
    delete: (owner, id) => later(() => inner.delete(owner, id)),
    deleteOwner: owner => later(() => inner.deleteOwner(owner)),
  }
  return { store, state }
}

overPlaces((open, mount) => {
  it.each(['chat', 'responses'])(
    'R60 G14 is answered at once, runs without its caller, and is charged once: %s',
    async model => {
      const vendor = await startGatedVendor()
      const { ledger, entries, closings } = memoryLedger()
      const ended: Loose[] = []
      const observe = (event: Loose) => void (event.type === 'end' && ended.push(event))
      const site = await open(vendor.table, { ledger, observe })
      const { create, get, ended: endOf } = caller(site)
      const { status, json } = await create({ model, metadata: { a: 'b' } })
      expect([status, json.status, json.background, json.store]).toEqual([200, 'queued', true, true])
      expect(json).toMatchObject({ output: [], usage: null, completed_at: null, metadata: { a: 'b' } })
      expect((await get(json.id)).json).toMatchObject({
        id: json.id,
        status: 'in_progress',
        background: true,
      })
      await expect.poll(() => vendor.bodies.length).toBe(1)
      expect(vendor.bodies[0].background).toBeUndefined()
      if (model === 'responses') expect(vendor.bodies[0].store).toBe(false)
      expect(ended).toEqual([])
      vendor.finish()
      const response = await endOf(json.id)
      expect(response).toMatchObject({ id: json.id, status: 'completed', background: true, store: true })
      expect(response.output[0].content[0].text).toBe('Hello')
      expect(entries).toHaveLength(1)
      expect(await closings(1)).toMatchObject([
        { outcome: 'completed', status: 200, charge: { promptTokens: 3 } },
      ])
      expect(ended).toHaveLength(1)
      expect(vendor.aborted).toBe(0)
      const items = await get(json.id, '/input_items')
      expect(items.json.data).toMatchObject([{ role: 'user', content: 'Hello!' }])
    },
  )

  it.each(['chat', 'responses'])(
    'R30 R38 R41 streams what is queued, and lets its caller leave and come back: %s',
    async model => {
      const vendor = await startGatedVendor()
      const outcomes: string[] = []
      const observe = (event: Loose) => void (event.type === 'end' && outcomes.push(event.outcome))
      const site = await open(vendor.table, { observe })
      const first = await streamed(site, { model })
      await expect.poll(() => first.text).toContain('Hello')
      const seen = openEvents(first.text)
      expect(seen.slice(0, 3).map(({ type }) => type)).toEqual([
        'response.created',
        'response.queued',
        'response.in_progress',
      ])
      expect(seen.slice(0, 3).map(({ response }) => response.status)).toEqual([
        'queued',
        'queued',
        'in_progress',
      ])
      expect(vendor.bodies[0].background).toBeUndefined()
      const id = idIn(first.text)
      first.leave()
      await expect(first.read).rejects.toThrow()
      vendor.say(' again')
      const after = seen.at(-1)!.sequence_number
      const second = await following(site, `/responses/${id}?stream=true&starting_after=${after}`)
      await expect.poll(() => second.text).toContain(' again')
      expect(openEvents(second.text)[0].sequence_number).toBe(after + 1)
      vendor.finish()
      await second.read
      const opening = first.text.slice(0, first.text.lastIndexOf('\n\n') + 2)
      const { response } = readResponseStream(opening + second.text)
      expect(response).toMatchObject({ id, status: 'completed', background: true, store: true })
      expect(response.output[0].content[0].text).toBe('Hello again')
      const { get } = caller(site)
      expect((await get(id)).json).toEqual(response)
      // After its end, all of it, a part of it, and nothing but its end.
      expect(readResponseStream((await get(id, '?stream=true')).body).response).toEqual(response)
      const events = openEvents(
        (await get(id, '?stream=true&starting_after=4')).body.replace('data: [DONE]\n\n', ''),
      )
      expect(events[0].sequence_number).toBe(5)
      expect((await get(id, '?stream=true&starting_after=99999')).body).toBe('data: [DONE]\n\n')
      expect((await get(id, '?stream=true&starting_after=x')).status).toBe(400)
      expect([outcomes, vendor.aborted]).toEqual([['completed'], 0])
    },
  )

  it('R58 streams again only what is in the background and has events', async () => {
    const vendor = await startGatedVendor()
    vendor.finish()
    const { create, get, ended } = caller(await open(vendor.table))
    const plain = await create({ background: false })
    expect((await get(plain.json.id, '?stream=true')).json.error.message).toBe(
      'Only responses in the background can be streamed again.',
    )
    const { json } = await create()
    await ended(json.id)
    const refused = await get(json.id, '?stream=true')
    expect([refused.status, refused.json.error.param]).toEqual([400, 'stream'])
  })

  it('R57 continues what has ended or was cut, and nothing else', async () => {
    const vendor = await startGatedVendor()
    const { create, cancel, ended } = caller(await open(vendor.table))
    const running = await create()
    const next = (id: string) => create({ background: false, previous_response_id: id, model: 'second' })
    const early = await next(running.json.id)
    expect([early.status, early.json.error.param]).toEqual([400, 'previous_response_id'])
    expect(early.json.error.message).toContain('has not ended yet')
    const cancelled = await create()
    await cancel(cancelled.json.id)
    expect((await next(cancelled.json.id)).json.error.message).toContain('failed or was cancelled')
    vendor.finish()
    await ended(running.json.id)
    const last = await next(running.json.id)
    expect([last.status, last.json.previous_response_id]).toEqual([200, running.json.id])
    expect(vendor.bodies.at(-1).messages.map(({ content }: Loose) => content)).toEqual([
      'Hello!',
      'Hello',
      'Hello!',
    ])
  })

  it.each([false, true])(
    'R59 T32 cancels a call for real, and twice with the same result: stream %s',
    async stream => {
      const vendor = await startGatedVendor()
      const { ledger, closings } = memoryLedger()
      const site = await open(vendor.table, { ledger })
      const { create, get, cancel } = caller(site)
      const begun = stream ? await streamed(site) : undefined
      if (begun !== undefined) await expect.poll(() => begun.text).toContain('Hello')
      const id = begun === undefined ? (await create()).json.id : idIn(begun.text)
      await expect.poll(() => vendor.bodies.length).toBe(1)
      const first = await cancel(id)
      expect([first.status, first.json.status, first.json.error]).toEqual([200, 'cancelled', null])
      await expect.poll(() => vendor.aborted).toBe(1)
      expect(await cancel(id)).toMatchObject({ status: 200, json: first.json })
      expect((await get(id)).json).toEqual(first.json)
      expect(await closings(1)).toMatchObject([{ outcome: 'client_disconnected', status: 200 }])
      if (begun === undefined) return
      await begun.read
      const { response, types } = readResponseStream(begun.text)
      expect([response.status, types.at(-1)]).toEqual(['cancelled', 'response.failed'])
      expect(response.output).toMatchObject([{ status: 'incomplete' }])
      expect(readResponseStream((await get(id, '?stream=true')).body).response).toEqual(response)
    },
  )

  it('T32 returns what has ended unchanged, and cancels nothing that a caller waited for', async () => {
    const vendor = await startGatedVendor()
    vendor.finish()
    const { create, cancel, ended } = caller(await open(vendor.table))
    const { json } = await create()
    const response = await ended(json.id)
    for (let time = 0; time < 2; time++)
      expect(await cancel(json.id)).toMatchObject({ status: 200, json: response })
    const plain = await create({ background: false })
    expect((await cancel(plain.json.id)).status).toBe(400)
  })

  it.each([false, true])('R60 has failed where its vendor fails: stream %s', async stream => {
    const vendor = await startGatedVendor()
    vendor.finish(500)
    const { ledger, closings } = memoryLedger()
    const { create, get, ended } = caller(await open(vendor.table, { ledger }))
    const made = await create({ stream })
    const id = stream ? idIn(made.body) : made.json.id
    expect(await ended(id)).toMatchObject({ status: 'failed', error: { code: 'server_error' }, store: true })
    expect((await closings(1))[0]).toMatchObject({ outcome: 'upstream_failed', status: 200 })
    if (!stream) return
    expect(readResponseStream(made.body).response).toEqual((await get(id)).json)
  })

  it('R60 refuses before it accepts: keys, models, fields and limits are errors of the request', async () => {
    const vendor = await startGatedVendor()
    vendor.finish()
    const site = await open(vendor.table)
    const { create } = caller(site)
    expect((await create({ model: 'nothing' })).status).toBe(400)
    expect((await create({ temperature: 9 })).json.error.param).toBe('temperature')
    expect((await caller(site, 'bad-key').create()).status).toBe(401)
    expect((await caller(site, 'narrow-key').create()).status).toBe(403)
    const unstored = await create({ store: false })
    expect([unstored.status, unstored.json.error]).toMatchObject([
      400,
      { param: 'background', code: 'invalid_parameter_combination' },
    ])
    const counted = await site.send('/responses/input_tokens', {
      method: 'POST',
      body: { model: 'chat', input: 'x', background: true },
    })
    expect(counted.status).toBe(200)
    for (const options of [{ responses: false }, { background: false }] as const) {
      const refused = await caller(await open(vendor.table, options)).create()
      expect([refused.status, refused.json.error]).toMatchObject([
        400,
        { param: 'background', code: 'unsupported_parameter' },
      ])
    }
  })

  it('R60 bounds how many run, for a principal and for all', async () => {
    const vendor = await startGatedVendor()
    const site = await open(vendor.table, { background: { maxRunning: 3, maxRunningPerPrincipal: 2 } })
    const ann = caller(site)
    const bob = caller(site, 'narrow-key')
    const first = await ann.create()
    await ann.create()
    const third = await ann.create()
    expect([third.status, third.json.error.code]).toEqual([429, 'rate_limit_exceeded'])
    expect((await bob.create({ model: 'other' })).status).toBe(200)
    expect((await bob.create({ model: 'other' })).status).toBe(503)
    await ann.cancel(first.json.id)
    expect((await ann.create()).status).toBe(200)
  })

  it('R53 T1 shows a second tenant nothing of a response that runs', async () => {
    const vendor = await startGatedVendor()
    const site = await open(vendor.table)
    const ann = caller(site)
    const bob = caller(site, 'narrow-key')
    const { id } = (await ann.create({ input: 'secret-canary' })).json
    const unknown = 'resp_00000000000000000000000000000000'
    for (const ask of [
      (id: string) => bob.get(id),
      (id: string) => bob.get(id, '?stream=true'),
      (id: string) => bob.get(id, '/input_items'),
      (id: string) => bob.cancel(id),
      (id: string) => bob.remove(id),
      (id: string) => bob.create({ model: 'other', previous_response_id: id }),
    ]) {
      const [mine, none] = [await ask(id), await ask(unknown)]
      expect([mine.status, mine.body.replaceAll(id, '')]).toEqual([
        none.status,
        none.body.replaceAll(unknown, ''),
      ])
      expect(mine.body).not.toContain('canary')
    }
    // What is stored beside it has no name that a caller can send.
    for (const name of ['lease', 'stop', 'events 0']) {
      const asked = await ann.create({ background: false, previous_response_id: `${name} ${id}` })
      expect([asked.status, asked.json.error.code]).toEqual([400, 'previous_response_not_found'])
    }
    expect(await ann.status(id)).toBe('in_progress')
  })

  it('R58 deletes what runs, and its end does not bring it back', async () => {
    const vendor = await startGatedVendor()
    const store = memoryResponseStore()
    const { ledger, closings } = memoryLedger()
    const site = await open(vendor.table, { responses: store, ledger })
    const { create, get, remove } = caller(site)
    const stream = await streamed(site)
    await expect.poll(() => stream.text).toContain('Hello')
    const { id } = (await create()).json
    await expect.poll(() => vendor.bodies.length).toBe(2)
    for (const each of [id, idIn(stream.text)]) {
      expect((await remove(each)).json).toEqual({ id: each, object: 'response', deleted: true })
      expect((await get(each)).status).toBe(404)
      expect((await remove(each)).status).toBe(404)
    }
    await expect.poll(() => vendor.aborted).toBe(2)
    await closings(2)
    // Two marks, for processes that may still run them.
    expect(store.size).toBe(2)
  })

  it('R60 has a new key the same response, while it runs and later', async () => {
    const { idempotency } = await import('@sluice/core')
    const vendor = await startGatedVendor()
    const site = await open(vendor.table, { idempotency: idempotency() })
    const post = () =>
      site.respond({ ...background }, { headers: { 'idempotency-key': 'k1' } }) as Promise<Loose>
    const first = await post()
    const second = await post()
    expect([second.json.id, second.headers['idempotency-replayed']]).toEqual([first.json.id, 'true'])
    vendor.finish()
    await caller(site).ended(first.json.id)
    expect((await post()).json).toEqual(first.json)
    expect(vendor.bodies).toHaveLength(1)
  })

  it('R60 is drained by close, and has failed where that takes too long', async () => {
    const vendor = await startGatedVendor()
    const { store } = slowStore()
    const { ledger, closings } = memoryLedger()
    const gateway = testGateway(vendor.table, { responses: store, ledger })
    const site = await mount(gateway)
    const other = caller(await open(vendor.table, { responses: store }))
    const { id } = (await caller(site).create()).json
    const stream = await streamed(site)
    await expect.poll(() => vendor.bodies.length).toBe(2)
    await expect.poll(() => stream.text).toContain('Hello')
    const closing = gateway.close({ drainMs: 300 })
    expect(await other.status(id)).toBe('in_progress')
    await closing
    expect(vendor.aborted).toBe(2)
    for (const each of [id, idIn(stream.text)])
      expect((await other.get(each)).json).toMatchObject({
        status: 'failed',
        error: { code: expect.any(String) },
      })
    expect((await closings(2)).map(({ outcome }) => outcome)).toEqual(['gateway_closed', 'gateway_closed'])
    const patient = testGateway(vendor.table, { responses: store })
    const begun = (await caller(await mount(patient)).create()).json
    const drained = patient.close({ drainMs: 20_000 })
    await expect.poll(() => vendor.bodies.length).toBe(3)
    vendor.finish()
    await drained
    expect(await other.status(begun.id)).toBe('completed')
  })

  it('R60 has failed once the lease of its process is over', async () => {
    const vendor = await startGatedVendor()
    const { store } = slowStore()
    const one = caller(await open(vendor.table, { responses: store }))
    const { id } = (await one.create()).json
    let late = 0
    const now = () => Date.now() + late
    const two = caller(await open(vendor.table, { responses: store, now }))
    expect(await two.status(id)).toBe('in_progress')
    late = 60_000
    const found = await two.get(id)
    expect(found.json).toMatchObject({ status: 'failed', error: { code: 'server_error' } })
    expect((await two.create({ background: false, previous_response_id: id })).status).toBe(400)
    expect((await two.cancel(id)).json.status).toBe('failed')
    expect((await two.remove(id)).status).toBe(200)
  })

  it('R58 R59 is followed and cancelled from another process, through the store', async () => {
    const vendor = await startGatedVendor()
    const { store } = slowStore()
    const ended: Loose[] = []
    const observe = (event: Loose) => void (event.type === 'end' && ended.push(event))
    const here = await open(vendor.table, { responses: store, observe })
    const elsewhere = await open(vendor.table, { responses: store })
    const stream = await streamed(here)
    await expect.poll(() => stream.text).toContain('Hello')
    const id = idIn(stream.text)
    const { get, cancel, remove, status } = caller(elsewhere)
    expect(await status(id)).toBe('in_progress')
    const followed = await following(elsewhere, `/responses/${id}?stream=true&starting_after=1`)
    await expect.poll(() => followed.text).toContain('Hello')
    const second = (await caller(here).create()).json
    const cancelled = await cancel(second.id)
    expect([cancelled.status, cancelled.json.status]).toEqual([200, 'cancelled'])
    expect(vendor.aborted).toBe(1)
    const third = (await caller(here).create()).json
    expect((await remove(third.id)).status).toBe(200)
    expect((await caller(here).get(third.id)).status).toBe(404)
    await expect.poll(() => vendor.aborted).toBe(2)
    // Deleted just before it ends: its process stores the end, and then sees that it was deleted.
    const fourth = (await caller(here).create()).json
    await expect.poll(() => vendor.bodies.length).toBe(4)
    expect((await remove(fourth.id)).status).toBe(200)
    vendor.finish()
    await Promise.all([stream.read, followed.read])
    expect(openEvents(followed.text.replace('data: [DONE]\n\n', ''))).toEqual(
      openEvents(stream.text.replace('data: [DONE]\n\n', '')).slice(2),
    )
    expect(readResponseStream((await get(id, '?stream=true')).body).response.status).toBe('completed')
    await expect.poll(() => ended).toHaveLength(4)
    expect(ended.map(({ outcome }) => outcome).toSorted()).toEqual([
      'client_disconnected',
      'client_disconnected',
      'completed',
      'completed',
    ])
    for (const each of [third.id, fourth.id]) {
      expect((await get(each)).status).toBe(404)
      expect((await caller(here).get(each)).status).toBe(404)
    }
  })

  it('R58 is not read again and again by those who follow it from another process', async () => {
    const vendor = await startGatedVendor()
    const { store } = slowStore()
    const here = await open(vendor.table, { responses: store })
    const read: string[] = []
    const counting: ResponseStore = {
      ...store,
      get: (owner, id) => {
        read.push(id)
        return store.get(owner, id)
      },
    }
    const elsewhere = await open(vendor.table, { responses: counting })
    const stream = await streamed(here)
    await expect.poll(() => stream.text).toContain('Hello')
    const id = idIn(stream.text)
    const followed = await following(elsewhere, `/responses/${id}?stream=true`)
    await expect.poll(() => followed.text).toContain('Hello')
    read.length = 0
    const lease = `lease ${id}`
    await expect.poll(() => read.filter(each => each === lease).length).toBeGreaterThan(3)
    expect(read).not.toContain(id)
    vendor.finish()
    await Promise.all([stream.read, followed.read])
    expect(openEvents(followed.text.replace('data: [DONE]\n\n', ''))).toEqual(
      openEvents(stream.text.replace('data: [DONE]\n\n', '')),
    )
  })

  it('R60 is refused where it cannot be stored, and has failed where its end cannot', async () => {
    const vendor = await startGatedVendor()
    const { store, state } = slowStore()
    const { ledger, closings } = memoryLedger()
    const site = await open(vendor.table, { responses: store, ledger })
    const { create } = caller(site)
    state.fails = true
    const refused = await create()
    expect([refused.status, refused.json.error.code]).toEqual([503, 'response_store_unavailable'])
    expect(vendor.bodies).toHaveLength(0)
    state.fails = false
    const stream = await streamed(site)
    await expect.poll(() => stream.text).toContain('Hello')
    state.fails = true
    vendor.finish()
    await stream.read
    expect(readResponseStream(stream.text).response).toMatchObject({
      status: 'failed',
      error: { code: 'server_error' },
    })
    const outcomes = (await closings(2)).map(({ outcome }) => outcome)
    expect(outcomes).toEqual(['refused', 'internal_error'])
  })

  it('R60 is settled once and ends in one way, whatever happens to it at the same time', async () => {
    const deeds = ['cancel', 'cancel', 'remove', 'finish', 'fail', 'close', 'leave'] as const
    const deed = fc.record({ what: fc.constantFrom(...deeds), after: fc.integer({ min: 0, max: 6 }) })
    const property = fc.asyncProperty(
      fc.boolean(),
      fc.array(deed, { maxLength: 4 }),
      async (stream, todo) => {
        const vendor = await startGatedVendor()
        const { store, state } = slowStore()
        const { ledger, entries, closings } = memoryLedger()
        const ended: Loose[] = []
        const gateway = testGateway(vendor.table, {
          responses: store,
          ledger,
          limits: [concurrent(1)],
          observe: event => void (event.type === 'end' && ended.push(event)),
        })
        const send = (path: string, method: string, body?: object) =>
          gateway.fetch(
            new Request(`http://sluice.test/v1/responses${path}`, {
              method,
              headers: { authorization: 'Bearer good-key', 'content-type': 'application/json' },
              ...(body !== undefined && { body: JSON.stringify(body) }),
            }),
          )
        const made = await send('', 'POST', { model: 'chat', input: 'x', stream, ...background })
        expect(made.status).toBe(200)
        const reader = made.body!.getReader()
        const id = idIn(new TextDecoder().decode((await reader.read()).value))
        let isRemoved = false
        await Promise.all(
          todo.map(async ({ what, after }) => {
            for (let turn = 0; turn < after; turn++) await new Promise(resolve => setImmediate(resolve))
            if (what === 'cancel') await send(`/${id}/cancel`, 'POST')
            else if (what === 'remove')
              isRemoved = (await send(`/${id}`, 'DELETE')).status === 200 || isRemoved
            else if (what === 'leave') await reader.cancel().catch(() => {})
            else if (what === 'close') void gateway.close({ drainMs: 5 })
            else vendor.finish(what === 'fail' ? 500 : 200)
          }),
        )
        vendor.finish()
        await closings(1)
        await gateway.close({ drainMs: 5_000 })
        expect([ended.length, entries.length, (await closings(1)).length]).toEqual([1, 1, 1])
        const turn = state.inner.get(state.owner, id)
        if (isRemoved) expect(turn === undefined || JSON.parse(turn).deleted).toBe(true)
        else expect(JSON.parse(turn!).response.status).toMatch(/^(completed|failed|cancelled)$/)
      },
    )
    await fc.assert(property, { numRuns: 25 })
  })

  it('R60 follows what the gateway closes to its end', async () => {
    const vendor = await startGatedVendor()
    const gateway = testGateway(vendor.table)
    const site = await mount(gateway)
    const stream = await streamed(site)
    await expect.poll(() => stream.text).toContain('Hello')
    const followed = await following(site, `/responses/${idIn(stream.text)}?stream=true`)
    await expect.poll(() => followed.text).toContain('Hello')
    await gateway.close({ drainMs: 1 })
    await Promise.all([stream.read, followed.read])
    expect(readResponseStream(stream.text).response.status).toBe('failed')
    expect(followed.text).toMatch(/event: error\n.*\n\ndata: \[DONE\]\n\n$/)
  })
})

it('R60 is off where a runtime has no process, and an error where it is asked for', () => {
  vi.stubGlobal('EdgeRuntime', 'edge-runtime')
  onTestFinished(() => void vi.unstubAllGlobals())
  const options = { authenticate: () => ({ id: 'a' }), route: () => [] }
  expect(() => createGateway({ ...options, background: {} })).toThrow(/background/)
  expect(() => createGateway({ ...options, background: false })).not.toThrow()
  expect(() => createGateway(options)).not.toThrow()
  vi.unstubAllGlobals()
  expect(() => createGateway({ ...options, background: {} })).not.toThrow()
  expect(() => createGateway({ ...options, background: {}, responses: false })).toThrow(/background/)
  expect(() => createGateway({ ...options, background: { maxRunning: 0, maxMs: -1 } })).toThrow(/maxRunning/)
})
