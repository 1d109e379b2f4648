import { describe, expect, it, vi } from 'vitest'
import { PacedText, type TextSource } from './paced-text.ts'

const clock = () => performance.now()

function sourceOf(pieces: (string | Promise<string | undefined>)[]): TextSource & { left: number } {
  return {
    left: 0,
    next: async () => pieces.shift(),
    leave() {
      this.left++
    },
  }
}

async function collect(text: PacedText): Promise<string[]> {
  const all: string[] = []
  for await (const piece of text) all.push(piece)
  return all
}

describe('PacedText', () => {
  it('hands on the pieces, then ends', async () => {
    expect(await collect(new PacedText(sourceOf(['a', 'b']), ':', 1_000, clock))).toEqual(['a', 'b'])
  })

  it('sends comments while nothing comes, and loses no piece', async () => {
    let resolve: ((text: string) => void) | undefined
    const slow = new Promise<string>(done => {
      resolve = done
    })
    const text = new PacedText(sourceOf(['a', slow, 'b']), ':', 5, clock)
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
    const text = new PacedText(source, ':', 1_000, clock)
    for await (const piece of text) {
      expect(piece).toBe('a')
      break
    }
    expect(source.left).toBe(1)
    expect(await text.next()).toEqual({ done: true, value: undefined })
  })

  it('keeps no timer for a reader who does not come back, and one for a reader who does', async () => {
    vi.useFakeTimers()
    try {
      const text = new PacedText(sourceOf(['a', new Promise(() => {})]), ':', 1_000, clock)
      expect(await text.next()).toEqual({ done: false, value: 'a' })
      await vi.advanceTimersByTimeAsync(1_000)
      expect(vi.getTimerCount()).toBe(0)
      const next = text.next()
      await vi.advanceTimersByTimeAsync(1_000)
      expect(await next).toEqual({ done: false, value: ':' })
    } finally {
      vi.useRealTimers()
    }
  })
})
