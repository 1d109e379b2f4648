import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GatewayError } from '../errors/errors.ts'
import { apiKeys } from './api-keys.ts'
import { hashApiKey } from './key-digest.ts'

const ttl = 5_000
const stale = 20_000
const names = ['ann', 'bob', 'cat'] as const
type Name = (typeof names)[number]

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('ask' as const), name: fc.constantFrom(...names) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(9_000) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(40_000) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('fail' as const), on: fc.boolean() }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('turn' as const), name: fc.constantFrom(...names) }),
    },
  ),
  { maxLength: 60 },
)

describe('a remembered store, whatever happens to it', () => {
  it('keeps its promises', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async script => {
        let now = 1_000_000
        let fails = false
        let asked = 0
        const good = new Set<Name>(names)
        /** Since when each key has been as it is, and when the store last said what of it. */
        const turnedAt = new Map<Name, number>()
        const said = new Map<Name, { readonly good: boolean; readonly at: number }>()
        const states: string[] = []
        const nameOf = new Map(names.map(name => [hashApiKey(name), name]))
        const pass = apiKeys(
          async digest => {
            asked++
            if (fails) throw new Error('down')
            const name = nameOf.get(digest) ?? 'ann'
            said.set(name, { good: good.has(name), at: now })
            return good.has(name) ? { id: name } : undefined
          },
          {
            now: () => now,
            staleMs: stale,
            observe: event => event.type === 'store' && void states.push(event.state),
          },
        )
        const ask = async (name: Name) => {
          const before = asked
          const request = new Request('http://a/', { headers: { authorization: `Bearer ${name}` } })
          const answer = await Promise.resolve(pass(request, undefined)).then(
            principal => (principal === undefined ? 401 : 200),
            error => (GatewayError.is(error) ? error.status : 500),
          )
          const age = now - (said.get(name)?.at ?? Number.NEGATIVE_INFINITY)
          // One question at most; none where the last answer is fresh.
          expect(asked - before).toBeLessThanOrEqual(1)
          if (answer === 200) {
            // Never for longer than was said after the store last knew it.
            expect(said.get(name)?.good).toBe(true)
            expect(age).toBeLessThan(ttl + stale)
            if (!good.has(name) && !fails && !states.at(-1)?.startsWith('failing')) {
              expect(now - (turnedAt.get(name) ?? 0)).toBeLessThan(ttl)
            }
          }
          // A wrong key only by the word of the store; a good one by its fresh word only.
          if (answer === 401) expect([said.get(name)?.good, age < ttl]).toEqual([false, true])
          if (answer === 503) expect(fails || states.at(-1) === 'failing').toBe(true)
          expect(answer).not.toBe(500)
        }
        for (const step of script) {
          if (step.do === 'wait') now += step.ms
          else if (step.do === 'fail') fails = step.on
          else if (step.do === 'ask') await ask(step.name)
          else {
            if (!good.delete(step.name)) good.add(step.name)
            turnedAt.set(step.name, now)
          }
        }
        // Told once for each change, and the first one is that it fails.
        for (const [index, state] of states.entries()) {
          expect(state).toBe(index % 2 === 0 ? 'failing' : 'working')
        }
        // Whatever happened, it recovers.
        fails = false
        now += ttl + stale
        for (const name of names) {
          await ask(name)
          now += 250
        }
        const last = await Promise.resolve(
          pass(new Request('http://a/', { headers: { authorization: 'Bearer bob' } }), undefined),
        )
        expect(last?.id).toBe(good.has('bob') ? 'bob' : undefined)
      }),
      { numRuns: 150 },
    )
  })
})
