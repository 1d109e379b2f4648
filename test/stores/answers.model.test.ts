import { randomUUID } from 'node:crypto'
import type { CacheStore } from '@sluice/core'
import { memoryCacheStore } from '@sluice/core/store'
import { redisCacheStore } from '@sluice/redis'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeWithRedis } from './servers/describe-with-redis.ts'
import { RedisServer } from './servers/redis-server.ts'

const share = 3
const minute = { ttlMs: 60_000 }

interface Step {
  readonly do: 'get' | 'set' | 'add' | 'replace' | 'remove'
  readonly owner: number
  readonly name: number
  readonly pinned: boolean
  /** Whether `replace` and `remove` name the text that is stored. */
  readonly right: boolean
}

const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom('get', 'set', 'add', 'add', 'replace', 'remove'),
  owner: fc.nat({ max: 1 }),
  name: fc.nat({ max: 6 }),
  pinned: fc.boolean(),
  right: fc.boolean(),
})

interface Known {
  readonly text: string
  readonly pinned: boolean
}

/** What is known of one owner's texts. Which of those that are not pinned make room is the store's choice. */
class OwnerModel {
  readonly texts = new Map<number, Known>()

  get pins(): number {
    return [...this.texts.values()].filter(({ pinned }) => pinned).length
  }

  hasRoomFor(name: number): boolean {
    return this.pins - (this.texts.get(name)?.pinned === true ? 1 : 0) < share
  }

  /** Forgets what the store has evicted. Only an owner that wrote while it had its share loses a text. */
  async follow(store: CacheStore, owner: string, wrote: number | undefined, was: number): Promise<void> {
    const lost: number[] = []
    for (const [name, { text, pinned }] of this.texts) {
      const stored = await store.get({ owner, name: `${name}` })
      if (stored === undefined) {
        expect([name, pinned]).not.toEqual([name, true])
        lost.push(name)
      } else expect(stored).toBe(text)
    }
    expect(lost.length).toBeLessThanOrEqual(wrote !== undefined && was >= share ? 1 : 0)
    for (const name of lost) {
      expect(name).not.toBe(wrote)
      this.texts.delete(name)
    }
    expect(this.texts.size).toBeLessThanOrEqual(share)
  }
}

async function hold(store: CacheStore, steps: readonly Step[]): Promise<void> {
  const owners = [0, 1].map(() => ({ id: `owner ${randomUUID()}`, model: new OwnerModel() }))
  for (const [index, { do: operation, owner: at, name, pinned, right }] of steps.entries()) {
    const { id, model } = owners[at]!
    const key = { owner: id, name: `${name}` }
    const known = model.texts.get(name)
    const was = model.texts.size - (known === undefined ? 0 : 1)
    const text = `text ${index}`
    const lifetime = { ...minute, pinned }
    let wrote: number | undefined
    const write = () => {
      wrote = name
      model.texts.delete(name)
      if (model.pins < share) model.texts.set(name, { text, pinned })
    }
    switch (operation) {
      case 'get':
        expect(await store.get(key)).toBe(known?.text)
        break
      case 'set':
        await store.set(key, text, lifetime)
        write()
        break
      case 'add': {
        const result = await store.add(key, text, lifetime)
        if (known !== undefined) expect(result).toEqual({ existing: known.text })
        else if (model.hasRoomFor(name)) {
          expect(result).toBe('added')
          write()
        } else expect(result).toBe('full')
        break
      }
      default: {
        const expected = right && known !== undefined ? known.text : 'another text'
        const replacement = operation === 'replace' ? text : undefined
        const replaced = await store.replace(key, expected, replacement, lifetime)
        expect(replaced).toBe(right && known !== undefined)
        if (replaced && replacement === undefined) model.texts.delete(name)
        else if (replaced) write()
      }
    }
    for (const each of owners) {
      await each.model.follow(store, each.id, each.model === model ? wrote : undefined, was)
    }
  }
}

describe('memoryCacheStore against a model', () => {
  it('never evicts what is pinned, nor the text of another owner', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), steps =>
        hold(memoryCacheStore({ maxEntriesPerOwner: share }), steps),
      ),
      { numRuns: 300 },
    )
  })
})

describeWithRedis('redisCacheStore against a model', () => {
  let server: RedisServer
  let client: Redis
  beforeAll(async () => {
    server = await RedisServer.start()
    client = new Redis(server.url)
  })
  afterAll(async () => {
    client.disconnect()
    await server.stop()
  })

  it('never evicts what is pinned, nor the text of another owner', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), steps =>
        hold(redisCacheStore(client, { maxEntriesPerOwner: share }), steps),
      ),
      { numRuns: 60 },
    )
  })
})
