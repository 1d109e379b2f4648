import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../clock/clock.ts'
import { maxReadBytes, ReceivedBody } from './received-body.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

function receiving() {
  const done: string[] = []
  const body = new ReceivedBody(
    { resume: () => done.push('resume'), close: () => done.push('close') },
    systemClock,
  )
  const watch = { waiting: () => done.push('waiting'), received: () => done.push('received') }
  return { body, watch, done }
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const part of body) parts.push(part)
  return Buffer.concat(parts).toString()
}

describe('ReceivedBody', () => {
  it('gives what came and what comes, in order, and then its end', async () => {
    const { body } = receiving()
    body.push(bytes('a'))
    body.push(bytes('b'))
    const text = textOf(body)
    await Promise.resolve()
    for (const part of ['c', 'd']) body.push(bytes(part))
    body.end()
    expect(await text).toBe('abcd')
    expect(await body.next()).toEqual({ done: true, value: undefined })
  })

  it('answers reads that did not wait for each other one after the other', async () => {
    const { body } = receiving()
    const reads = [body.next(), body.next(), body.next(), body.next()]
    for (const [at, part] of ['a', 'b', 'c'].entries()) {
      body.push(bytes(part))
      await reads[at]
    }
    body.end()
    expect((await Promise.all(reads)).map(({ value }) => value && Buffer.from(value).toString())).toEqual([
      'a',
      'b',
      'c',
      undefined,
    ])
  })

  it('gives what came together in one read, of at most 16 KiB', async () => {
    const { body } = receiving()
    const first = body.next()
    body.push(bytes('a'))
    body.push(bytes('b'))
    expect(Buffer.from((await first).value!).toString()).toBe('ab')
    for (const size of [6_000, 6_000, 4_384, 1, 16_384, 20_000, 5]) body.push(new Uint8Array(size))
    body.end()
    const sizes: number[] = []
    for await (const part of body) sizes.push(part.byteLength)
    expect(sizes).toEqual([16_384, 1, 16_384, 16_384, 3_621])
  })

  it('fails a read for which something had come, but which was cut off before', async () => {
    const { body } = receiving()
    const read = body.next()
    body.push(bytes('a'))
    body.cut(new Error('left'))
    await expect(read).rejects.toThrow('left')
  })

  it('gives a large read in parts', async () => {
    const { body } = receiving()
    body.push(new Uint8Array(2 * maxReadBytes + 1))
    body.end()
    const sizes: number[] = []
    for await (const part of body) sizes.push(part.byteLength)
    expect(sizes).toEqual([maxReadBytes, maxReadBytes, 1])
  })

  it('asks for no more than 64 KiB ahead of its reader, and for more when some of it was read', async () => {
    const { body, done } = receiving()
    expect(body.push(new Uint8Array(65_535))).toBe(true)
    expect(body.push(new Uint8Array(1))).toBe(false)
    expect(done).toEqual([])
    await body.next()
    await body.next()
    expect(done).toEqual(['resume'])
  })

  it('is whole where all came before it was read, and is read by that', async () => {
    const { body } = receiving()
    body.push(bytes('a'))
    expect(body.takeAll()).toBeUndefined()
    body.push(bytes('b'))
    body.end()
    expect(Buffer.from(body.takeAll()!).toString()).toBe('ab')
    expect(body.takeAll()).toBeUndefined()
    expect(await body.next()).toEqual({ done: true, value: undefined })
  })

  it('is not whole where some of it was read, or where it broke off', async () => {
    const { body } = receiving()
    body.push(bytes('a'))
    await body.next()
    body.end()
    expect(body.takeAll()).toBeUndefined()
    const broken = receiving().body
    broken.push(bytes('a'))
    broken.fail(new Error('gone'))
    expect(broken.takeAll()).toBeUndefined()
  })

  it('delivers what came before it broke off, and nothing of what was cut off', async () => {
    const { body } = receiving()
    body.push(bytes('a'))
    body.fail(new Error('gone'))
    expect((await body.next()).value).toEqual(bytes('a'))
    await expect(body.next()).rejects.toThrow('gone')
    await expect(body.next()).rejects.toThrow('gone')
    const cut = receiving().body
    cut.push(bytes('a'))
    cut.cut(new Error('left'))
    await expect(cut.next()).rejects.toThrow('left')
    body.cut(new Error('left'))
    await expect(body.next()).rejects.toThrow('left')
  })

  it('fails a read that waits', async () => {
    const { body } = receiving()
    const reads = [body.next(), body.next()]
    body.fail(new Error('gone'))
    for (const read of reads) await expect(read).rejects.toThrow('gone')
  })

  it('tells of reads that wait, and of reads that have something', async () => {
    const { body, watch, done } = receiving()
    body.watchedBy(watch)
    body.push(bytes('a'))
    await body.next()
    expect(done).toEqual(['received'])
    const read = body.next()
    expect(done).toEqual(['received', 'waiting'])
    body.push(bytes('b'))
    await read
    const last = body.next()
    body.end()
    await last
    expect(done).toEqual(['received', 'waiting', 'received', 'waiting', 'received'])
  })
})

describe('a ReceivedBody whose reader left', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    expect(vi.getTimerCount(), 'timers left').toBe(0)
    vi.useRealTimers()
  })

  it('reads a short rest away', async () => {
    const { body, done } = receiving()
    body.push(bytes('a'))
    const waiting = [body.next(), body.next()]
    await body.return()
    expect(await waiting[1]).toEqual({ done: true, value: undefined })
    expect(body.push(new Uint8Array(65_535))).toBe(true)
    expect(await body.next()).toEqual({ done: true, value: undefined })
    body.end()
    expect(done).toEqual([])
  })

  it('closes one of which too much is left, or which does not come', () => {
    const large = receiving()
    large.body.leave()
    large.body.push(new Uint8Array(65_536))
    expect(large.done).toEqual(['close'])
    large.body.fail(new Error('closed'))
    const paused = receiving()
    paused.body.push(new Uint8Array(65_536))
    paused.body.leave()
    expect(paused.done).toEqual(['close'])
    paused.body.fail(new Error('closed'))
    const slow = receiving()
    slow.body.leave()
    slow.body.leave()
    vi.advanceTimersByTime(999)
    expect(slow.done).toEqual([])
    vi.advanceTimersByTime(1)
    expect(slow.done).toEqual(['close'])
  })

  it('does nothing where it had ended, broken off or been cut off', () => {
    for (const end of ['end', 'fail', 'cut'] as const) {
      const { body, done } = receiving()
      body[end](new Error('over'))
      body.leave()
      expect(done).toEqual([])
    }
  })
})
