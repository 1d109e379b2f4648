import { describe, expect, it } from 'vitest'
import type { AttemptRow, RequestDetail } from '../../../../packages/console/src/api.ts'
import { waterfallRows } from '../../../../packages/console/ui/requests/waterfall-rows.ts'

const attempt = (changes: Partial<AttemptRow>): AttemptRow => ({
  provider: 'north',
  model: 'm',
  why: 'first',
  called: true,
  startMs: 0,
  ms: 10,
  waitedMs: 0,
  status: undefined,
  error: undefined,
  ...changes,
})

const request = (changes: Partial<RequestDetail>): RequestDetail => ({
  id: 'req_1',
  at: 0,
  operation: 'generate',
  dialect: 'chat',
  model: 'm',
  key: 'ann',
  source: undefined,
  team: undefined,
  user: undefined,
  stream: true,
  outcome: 'completed',
  status: 200,
  provider: 'north',
  firstByteMs: 32,
  totalMs: 100,
  promptTokens: 1,
  completionTokens: 1,
  cost: null,
  error: undefined,
  queueMs: 0,
  overheadMs: 1,
  attempts: [],
  candidates: [],
  cache: undefined,
  replayed: false,
  estimated: false,
  hooks: [],
  adjustments: [],
  wouldHaveRefused: [],
  discarded: [],
  leftOut: 0,
  ...changes,
})

describe('waterfallRows', () => {
  it('shows a failure, and the answer from its first content to the end', () => {
    const attempts = [
      attempt({ provider: 'south', status: 503, error: 'refused' }),
      attempt({ why: 'fallback', startMs: 20 }),
    ]
    expect(waterfallRows(request({ attempts }), 100)).toMatchObject([
      {
        name: 'south / m',
        note: 'first',
        look: 'bad',
        startMs: 0,
        endMs: 10,
        result: 'the provider returned 503',
      },
      { name: 'north / m', note: 'fallback', look: 'good', startMs: 20, contentMs: 30, endMs: 100 },
    ])
  })

  it('begins with the wait for room, where there was one', () => {
    const rows = waterfallRows(request({ queueMs: 15, attempts: [attempt({ startMs: 15 })] }), 100)
    expect(rows.map(({ name, endMs }) => [name, endMs])).toEqual([
      ['Queue', 15],
      ['north / m', 100],
    ])
  })

  it('calls it no failure that the other one of a hedge was sooner, and shows no call twice', () => {
    const lost = attempt({ provider: 'east', ms: 30, error: 'answered_elsewhere' })
    const shadow = attempt({ provider: 'west', why: 'shadow', startMs: 1 })
    const unused = [lost, shadow].map(row => ({
      ...row,
      promptTokens: undefined,
      completionTokens: undefined,
      cost: null,
    }))
    const rows = waterfallRows(
      request({ attempts: [lost, attempt({ why: 'hedge', startMs: 20 })], discarded: unused }),
      100,
    )
    expect(rows.map(({ name, look }) => [name, look])).toEqual([
      ['east / m', 'discarded'],
      ['west / m', 'discarded'],
      ['north / m', 'good'],
    ])
  })

  it('tells a place that was not asked from one that failed', () => {
    const [row] = waterfallRows(request({ attempts: [attempt({ called: false, error: 'overloaded' })] }), 100)
    expect(row?.result).toBe('not called: overloaded')
  })
})
