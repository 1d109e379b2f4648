import { describe, expect, it } from 'vitest'
import { otherDraft } from '../../test/support/other-draft.ts'
import {
  a,
  b,
  c,
  chance,
  d,
  draftOf,
  idle,
  isLikely,
  place,
  modelsOf as said,
  watching,
} from '../../test/support/scripted-places.ts'
import { PeakAverage } from '../upstream/health/recent-values.ts'
import { fastest } from './fastest.ts'

const streamed = draftOf({ stream: true })
const modelsOf = (...[route, context]: Parameters<typeof said>) => said(route, context, streamed)

const healthy = (known: Readonly<Record<string, Partial<typeof idle>>>) =>
  watching({
    random: chance(4),
    health: ({ model }) => ({ ...idle, firstTokenMs: 100, ...known[model] }),
  }).context

describe('fastest', () => {
  it('gives the place first that is expected to begin soonest', () => {
    const context = healthy({ a: { firstTokenMs: 900 }, b: { firstTokenMs: 200 } })
    expect(modelsOf(fastest(a, b), context)).toEqual(['b', 'a'])
    expect(modelsOf(fastest(a, b), healthy({ a: { active: 2 }, b: { firstTokenMs: 250 } }))).toEqual([
      'b',
      'a',
    ])
  })

  it('goes by whole answers where none is streamed', () => {
    const context = healthy({
      a: { firstTokenMs: 10, responseMs: 900 },
      b: { firstTokenMs: 20, responseMs: 800 },
    })
    expect(modelsOf(fastest(a, b), context)).toEqual(['a', 'b'])
    expect(said(fastest(a, b), context)).toEqual(['b', 'a'])
    expect(said(fastest(a, b), context, draftOf({ stream: 'yes' }))).toEqual(['b', 'a'])
    expect(said(fastest(a, b), context, otherDraft())).toEqual(['b', 'a'])
    expect(said(fastest(a, b), context, otherDraft({ stream: true }))).toEqual(['a', 'b'])
  })

  it('tries one that was not measured first, by one request at a time', () => {
    expect(modelsOf(fastest(a, b), healthy({ b: { firstTokenMs: undefined } }))).toEqual(['b', 'a'])
    expect(modelsOf(fastest(b, a), healthy({ b: { firstTokenMs: undefined, active: 1 } }))).toEqual([
      'a',
      'b',
    ])
    const cold = { firstTokenMs: undefined }
    expect(
      modelsOf(fastest(a, b), healthy({ a: { ...cold, active: 2 }, b: { ...cold, active: 1 } })),
    ).toEqual(['b', 'a'])
  })

  it('puts those last that are not to be asked', () => {
    const open = { state: 'open', waitMs: 5 } as const
    expect(modelsOf(fastest(a, b, c), healthy({ a: open, b: { firstTokenMs: 9e9 } }))).toEqual([
      'c',
      'b',
      'a',
    ])
    expect(modelsOf(fastest([a, b], c), healthy({ a: open, b: { firstTokenMs: 50 } }))).toEqual([
      'a',
      'b',
      'c',
    ])
    expect(modelsOf(fastest(a, b), healthy({ a: { ...open, firstTokenMs: undefined } }))).toEqual(['b', 'a'])
  })

  it('takes the better of two that chance picks, and the others by what is expected of them', () => {
    const context = healthy({
      a: { firstTokenMs: 10 },
      b: { firstTokenMs: 20 },
      c: { firstTokenMs: 30 },
      d: { firstTokenMs: 40 },
    })
    const first: Record<string, number> = { a: 0, b: 0, c: 0, d: 0 }
    for (let at = 0; at < 12_000; at++) {
      const [head, ...rest] = modelsOf(fastest(a, b, c, d), context)
      first[head!]!++
      expect(rest).toEqual(['a', 'b', 'c', 'd'].filter(model => model !== head))
    }
    // Of six pairs the best is in three, the next best in two that it wins, and so on.
    expect(isLikely(first.a!, 12_000, 3 / 6)).toBe(true)
    expect(isLikely(first.b!, 12_000, 2 / 6)).toBe(true)
    expect(isLikely(first.c!, 12_000, 1 / 6)).toBe(true)
    expect(first.d).toBe(0)
  })

  it('sends most to the faster places, and finds out when a slow one is fast again', () => {
    const random = chance(5)
    const speeds: Record<string, number> = { a: 100, b: 300, c: 1_000, d: 100 }
    const measured = new Map(Object.keys(speeds).map(model => [model, new PeakAverage()]))
    const ends: { model: string; at: number }[] = []
    let now = 0
    const active = (model: string) => ends.filter(end => end.model === model).length
    const { context } = watching({
      random,
      health: ({ model }) => ({
        ...idle,
        active: active(model),
        firstTokenMs: measured.get(model)!.value(now),
      }),
    })
    const places = Object.keys(speeds).map(model => place(model))
    const route = fastest(...places)
    const run = (requests: number) => {
      const asked: Record<string, number> = { a: 0, b: 0, c: 0, d: 0 }
      for (let at = 0; at < requests; at++) {
        now += 20
        for (const end of ends.filter(each => each.at <= now)) {
          ends.splice(ends.indexOf(end), 1)
          measured.get(end.model)!.add(speeds[end.model]!, end.at)
        }
        const [model] = modelsOf(route, context)
        asked[model!]!++
        ends.push({ model: model!, at: now + speeds[model!]! * (0.8 + 0.4 * random()) })
      }
      return asked
    }
    const before = run(4_000)
    expect(before.a! + before.d!).toBeGreaterThan(2 * (before.b! + before.c!))
    expect(before.c!).toBeLessThan(before.b!)
    expect(before.c!).toBeGreaterThan(0)
    speeds.c = 20
    run(1_000)
    const after = run(4_000)
    expect(after.c!).toBeGreaterThan(after.b!)
    expect(after.c!).toBeGreaterThan(after.a!)
  })
})
