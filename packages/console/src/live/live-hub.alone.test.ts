import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RequestRow } from '../api.ts'
import { beginOf } from '../recent/fake-events.ts'
import { startedRequest } from '../recent/request-detail.ts'
import { requestRow } from '../recent/request-row.ts'
import { liveHub } from './live-hub.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const row = (id: string, more: Partial<RequestRow> = {}): RequestRow => ({
  ...requestRow(startedRequest(beginOf(id), 'team')),
  ...more,
})
const never = () => new AbortController().signal
const goesOn = () => true

/** What was read of a stream, event by event. */
function reading(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader()
  const read: string[] = []
  const decoder = new TextDecoder()
  return {
    /** The next piece as it was written; `undefined` at the end. */
    next: async () => {
      const { done, value } = await reader.read()
      if (done) return undefined
      read.push(decoder.decode(value))
      return read.at(-1)
    },
    cancel: () => reader.cancel(),
  }
}

const idsIn = (text = '') => [...text.matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id)

describe('liveHub', () => {
  it('tells what happens at once, and what happens soon after in one piece', async () => {
    const hub = liveHub()
    const client = reading(hub.listen(never(), goesOn))
    expect(await client.next()).toBe(': live\n\n')
    hub.request(row('a'))
    expect(await client.next()).toMatch(/^event: request\ndata: \{"id":"a",.*\}\n\n$/)
    hub.request(row('b'))
    hub.request(row('c'))
    hub.request(row('b', { outcome: 'completed' }))
    hub.target({ provider: 'p', model: 'm', state: 'open', waitMs: 5 })
    await vi.advanceTimersByTimeAsync(50)
    const piece = await client.next()
    expect(idsIn(piece)).toEqual(['c', 'b'])
    expect(piece).toContain('"outcome":"completed"')
    expect(piece).toContain('event: route\ndata: {"provider":"p","model":"m","state":"open","waitMs":5}\n\n')
    hub.close()
    expect(await client.next()).toBeUndefined()
    expect([hub.hasReaders, vi.getTimerCount()]).toEqual([false, 0])
  })

  it('keeps the newest state alone for who reads slowly, and says how much it left out', async () => {
    const hub = liveHub()
    const client = reading(hub.listen(never(), goesOn))
    for (let id = 0; id < 1_000; id++) hub.request(row(`r${id}`))
    for (let time = 0; time < 1_000; time++) hub.request(row('same', { totalMs: time }))
    expect(await client.next()).toBe(': live\n\n')
    const piece = await client.next()
    expect(idsIn(piece)).toHaveLength(256)
    expect(idsIn(piece).at(-1)).toBe('same')
    expect(piece).toContain('"totalMs":999')
    expect(piece).toMatch(/event: lost\ndata: \{"changes":745\}\n\n$/)
    hub.close()
  })

  it('says every 15 seconds that it is there', async () => {
    const hub = liveHub()
    const client = reading(hub.listen(never(), goesOn))
    await client.next()
    const next = client.next()
    await vi.advanceTimersByTimeAsync(15_000)
    expect(await next).toBe(': beat\n\n')
    hub.close()
  })

  it('lets go of who reads nothing for a minute', async () => {
    const hub = liveHub()
    hub.listen(never(), goesOn)
    await vi.advanceTimersByTimeAsync(59_000)
    expect(hub.hasReaders).toBe(true)
    await vi.advanceTimersByTimeAsync(1_000)
    expect([hub.hasReaders, vi.getTimerCount()]).toEqual([false, 0])
  })

  it('lets go of who leaves, whose signal aborts, and whose gateway closes', async () => {
    const hub = liveHub()
    const first = reading(hub.listen(never(), goesOn))
    await first.cancel()
    expect(hub.hasReaders).toBe(false)
    const leaving = new AbortController()
    const second = reading(hub.listen(leaving.signal, goesOn))
    await second.next()
    leaving.abort()
    expect([await second.next(), hub.hasReaders]).toEqual([undefined, false])
    hub.listen(leaving.signal, goesOn)
    expect(hub.hasReaders).toBe(false)
    let open = true
    const third = reading(hub.listen(never(), () => open))
    await third.next()
    open = false
    const ended = third.next()
    await vi.advanceTimersByTimeAsync(1_000)
    expect([await ended, hub.hasReaders, vi.getTimerCount()]).toEqual([undefined, false, 0])
  })

  it('takes 16 at most', async () => {
    const hub = liveHub()
    const clients = Array.from({ length: 16 }, () => reading(hub.listen(never(), goesOn)))
    expect(() => hub.listen(never(), goesOn)).toThrow(expect.objectContaining({ status: 503 }))
    await clients[0]?.cancel()
    expect(() => hub.listen(never(), goesOn)).not.toThrow()
    hub.close()
  })
})
