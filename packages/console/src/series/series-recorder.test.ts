import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Series } from '../api.ts'
import { endOf, usageOf } from '../recent/fake-events.ts'
import { createSeriesRecorder } from './series-recorder.ts'

const minute = 60_000
const start = 29_000_000 * minute

function setUp(minutes = 10) {
  const clock = { now: start }
  return { clock, book: createSeriesRecorder(minutes, 'team', () => clock.now) }
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
const lineNamed = ({ lines }: Series, name: string) => lines.find(line => line.name === name)!

describe('seriesBook', () => {
  it('has a point for each minute, the one that runs last', () => {
    const { book, clock } = setUp()
    book.add(endOf('a'))
    clock.now += 2 * minute + 59_999
    book.add(endOf('b'))
    const { at, lines } = book.series('all', 4)
    expect(at).toEqual([start - minute, start, start + minute, start + 2 * minute])
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({
      kind: 'all',
      requests: [0, 1, 0, 1],
      promptTokens: [0, 3, 0, 3],
      completionTokens: [0, 2, 0, 2],
      cost: [0, 0.5, 0, 0.5],
    })
    expect(lines[0]?.p50Ms[0]).toBeNull()
    expect(lines[0]!.p50Ms[1]! / 40).toBeCloseTo(1, 1)
    expect(lines[0]!.firstByteP50Ms[1]! / 20).toBeCloseTo(1, 1)
  })

  it('keeps callers with one id apart where others vouch for them', () => {
    const { book } = setUp()
    book.add(endOf('a', { principal: { id: 'console', source: 'console' } }))
    for (let left = 2; left > 0; left--) book.add(endOf('b', { principal: { id: 'console' } }))
    expect(book.series('key', 1).lines).toMatchObject([
      { name: 'console', kind: 'name', requests: [2] },
      { name: 'console', source: 'console', kind: 'name', requests: [1] },
    ])
    expect(book.series('key', 1).lines[0]).not.toHaveProperty('source')
  })

  it('tells errors from callers who left, and what has no price from what is free', () => {
    const { book } = setUp()
    for (const outcome of ['completed', 'refused', 'upstream_failed', 'client_disconnected'] as const)
      book.add(endOf('a', { outcome, cost: outcome === 'completed' ? 0 : null }))
    book.add(endOf('b', { outcome: 'refused', usage: undefined, cost: null }))
    expect(book.series('all', 1).lines[0]).toMatchObject({
      requests: [5],
      errors: [3],
      unpriced: [3],
      cost: [0],
    })
  })

  it('keeps names of callers apart from its own words for the rest', () => {
    const { book } = setUp()
    book.add(endOf('a', { principal: { id: 'other' } }))
    book.add(endOf('b', { principal: { id: 'none' } }))
    book.add(endOf('c', { principal: { id: '__proto__' } }))
    book.add(endOf('d', { principal: undefined }))
    expect(book.series('key', 1).lines.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      'name __proto__',
      'name none',
      'name other',
      'none none',
    ])
    expect(book.series('team', 1).lines.map(({ kind }) => kind)).toEqual(['none'])
  })

  it('goes on where the clock is put back, and forgets what would lie ahead', () => {
    const { book, clock } = setUp(3)
    book.add(endOf('a'))
    clock.now -= 5 * minute
    book.add(endOf('b'))
    clock.now += 5 * minute
    expect(sum(book.series('all', 3).lines[0]!.requests)).toBe(0)
  })

  it('tells every request once, in each of the ways, with at most 12 names', () => {
    const event = fc.record({
      after: fc.integer({ min: 0, max: 90_000 }),
      model: fc.integer({ min: 0, max: 60 }),
      tokens: fc.integer({ min: 0, max: 1_000 }),
    })
    fc.assert(
      fc.property(fc.array(event, { maxLength: 120 }), events => {
        const { book, clock } = setUp(20)
        const kept: { minute: number; tokens: number }[] = []
        for (const { after, model, tokens } of events) {
          clock.now += after
          kept.push({ minute: Math.floor(clock.now / minute), tokens })
          const usage = usageOf(tokens, 0)
          book.add(endOf('a', { model: model === 0 ? undefined : `m${model}`, usage }))
        }
        const first = Math.floor(clock.now / minute) - 19
        const shown = kept.filter(each => each.minute >= first)
        for (const by of ['all', 'model', 'key'] as const) {
          const { lines } = book.series(by, 20)
          expect(lines.filter(({ kind }) => kind === 'name').length).toBeLessThanOrEqual(12)
          expect(lines.length).toBeLessThanOrEqual(14)
          expect(sum(lines.map(({ requests }) => sum(requests)))).toBe(shown.length)
          expect(sum(lines.map(({ promptTokens }) => sum(promptTokens)))).toBe(
            sum(shown.map(({ tokens }) => tokens)),
          )
        }
      }),
      { numRuns: 60 },
    )
  })

  it('gives the names with the most requests lines of their own', () => {
    const { book } = setUp()
    for (let name = 0; name < 15; name++) {
      for (let count = 0; count <= name; count++) book.add(endOf('a', { model: `m${name}` }))
    }
    const series = book.series('model', 1)
    expect(series.lines[0]).toMatchObject({ name: 'm14', requests: [15] })
    expect(series.lines).toHaveLength(13)
    expect(lineNamed(series, 'other')).toMatchObject({ kind: 'other', requests: [1 + 2 + 3] })
  })

  it('keeps 16 names of one minute, in the order in which they come', () => {
    const { book } = setUp()
    for (let name = 0; name < 1_000; name++) book.add(endOf('a', { principal: { id: `k${name}` } }))
    expect(lineNamed(book.series('key', 1), 'other').requests).toEqual([1_000 - 12])
    for (let count = 0; count < 9; count++) book.add(endOf('a', { principal: { id: 'k999' } }))
    expect(lineNamed(book.series('key', 1), 'k999')).toBeUndefined()
  })
})
