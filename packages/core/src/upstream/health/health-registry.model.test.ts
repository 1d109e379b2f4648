import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failure, scriptedBook } from '../../../test/support/scripted-book.ts'
import type { HealthCall } from '../../contracts/target-health.ts'

const endings = [
  undefined,
  failure(500),
  failure(503),
  failure(429, 3_000),
  failure(401),
  failure(400),
  new Error(),
]

type Step =
  | { readonly kind: 'begin' | 'repeat' | 'view' }
  | { readonly kind: 'answer'; readonly which: number }
  | { readonly kind: 'end'; readonly which: number; readonly how: number }
  | { readonly kind: 'wait'; readonly ms: number }

const kinds = fc.constantFrom<'begin' | 'repeat' | 'view'>('begin', 'repeat', 'view')
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: kinds }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant<'answer'>('answer'), which: fc.nat() }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant<'end'>('end'),
      which: fc.nat(),
      how: fc.nat(endings.length - 1),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant<'wait'>('wait'), ms: fc.nat(40_000) }) },
)

describe('a record of a HealthRegistry', () => {
  it('tells each change once, blocks as it says, and loses no call, whatever happens', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150 }), steps => {
        const { book, told } = scriptedBook()
        const record = book.of({ provider: { name: 'north' }, model: 'm' })
        const running: HealthCall[] = []
        let now = 0
        let cooldownUntil = 0
        let probes = 0
        for (const taken of steps) {
          if (taken.kind === 'wait') now += taken.ms
          else if (taken.kind === 'repeat') record.acquireRetry(now)?.()
          else if (taken.kind === 'begin') {
            const { state, waitMs, reason } = record.view(now)
            const call = record.begin(now)
            if ('state' in call) {
              expect(call).toEqual({ state, waitMs, reason })
              expect(waitMs).toBeGreaterThan(0)
            } else {
              expect(waitMs).toBe(0)
              running.push(call)
              probes += state === 'half_open' ? 1 : 0
            }
          } else if ('which' in taken && running.length > 0) {
            const at = taken.which % running.length
            const call = running[at]!
            if (taken.kind === 'answer') call.answered(now)
            else {
              const error = endings[taken.how]
              running.splice(at, 1)
              call.ended(error, now)
              call.ended(failure(500), now)
              if (taken.how === 3) cooldownUntil = Math.max(cooldownUntil, now + 3_000)
              if (taken.how === 4) cooldownUntil = Math.max(cooldownUntil, now + 60_000)
            }
          }
          const { state, waitMs, active } = record.view(now)
          expect(active).toBe(running.length)
          expect(waitMs).toBeGreaterThanOrEqual(Math.max(0, cooldownUntil - now))
          expect(state === 'cooldown').toBe(state !== 'open' && now < cooldownUntil)
          expect(told.at(-1)?.state ?? 'closed').toBe(state)
        }
        const states = ['closed', ...told.map(event => event.state)]
        for (let index = 1; index < states.length; index++) expect(states[index]).not.toBe(states[index - 1])
        if (!states.includes('half_open')) expect(probes).toBe(0)
      }),
      { numRuns: 300 },
    )
  })
})
