import { describe, expect, it } from 'vitest'
import { chatDialect } from '../dialects/chat/dialect.ts'
import { Lifetime } from '../http/lifetime.ts'
import { ReplayedStream } from './replayed-stream.ts'
import type { RequestAccounting } from './request-accounting.ts'

function setUp(text: string) {
  const settled: unknown[] = []
  const accounting: Pick<RequestAccounting, 'firstByte' | 'bodySent' | 'settled'> = {
    firstByte() {},
    bodySent() {},
    settled: (outcome, status) => void settled.push([outcome, status]),
  }
  const leaving = new AbortController()
  const lifetime = new Lifetime(leaving.signal)
  const stream = new ReplayedStream(text, chatDialect, { model: 'm', lifetime }, accounting)
  stream.start()
  return { settled, leaving, lifetime, stream }
}

const event = (length: number) => `data: ${'x'.repeat(length - 8)}\n\n`

describe('ReplayedStream', () => {
  it('gives whole events in pieces, and settles with the last one', async () => {
    const text = [...Array(400).fill(event(100)), event(40_000), event(50), 'data: [DONE]\n\n'].join('')
    const { settled, stream } = setUp(text)
    const pieces: string[] = []
    for await (const piece of stream) {
      pieces.push(piece)
      expect(piece.endsWith('\n\n')).toBe(true)
      if (pieces.join('').length < text.length) expect(settled).toEqual([])
    }
    expect(pieces.join('')).toBe(text)
    expect(pieces.map(({ length }) => length)).toEqual([16_300, 16_300, 7_400, 40_000, 64])
    expect(settled).toEqual([['completed', 200]])
  })

  it('ends where the reader leaves, where the client does, and where the gateway closes', async () => {
    const text = event(20_000) + event(20_000)
    for (const end of ['return', 'abort'] as const) {
      const { settled, stream, leaving } = setUp(text)
      await stream.next()
      if (end === 'return') await stream.return()
      else leaving.abort()
      expect(settled).toEqual([['client_disconnected', 200]])
    }
    const { settled, stream, lifetime } = setUp(text)
    await stream.next()
    lifetime.end('gateway_closed')
    expect(settled).toEqual([['gateway_closed', 200]])
    expect(await stream.next()).toMatchObject({ value: expect.stringContaining('"error"') })
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })

  it('leaves what is settled as it is', async () => {
    const { settled, stream, leaving } = setUp('data: [DONE]\n\n')
    await stream.next()
    leaving.abort()
    await stream.return()
    expect(settled).toEqual([['completed', 200]])
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })

  it('gives a reader who has left before it began nothing', async () => {
    const leaving = AbortSignal.abort()
    const settled: string[] = []
    const accounting: Pick<RequestAccounting, 'firstByte' | 'bodySent' | 'settled'> = {
      firstByte() {},
      bodySent() {},
      settled: outcome => void settled.push(outcome),
    }
    const context = { model: 'm', lifetime: new Lifetime(leaving) }
    const stream = new ReplayedStream('data: [DONE]\n\n', chatDialect, context, accounting)
    stream.start()
    expect(settled).toEqual(['client_disconnected'])
    await stream.return()
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })
})
