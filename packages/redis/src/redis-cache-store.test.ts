import { describe, expect, it } from 'vitest'
import { redisCacheStore } from './redis-cache-store.ts'
import type { RedisClient } from './redis-client.ts'

const a = { owner: 'ann', name: 'a' }

describe('redisCacheStore', () => {
  it.each([
    ['nothing', undefined],
    ['text', 'redis://127.0.0.1'],
    ['an object', {}],
    ['a client that cannot evaluate', { get() {}, evalsha() {} }],
  ])('does not take %s for a client', (_, client) => {
    expect(() => redisCacheStore(client as unknown as RedisClient)).toThrow(TypeError)
    expect(() => redisCacheStore(client as unknown as RedisClient)).toThrow(
      /redisCacheStore\(client\): got .*expected a client/,
    )
  })

  it.each(['', '{', 'a}b', 'a b', 'é', 'x'.repeat(65), 7])('does not take %j for a prefix', prefix => {
    expect(() => redisCacheStore(answering(null), { prefix: prefix as string })).toThrow(
      /redisCacheStore\(\)\.prefix: got .*expected/,
    )
  })

  it.each([0, 1.5, Number.NaN, '5', 1_000_001])('does not take %j for a share', maxEntriesPerOwner => {
    expect(() =>
      redisCacheStore(answering(null), { maxEntriesPerOwner: maxEntriesPerOwner as number }),
    ).toThrow(/redisCacheStore\(\): got maxEntriesPerOwner .*expected/)
  })

  it('names keys so that a cluster spreads the owners, and has all of one owner on one node', async () => {
    const names: string[][] = []
    const client = {
      evalSha: async (_: string, given: { keys: string[] }) => {
        names.push(given.keys)
        return ['full']
      },
      eval: async () => null,
    }
    const store = redisCacheStore(client, { prefix: 'chat' })
    for (const owner of ['ann', 'ann', 'b}o{b', 'b\ud800', 'b\ud801']) {
      await store.add({ owner, name: 'b\ud800%' }, 'text', { ttlMs: 1_000 })
    }
    const tags = names.map(keys => keys.map(key => /^\{chat:answers:[0-9a-f]{32}\}/.exec(key)?.[0]))
    for (const keys of tags) expect(new Set(keys).size).toBe(1)
    expect(new Set(tags.flat()).size).toBe(4)
    expect(names[0]!.map(key => key.slice(key.indexOf('}') + 1))).toEqual([
      ':text:b%d800%25',
      ':evictable',
      ':pinned',
    ])
  })

  it.each([7, [], {}, true, new Uint8Array(1), undefined])('takes %j for no text', async reply => {
    const store = redisCacheStore(answering(reply))
    await expect(store.get(a)).rejects.toThrow(/Redis did not answer/)
  })

  it.each([null, 'added', 1, [], ['existing'], ['other']])('takes %j for no result of add', async reply => {
    const store = redisCacheStore(answering(reply))
    await expect(store.add(a, 'text', { ttlMs: 1 })).rejects.toThrow(/Redis did not answer/)
  })

  it.each(['OK', null, 2, -1, 0.5, true])('takes %j for no change', async reply => {
    const store = redisCacheStore(answering(reply))
    await expect(store.set(a, 'text', { ttlMs: 1 })).rejects.toThrow(/Redis did not answer/)
    await expect(store.replace(a, 'text', 'other', { ttlMs: 1 })).rejects.toThrow(/Redis did not answer/)
  })

  it('takes numbers as text, as some clients are told to give them', async () => {
    expect(await redisCacheStore(answering('1')).replace(a, 'text', undefined, { ttlMs: 1 })).toBe(true)
    expect(await redisCacheStore(answering('0')).replace(a, 'text', undefined, { ttlMs: 1 })).toBe(false)
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('takes %s for no time', async ttlMs => {
    const store = redisCacheStore(answering(1))
    await expect(store.set(a, 'text', { ttlMs })).rejects.toThrow(
      /ttlMs: got .*expected milliseconds above 0/,
    )
    await expect(store.add(a, 'text', { ttlMs })).rejects.toThrow(TypeError)
    await expect(store.replace(a, 'text', 'other', { ttlMs })).rejects.toThrow(TypeError)
  })

  it('passes errors on', async () => {
    const failure = new Error('READONLY You can not write against a read only replica.')
    const store = redisCacheStore({
      evalSha: () => Promise.reject(failure),
      eval: () => Promise.reject(new Error('not to be asked')),
    })
    await expect(store.get(a)).rejects.toBe(failure)
    await expect(store.set(a, 'text', { ttlMs: 1 })).rejects.toBe(failure)
    await expect(store.add(a, 'text', { ttlMs: 1 })).rejects.toBe(failure)
    await expect(store.replace(a, 'text', undefined, { ttlMs: 1 })).rejects.toBe(failure)
  })
})

function answering(reply: unknown): RedisClient {
  return { evalsha: async () => reply, eval: async () => reply }
}
