import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatDraft } from '../../test/support/chat-draft.ts'
import { compileRules, keyOf } from './compiled-rules.ts'
import { EndUsersByWindow } from './end-users.ts'
import { limits } from './limits.ts'
import { memoryLimitStore } from './memory-limit-store.ts'
import { budget, concurrent, requests } from './rule.ts'

const day = 86_400_000
const draft = (user?: string) => chatDraft({ body: { model: 'm', ...(user !== undefined && { user }) } })

function counting(rule = budget(1, 'usd').per('day').by('user'), max = 3) {
  const time = { now: 0 }
  const users = new EndUsersByWindow(max, () => time.now)
  const compiled = () => compileRules([rule], 'gateway', users)[0]!
  const key = (id: string, user?: string, source?: string) =>
    keyOf(compiled(), source === undefined ? { id } : { id, source }, draft(user), 'm')
  return { time, key }
}

describe('a rule by user', () => {
  it('counts the users of each principal apart, and requests without one together', () => {
    const { key } = counting()
    const keys = [key('ann', 'u'), key('bob', 'u'), key('ann', 'u', 'jwt'), key('ann', 'v'), key('ann')]
    expect(new Set(keys).size).toBe(5)
    expect([key('ann', 'u'), key('ann', '')]).toEqual([keys[0], keys[4]])
  })

  it('never has one counter for two principals, whatever they call their users', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('a:user=b', 'a', 'user/others', '=', 'x'.repeat(300)))
    fc.assert(
      fc.property(text, text, text, text, (id, user, otherId, otherUser) => {
        const { key } = counting(undefined, 1_000)
        if (id === otherId && user === otherUser) return
        if (id === otherId && [user, otherUser].every(each => each === '')) return
        expect(key(id, user)).not.toBe(key(otherId, otherUser))
      }),
    )
  })

  it('has a counter for a number of users of a principal, and one more for all others', () => {
    const { key } = counting()
    const first = ['a', 'b', 'c'].map(user => key('ann', user))
    const more = ['d', 'e', 'f'].map(user => key('ann', user))
    expect(new Set([...first, ...more]).size).toBe(4)
    expect(['a', 'b', 'c'].map(user => key('ann', user))).toEqual(first)
    // Nobody can take the counters of another principal, nor name the one of the others.
    expect(key('bob', 'd')).not.toBe(more[0])
    expect(key('bob', '/others')).not.toBe(key('ann', 'g'))
  })

  it('remembers a user for the window of its rule', () => {
    const { key, time } = counting()
    const first = ['a', 'b', 'c'].map(user => key('ann', user))
    time.now = day
    expect(key('ann', 'a')).toBe(first[0])
    const others = key('ann', 'd')
    expect(others).toContain('others')
    time.now = 2 * day
    expect([key('ann', 'd'), key('ann', 'e')]).not.toContain(others)
    expect(key('ann', 'f')).toBe(others)
    time.now = 9 * day
    expect(['x', 'y', 'z'].map(user => key('ann', user))).not.toContain(others)
  })

  it('never forgets one of a budget that is never renewed', () => {
    const { key, time } = counting(budget(1, 'usd').per('ever').by('user'), 1)
    const first = key('ann', 'a')
    time.now = 9_999 * day
    expect(key('ann', 'a')).toBe(first)
    expect(key('ann', 'b')).toContain('others')
  })

  it('has a bounded number of counters, in any order of names and times', () => {
    const step = fc.record({ user: fc.nat(50).map(String), ms: fc.nat(day) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), steps => {
        const { key, time } = counting(undefined, 5)
        const used = new Map<string, number>()
        for (const { user, ms } of steps) {
          time.now += ms
          used.set(key('ann', user)!, time.now)
          const inWindow = [...used].filter(([, at]) => at > time.now - day)
          expect(inWindow.length).toBeLessThanOrEqual(2 * 5 + 1)
        }
      }),
    )
  })

  it('combines with others, and the order does not matter', () => {
    const text = (rule: Parameters<typeof counting>[0]) => counting(rule).key('ann', 'u')
    expect(text(concurrent(1).by('user', 'model'))).toBe(text(concurrent(1).by('model', 'key', 'user')))
    expect(text(concurrent(1).by('user'))).not.toBe(text(concurrent(1).by('key')))
  })
})

describe('limits by user', () => {
  const context = { signal: new AbortController().signal, entry: 'm', requestId: 'r' } as never

  it('leave the limits of the principal in force, and the store with room for others', () => {
    const store = memoryLimitStore({ maxKeys: 50 })
    const rules = [requests(20).per('day'), requests(2).per('day').by('user')]
    const limiter = limits(rules, { store, maxUsers: 10 })
    const admit = (id: string, user?: string) => {
      try {
        limiter.admit({ id }, draft(user), context)
        return true
      } catch {
        return false
      }
    }
    const admitted = Array.from({ length: 500 }, (_, index) => admit('eve', `user-${index}`))
    // Ten users with a counter, and all others by two requests of theirs.
    expect(admitted.filter(Boolean)).toHaveLength(12)
    expect([admit('ann', 'u'), admit('ann', 'u'), admit('ann', 'u'), admit('ann', 'v')]).toEqual([
      true,
      true,
      false,
      true,
    ])
  })

  it('of a principal outlive the list that they came with', () => {
    const limiter = limits([], { maxUsers: 1 })
    const admit = (user: string) => {
      try {
        limiter.admit(
          { id: 'ann', limits: [{ kind: 'requests', limit: 1, per: 'day', scopes: ['user'] }] },
          draft(user),
          context,
        )
        return true
      } catch {
        return false
      }
    }
    expect(['a', 'b', 'c', 'd'].map(admit)).toEqual([true, true, false, false])
  })

  it.each([0, 1.5, 100_001, '9'])('refuse maxUsers: %s', maxUsers => {
    expect(() => limits([], { maxUsers: maxUsers as number })).toThrow('maxUsers: got')
  })
})
