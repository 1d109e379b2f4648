import type { Claim, Counter } from '@sluice/core/store'
import { describe, expect, it } from 'vitest'
import type { RedisClient } from './redis-client.ts'
import { redisLimitStore } from './redis-limit-store.ts'

const rate: Counter = { kind: 'rate', key: 'a', limit: 10, windowMs: 1_000, dryRun: false, amount: 1 }
const lease: Counter = { kind: 'lease', key: 'b', limit: 2, dryRun: false }
const claim: Claim = { id: '0'.repeat(32), ttlMs: 1_000, counters: [rate] }

describe('redisLimitStore', () => {
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['text', 'redis://127.0.0.1'],
    ['an object', {}],
    ['a client that cannot evaluate', { get() {}, evalsha() {} }],
  ])('does not take %s for a client', (_, client) => {
    expect(() => redisLimitStore(client as unknown as RedisClient)).toThrow(TypeError)
    expect(() => redisLimitStore(client as unknown as RedisClient)).toThrow(/got .*expected a client/)
  })

  it.each(['', '{', 'a}b', 'a b', 'é', 'x'.repeat(65), 7])('does not take %j for a prefix', prefix => {
    expect(() => redisLimitStore(answering([]), { prefix: prefix as string })).toThrow(
      /prefix: got .*expected/,
    )
  })

  it.each([
    ['nothing', null],
    ['text', 'OK'],
    ['1', 1],
    ['no numbers', []],
    ['too few', [1, 0, 0, 0]],
    ['too many', [1, 0, 0, 0, 0, 0]],
    ['what is no number', [1, 0, 'many', 0, 0]],
    ['a fraction', [1, 0, 0.5, 0, 0]],
    ['NaN', [1, 0, Number.NaN, 0, 0]],
    ['no flag', [2, 0, 0, 0, 0]],
    ['no flag of a counter', [1, 3, 0, 0, 0]],
    ['less than nothing', [1, 0, -1, 0, 0]],
    ['an allowance although a counter is over', [1, 1, 0, 0, 5]],
    ['a refusal although no counter is over', [0, 0, 0, 0, 0]],
    ['true', [true, false, 0, 0, 0]],
  ])('takes %s for no verdict', async (_, reply) => {
    await expect(redisLimitStore(answering(reply)).admit(claim)).rejects.toThrow(/Redis did not answer/)
  })

  it('takes numbers as text, as some clients are told to give them', async () => {
    const verdict = await redisLimitStore(answering(['1', '0', '100000', '100000', '0'])).admit(claim)
    expect(verdict).toEqual({
      allowed: true,
      counters: [{ over: false, remaining: 9, resetMs: 100, waitMs: 0 }],
    })
  })

  it.each([['OK'], [null], [2], [-1], [0.5]])('takes %j for no settlement and no renewal', async reply => {
    const store = redisLimitStore(answering(reply))
    const held = { ...claim, counters: [lease] }
    await expect(store.settle({ ...held, charged: [0] })).rejects.toThrow(/Redis did not answer/)
    await expect(store.renew([held], 1_000)).rejects.toThrow(/Redis did not answer/)
  })

  it('sends the text of a script only to a server that does not know it', async () => {
    const sent: string[] = []
    const client = {
      evalsha: async () => {
        sent.push('digest')
        throw new Error('NOSCRIPT No matching script. Please use EVAL.')
      },
      eval: async () => {
        sent.push('text')
        return [1, 0, 0, 0, 0]
      },
    }
    await redisLimitStore(client).admit(claim)
    expect(sent).toEqual(['digest', 'text'])
  })

  it('passes other errors on', async () => {
    const failure = new Error('READONLY You can not write against a read only replica.')
    const client = {
      evalSha: () => Promise.reject(failure),
      eval: () => Promise.reject(new Error('not to be asked')),
    }
    const store = redisLimitStore(client)
    const held = { ...claim, counters: [lease] }
    await expect(store.admit(claim)).rejects.toBe(failure)
    await expect(store.settle({ ...held, charged: [0] })).rejects.toBe(failure)
    await expect(store.renew([held], 1_000)).rejects.toBe(failure)
  })

  it('asks nothing where nothing is held', async () => {
    const store = redisLimitStore(answering('not to be asked'))
    await store.settle({ ...claim, charged: [1] })
    await store.renew([claim], 1_000)
    await store.renew([], 1_000)
  })

  it('renews many claims by a few scripts', async () => {
    const keys: number[] = []
    const client = {
      evalsha: async (_: string, count: number) => {
        keys.push(count)
        return 1
      },
      eval: async () => 1,
    }
    await redisLimitStore(client).renew(
      Array.from({ length: 250 }, () => ({ ...claim, counters: [lease, rate] })),
      1_000,
    )
    expect(keys).toEqual([200, 200, 100])
  })

  it('keeps all keys of a claim in one slot, whatever they are called', async () => {
    const names: string[] = []
    const client = {
      evalSha: async (_: string, given: { keys: string[] }) => {
        names.push(...given.keys)
        return [1, 0, 0, 0, 0, 0, 0, 0, 0]
      },
      eval: async () => null,
    }
    await redisLimitStore(client, { prefix: 'chat' }).admit({
      ...claim,
      counters: [
        { ...rate, key: '}{x}' },
        { ...lease, key: '\ud800%' },
      ],
    })
    expect(names).toEqual([
      `{chat}:claim:${claim.id}`,
      '{chat}:rate:}{x}',
      '{chat}:rate-held:}{x}',
      '{chat}:lease:%d800%25',
      '{chat}:lease-held:%d800%25',
    ])
  })

  it.each([
    ['limit', { limit: 0 }],
    ['limit', { limit: Number.NaN }],
    ['amount', { amount: -1 }],
    ['amount', { amount: 0.5 }],
    ['windowMs', { windowMs: 0 }],
    ['floor', { floor: 2 }],
    ['floor', { floor: Number.NaN }],
  ])('throws at once for a %s that makes no sense: %o', (what, wrong) => {
    const store = redisLimitStore(answering([]))
    expect(() => store.admit({ ...claim, counters: [{ ...rate, ...wrong }] })).toThrow(TypeError)
    expect(() => store.admit({ ...claim, counters: [{ ...rate, ...wrong }] })).toThrow(new RegExp(what))
  })

  it('throws at once for a time and for charges that make no sense', () => {
    const store = redisLimitStore(answering([]))
    const held = { ...claim, counters: [{ ...rate, floor: 0 }] }
    expect(() => store.admit({ ...claim, ttlMs: Number.NaN })).toThrow(/ttlMs/)
    expect(() => store.renew([held], 0)).toThrow(/ttlMs/)
    expect(() => store.settle({ ...held, charged: [] })).toThrow(/got 0 charges, expected 1/)
    expect(() => store.settle({ ...held, charged: [Number.NaN] })).toThrow(/charge/)
  })
})

function answering(reply: unknown): RedisClient {
  return { evalsha: async () => reply, eval: async () => reply }
}
