import { duplexPair } from 'node:stream'
import {
  cacheStoreConformance,
  limitStoreConformance,
  responseStoreConformance,
} from '@sluice/testing/conformance'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Channel } from './channel.ts'
import { remoteStores } from './remote-stores.ts'
import { StoreHost, StoreSession } from './store-host.ts'

/** A primary with so many workers, in one process. */
function connected(workers = 1) {
  const host = new StoreHost(workers)
  return Array.from({ length: workers }, () => {
    const [one, other] = duplexPair()
    const session = new StoreSession(host)
    const primary = new Channel(other, (name, args) => session.handle(name, args))
    const channel = new Channel(one, () => undefined)
    onTestFinished(() => {
      channel.close()
      primary.close()
    })
    return {
      stores: remoteStores({ limits: channel, cache: channel, responses: channel }, workers),
      session,
      channel,
      primary,
    }
  })
}

/** The first store of its kind. Sizes that are not set are those of the store. */
function named(sizes: Readonly<Record<string, number | undefined>>) {
  const set = Object.entries(sizes).filter((size): size is [string, number] => size[1] !== undefined)
  return { ordinal: 0, sizes: Object.fromEntries(set) }
}

const tick = () => new Promise(resolve => setTimeout(resolve, 20))

describe('remoteStores', () => {
  for (const { name, clocked, run } of limitStoreConformance) {
    if (!clocked) it(`limits: ${name}`, () => run(() => connected()[0]!.stores.limits(named({}))))
  }
  for (const { name, run } of cacheStoreConformance) {
    it(`cache: ${name}`, () =>
      run(async ({ maxEntriesPerOwner }) => connected()[0]!.stores.cache(named({ maxEntriesPerOwner }))))
  }
  for (const { name, run } of responseStoreConformance) {
    it(`responses: ${name}`, () =>
      run(async ({ ttlMs, maxResponses }) =>
        connected()[0]!.stores.responses(named({ ttlMs, maxResponses })),
      ))
  }

  it('is one store for the same place and sizes, and another for others', async () => {
    const [one, other] = connected(2)
    const key = { owner: 'o', name: 'n' }
    await one!.stores.cache(named({ maxEntries: 10, maxBytes: 100 })).set(key, 'text', { ttlMs: 60_000 })
    const read = (sizes: Record<string, number>, ordinal = 0) =>
      other!.stores.cache({ ordinal, sizes }).get(key)
    expect(await read({ maxBytes: 100, maxEntries: 10 })).toBe('text')
    expect(await read({ maxEntries: 11 })).toBeUndefined()
    expect(await read({ maxBytes: 100, maxEntries: 10 }, 1)).toBeUndefined()
  })

  it('releases claims and slots of a worker that ended, and leaves those of others', async () => {
    const [one, other] = connected(2)
    const claim = (id: string) => ({
      id: id.padStart(32, '0'),
      ttlMs: 60_000,
      counters: [{ kind: 'lease', key: 'k', limit: 2, dryRun: false } as const],
    })
    const admit = async (worker: typeof one, id: string) =>
      (await worker!.stores.limits(named({})).admit(claim(id))).allowed
    expect([await admit(one, '1'), await admit(other, '2'), await admit(other, '3')]).toEqual([
      true,
      true,
      false,
    ])
    let taken = 0
    const wait = (worker: typeof one, digest: string) =>
      worker!.stores.slots('vendor', 1).wait({ digest }, () => void taken++)
    wait(one, 'a')
    await tick()
    wait(other, 'b')
    await tick()
    expect(taken).toBe(1)
    one!.session.end()
    await tick()
    expect([await admit(other, '4'), await admit(other, '5'), taken]).toEqual([true, false, 2])
  })

  it('counts any number of counters, and one whose limit changes', async () => {
    const [worker] = connected()
    const store = worker!.stores.limits(named({}))
    let ids = 0
    const take = async (key: string, limit: number) => {
      const counter = { kind: 'rate', key, limit, windowMs: 3_600_000, amount: 1, dryRun: false } as const
      const id = String(ids++).padStart(32, '0')
      const { allowed, counters } = await store.admit({ id, ttlMs: 1_000, counters: [counter] })
      return allowed && counters[0]!.remaining
    }
    for (let round = 1; round <= 2; round++) {
      const results = await Promise.all(Array.from({ length: 12_000 }, (_, key) => take(`k${key}`, 5)))
      expect(new Set(results)).toEqual(new Set([5 - round]))
    }
    // Two of five are 24 minutes of the hour, one of three is 20, and one of ten is 6.
    expect([await take('k1', 3), await take('k1', 3), await take('k1', 10)]).toEqual([0, false, 1])
  })

  it('leaves the queue for a slot, and releases one once', async () => {
    const [worker] = connected()
    const slots = worker!.stores.slots('vendor', 1)
    const taken: string[] = []
    const releases: (() => void)[] = []
    const wait = (digest: string) =>
      slots.wait({ digest }, release => {
        taken.push(digest)
        releases.push(release)
      })
    wait('a')
    await tick()
    const leave = wait('b')
    wait('c')
    wait('d')
    leave()
    await tick()
    releases[0]!()
    releases[0]!()
    await tick()
    expect(taken).toEqual(['a', 'c'])
  })

  it('takes a share of the slots when the primary is gone', async () => {
    const [worker] = connected(2)
    const slots = worker!.stores.slots('vendor', 4)
    worker!.primary.close()
    let taken = 0
    for (let count = 0; count < 5; count++) slots.wait({ digest: 'a' }, () => void taken++)
    await tick()
    expect(taken).toBe(2)
  })

  it('takes a share of the slots while the primary does not respond', async () => {
    const [one] = duplexPair()
    const channel = new Channel(one, () => undefined)
    onTestFinished(() => channel.close())
    const slots = remoteStores({ limits: channel, cache: channel, responses: channel }, 2).slots('vendor', 2)
    const taken = new Promise<void>(resolve => slots.wait({ digest: 'a' }, () => resolve()))
    await taken
  })

  it('answers what is short while texts of the cache and of stored responses are on their way', async () => {
    const [worker] = connected()
    const unanswered = () => {
      const [one] = duplexPair()
      const channel = new Channel(one, () => undefined)
      onTestFinished(() => channel.close())
      return channel
    }
    const channels = { limits: worker!.channel, cache: unanswered(), responses: unanswered() }
    const stores = remoteStores(channels, 1)
    const texts = [
      stores.cache(named({})).get({ owner: 'owner', name: 'a' }),
      stores.responses(named({})).get('owner', 'resp_1'),
    ].map(text => Promise.resolve(text).then(String, String))
    expect(await Promise.race([...texts, tick()])).toBeUndefined()
    const claim = { id: 'a', ttlMs: 1_000, counters: [] }
    expect(await stores.limits(named({})).admit(claim)).toMatchObject({ allowed: true })
    expect(await stores.health.read([])).toEqual([])
    expect(await new Promise(resolve => stores.slots('vendor', 1).wait({ digest: 'a' }, resolve))).toBeTypeOf(
      'function',
    )
    channels.cache.close()
    channels.responses.close()
    expect(await Promise.all(texts)).toEqual(new Array(2).fill('Error: The other process has ended.'))
  })

  it('fails calls when the other end is gone, or has no such function', async () => {
    const [worker] = connected()
    await expect(worker!.channel.call('no.such')).rejects.toThrow('The primary has no function no.such.')
    const pending = worker!.channel.call('slots.acquire', 1, 'vendor', 1, 'a')
    const waiting = worker!.channel.call('slots.acquire', 2, 'vendor', 1, 'a')
    expect(await pending).toBe(true)
    worker!.primary.close()
    await expect(waiting).rejects.toThrow('The other process has ended.')
    await expect(worker!.channel.call('ping')).rejects.toThrow('The other process has ended.')
  })

  it('reads messages in whatever pieces they arrive', async () => {
    const [one, other] = duplexPair()
    const received: unknown[] = []
    const channel = new Channel(one, (name, args) => void received.push([name, ...args]))
    onTestFinished(() => channel.close())
    const bytes = Buffer.from(
      `${JSON.stringify([[0, 'a', 'é\n"😀']])}\n${JSON.stringify([
        [0, 'b'],
        [0, 'c'],
      ])}\n`,
    )
    for (const byte of bytes) other.write(Buffer.from([byte]))
    await tick()
    expect(received).toEqual([['a', 'é\n"😀'], ['b'], ['c']])
  })
})
