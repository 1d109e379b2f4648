import { describe, expect, it } from 'vitest'
import type { ResponseStore } from '../../src/contracts/response-store.ts'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import { memoryResponseStore } from '../../src/stores/memory-response-store.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { scripted, serving, whole } from '../support/scripted-gateway.ts'

/** A store that counts its reads, how many run at once, and takes 10 ms for each. */
function watched(store: ResponseStore, clock: ManualClock) {
  const seen = { reads: 0, atOnce: 0, most: 0 }
  const counted = async <T>(read: () => T | Promise<T>): Promise<T> => {
    seen.reads++
    seen.most = Math.max(seen.most, ++seen.atOnce)
    await new Promise<void>(resolve => clock.setTimer(10, resolve))
    seen.atOnce--
    return read()
  }
  const responses: ResponseStore = {
    ...store,
    put: response => store.put(response),
    delete: (owner, id) => store.delete(owner, id),
    get: (owner, id) => counted(() => store.get(owner, id)),
    findItem: (owner, id) => counted(() => store.findItem(owner, id)),
  }
  return { responses, seen }
}

function site(answer: string, options: Partial<GatewayOptions> = {}) {
  const clock = new ManualClock()
  const store = memoryResponseStore({ maxBytes: 100_000_000, now: clock.monotonic })
  const { responses, seen } = watched(store, clock)
  const { target, inputs } = scripted(() => whole(answer))
  const { gateway } = serving(target, {
    clock,
    responses,
    authenticate: request => ({ id: request.headers.get('x-caller') ?? 'ann' }),
    ...options,
  })
  const send = async (path: string, body?: object, caller = 'ann', signal?: AbortSignal) => {
    const response = await gateway.fetch(`http://sluice.test/v1/responses${path}`, {
      ...(signal && { signal }),
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', 'x-caller': caller },
      ...(body !== undefined && { body: JSON.stringify({ model: 'm', ...body }) }),
    })
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) }
  }
  /** Waits for all of them while time passes, in steps of 10 ms, and returns how much did. */
  const passUntil = async (sent: readonly Promise<unknown>[]) => {
    const before = clock.monotonic()
    let done = false
    void Promise.all(sent).then(() => {
      done = true
    })
    while (!done) await clock.pass(10)
    return clock.monotonic() - before
  }
  const stored = async (caller = 'ann') => {
    const sent = send('', { input: 'Hello!' }, caller)
    await passUntil([sent])
    const { body } = await sent
    return body as { id: string; output: { id: string }[] }
  }
  return { clock, inputs, seen, send, stored, passUntil }
}

describe('items that a request refers to', () => {
  it('are bounded by maxBytes with the request, each as often as it is named, and are read once', async () => {
    const { stored, send, passUntil, seen, inputs } = site('x'.repeat(10_000), {
      requestLimits: { maxBytes: 100_000 },
    })
    const { output } = await stored()
    const refer = async (times: number) => {
      const input = new Array(times).fill({ type: 'item_reference', id: output[0]!.id })
      const sent = send('', { input: [...input, { role: 'user', content: 'And?' }], store: false })
      await passUntil([sent])
      return sent
    }
    const before = seen.reads
    expect(await refer(8)).toMatchObject({ status: 200 })
    expect(seen.reads - before).toBe(1)
    const calls = inputs.length
    expect(await refer(12)).toMatchObject({
      status: 400,
      body: { error: { param: 'input', message: expect.stringContaining('too long with the items') } },
    })
    expect(inputs).toHaveLength(calls)
  })
})

describe('reads of stored responses', () => {
  it('run beside each other while they are small', async () => {
    const { stored, send, passUntil, seen } = site('Hello.')
    const { id } = await stored()
    for (let times = 0; times < 8; times++) await passUntil([send(`/${id}`)])
    const all = Array.from({ length: 50 }, () => send(`/${id}`))
    expect(await passUntil(all)).toBeLessThanOrEqual(20)
    expect(seen.most).toBe(50)
    expect(new Set((await Promise.all(all)).map(({ status }) => status))).toEqual(new Set([200]))
  })

  it('pause after long ones of their principal, and of no other', async () => {
    const { stored, send, passUntil, seen } = site('x'.repeat(4_000_000))
    const [anns, bobs] = [await stored(), await stored('bob')]
    seen.most = 0
    const all = Array.from({ length: 8 }, () => send(`/${anns.id}`))
    const bob = send(`/${bobs.id}`, undefined, 'bob')
    expect(await passUntil([bob])).toBeLessThanOrEqual(20)
    // Each of 8 has 8 MB with its output twice: a pause of most of a second.
    expect(await passUntil(all)).toBeGreaterThan(3_000)
    expect(seen.most).toBeLessThanOrEqual(5)
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(new Array(8).fill(200))
  })

  it('pause before a request of a few bytes that continues a long response', async () => {
    const { stored, send, passUntil } = site('x'.repeat(4_000_000))
    const { id } = await stored()
    const next = () => send('', { previous_response_id: id, input: 'And?', store: false })
    await passUntil([next()])
    expect(await passUntil([next()])).toBeGreaterThan(500)
  })

  it('do not happen for clients that leave while they wait', async () => {
    const { stored, send, passUntil, seen } = site('x'.repeat(4_000_000))
    const { id } = await stored()
    await passUntil([send(`/${id}`)])
    const before = seen.reads
    const leaving = new AbortController()
    const left = Array.from({ length: 200 }, () => send(`/${id}`, undefined, 'ann', leaving.signal))
    const stays = send(`/${id}`)
    expect((await stays).status).toBe(429)
    leaving.abort()
    const ends = await Promise.allSettled(left)
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['rejected']))
    const next = send(`/${id}`)
    expect(await passUntil([next])).toBeLessThan(2_000)
    expect((await next).status).toBe(200)
    expect(seen.reads - before).toBe(1)
  })

  it('are refused where too many of a principal wait', async () => {
    const { stored, send, passUntil } = site('x'.repeat(4_000_000))
    const { id } = await stored()
    await passUntil([send(`/${id}`)])
    const all = Array.from({ length: 202 }, () => send(`/${id}/input_items`))
    const [last] = await Promise.all([all.at(-1)!])
    expect(last).toMatchObject({ status: 429, body: { error: { code: 'rate_limit_exceeded' } } })
    expect(Number(last!.headers.get('retry-after'))).toBeGreaterThan(0)
    const bob = send(`/${id}`, undefined, 'bob')
    expect(await passUntil([bob])).toBeLessThanOrEqual(20)
    expect((await bob).status).toBe(404)
  })
})
