import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../test/support/manual-clock.ts'
import { systemClock } from '../clock/clock.ts'
import { KeepAliveStream, type TextSource } from './keep-alive-stream.ts'

function sourceOf(pieces: (string | Promise<string | undefined>)[]): TextSource & { left: number } {
  return {
    left: 0,
    next: async () => pieces.shift(),
    cancel() {
      this.left++
    },
  }
}

async function collect(text: KeepAliveStream): Promise<string[]> {
  const all: string[] = []
  for await (const piece of text) all.push(piece)
  return all
}

describe('KeepAliveStream', () => {
  it('hands on the pieces, then ends', async () => {
    expect(await collect(new KeepAliveStream(sourceOf(['a', 'b']), ':', 1_000, new ManualClock()))).toEqual([
      'a',
      'b',
    ])
  })

  it('sends comments while nothing comes, and loses no piece', async () => {
    let resolve: ((text: string) => void) | undefined
    const slow = new Promise<string>(done => {
      resolve = done
    })
    const text = new KeepAliveStream(sourceOf(['a', slow, 'b']), ':', 5, systemClock)
    const all: string[] = []
    for await (const piece of text) {
      all.push(piece)
      if (all.length === 4) resolve?.('slow')
    }
    expect(all.slice(0, 4)).toEqual(['a', ':', ':', ':'])
    expect(all.filter(piece => piece !== ':')).toEqual(['a', 'slow', 'b'])
  })

  it('tells the source when the reader leaves', async () => {
    const source = sourceOf(['a', 'b'])
    const text = new KeepAliveStream(source, ':', 1_000, new ManualClock())
    for await (const piece of text) {
      expect(piece).toBe('a')
      break
    }
    expect(source.left).toBe(1)
    expect(await text.next()).toEqual({ done: true, value: undefined })
  })

  it('keeps no timer for a reader who does not come back, and one for a reader who does', async () => {
    const time = new ManualClock()
    const text = new KeepAliveStream(sourceOf(['a', new Promise(() => {})]), ':', 1_000, time)
    expect(await text.next()).toEqual({ done: false, value: 'a' })
    await time.pass(1_000)
    expect(time.pending).toBe(0)
    const next = text.next()
    await time.pass(1_000)
    expect(await next).toEqual({ done: false, value: ':' })
  })
})
