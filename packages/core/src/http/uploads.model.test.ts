import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GatewayError } from '../errors/errors.ts'
import { type Upload, Uploads } from './uploads.ts'

const limits = { maxUploads: 2, maxUploadBytes: 100, maxTotalUploadBytes: 150 }

/** A body as a test knows it: nothing of it is looked up in what is tested. */
interface Known {
  readonly key: string
  bytes: number
  counted: boolean
  ended: boolean
}

type Step =
  | { readonly do: 'start'; readonly key: string; readonly bytes: number }
  | { readonly do: 'reserve'; readonly nth: number; readonly bytes: number }
  | { readonly do: 'count' | 'end'; readonly nth: number }

const key = fc.constantFrom(' ann', ' bob', 'jwt ann')
const bytes = fc.oneof(fc.nat(120), fc.constantFrom(0, Number.NaN, -1))
const nth = fc.nat(30)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('start' as const), key, bytes }),
  fc.record({ do: fc.constant('reserve' as const), nth, bytes: fc.nat(120) }),
  fc.record({ do: fc.constantFrom('count' as const, 'end' as const), nth }),
)

describe('Uploads', () => {
  it('counts as a model does, whatever begins, grows and ends in whatever order, and ends empty', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), steps => {
        const uploads = new Uploads()
        const real: Upload[] = []
        const known: Known[] = []
        const live = (of?: string) => known.filter(it => !it.ended && (of === undefined || it.key === of))
        const sum = (of?: string) => live(of).reduce((total, it) => total + it.bytes, 0)
        /** What is expected of more bytes. */
        const verdict = (of: string, more: number) => {
          if (more <= 0) return 'taken'
          if (sum(of) + more > limits.maxUploadBytes) return 429
          return sum() + more > limits.maxTotalUploadBytes ? 503 : 'taken'
        }
        for (const it of steps) {
          if (it.do === 'start') {
            const announced = Number.isNaN(it.bytes) ? 0 : Math.max(0, it.bytes)
            const expected = verdict(it.key, announced)
            const got = outcome(() => real.push(uploads.start(it.key, it.bytes, limits, () => 0)))
            expect(got).toBe(expected)
            if (got === 'taken') known.push({ key: it.key, bytes: announced, counted: false, ended: false })
          } else if (known.length > 0) {
            const which = it.nth % known.length
            const mine = known[which]!
            const upload = real[which]!
            if (it.do === 'reserve') {
              const expected = mine.ended ? 'taken' : verdict(mine.key, it.bytes - mine.bytes)
              expect(outcome(() => upload.reserve(it.bytes))).toBe(expected)
              if (expected === 'taken' && !mine.ended) mine.bytes = Math.max(mine.bytes, it.bytes)
            } else if (it.do === 'count') {
              const counted = live(mine.key).filter(other => other.counted).length
              const full = !mine.ended && !mine.counted && counted >= limits.maxUploads
              expect(outcome(() => upload.count())).toBe(full ? 429 : 'taken')
              if (!full) mine.counted = true
            } else {
              upload.end()
              mine.ended = true
            }
          }
          expect(uploads.bytes).toBe(sum())
          expect(uploads.senders).toBe(new Set(live().map(other => other.key)).size)
        }
        // Whoever was refused has ended what it began.
        for (const upload of real) upload.end()
        for (const upload of real) upload.end()
        expect([uploads.bytes, uploads.senders]).toEqual([0, 0])
      }),
      { numRuns: 500 },
    )
  })

  it('names what was sent, what may be, and when to retry', () => {
    const uploads = new Uploads()
    const start = (of: string, length: number) => uploads.start(of, length, limits, () => 0.5)
    start(' ann', 60)
    expect(() => start(' ann', 41)).toThrow(
      'You are sending 101 bytes of request bodies at once, expected at most 100. Please try again when others have arrived.',
    )
    start(' bob', 60)
    const refused = thrown(() => start(' cid', 31))
    expect(refused).toMatchObject({
      status: 503,
      code: 'server_is_overloaded',
      headers: { 'retry-after': '3', 'retry-after-ms': '3000' },
      cause:
        'got 151 bytes of request bodies at once, expected at most 150 (requestLimits.maxTotalUploadBytes)',
    })
    // It is no business of one caller how much others send.
    expect(refused?.message).not.toMatch(/\d/)
    const [first, second, third] = [0, 0, 0].map(() => start(' dan', 0))
    first?.count()
    second?.count()
    expect(thrown(() => third?.count())).toMatchObject({
      status: 429,
      type: 'requests',
      code: 'too_many_uploads',
      message: expect.stringContaining('3 request bodies at once, expected at most 2'),
      headers: { 'retry-after': '3', 'retry-after-ms': '3000' },
      retryable: true,
    })
  })
})

function outcome(run: () => unknown): 'taken' | number {
  return thrown(run)?.status ?? 'taken'
}

function thrown(run: () => unknown): GatewayError | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
}
