import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ResponseStore, StoredResponse } from '@sluice/core/store'

/** The options of a response store in a test. */
export interface ResponseStoreSettings {
  /** How long a response is stored, in milliseconds. */
  readonly ttlMs: number
  /** Maximum number of responses: of each owner, or of all together. */
  readonly maxResponses: number
}

/** One test of `responseStoreConformance`. */
export interface ResponseStoreCase {
  readonly name: string
  /** Rejects if the store breaks the contract. `make` returns a store, which need not be empty, each time it is called. */
  run(make: (settings: ResponseStoreSettings) => Promise<ResponseStore>): Promise<void>
}

const long: ResponseStoreSettings = { ttlMs: 60_000, maxResponses: 1_000 }
const short: ResponseStoreSettings = { ttlMs: 1_000, maxResponses: 1_000 }
const small: ResponseStoreSettings = { ttlMs: 60_000, maxResponses: 10 }

/**
 * Tests a response store, in any test runner. Each case uses owners of its own, so that all can share a database. Some cases wait
 * until a response has expired.
 *
 * @example
 * for (const { name, run } of responseStoreConformance) it(name, () => run(async settings => myStore(settings)))
 */
export const responseStoreConformance: readonly ResponseStoreCase[] = [
  over('has nothing that was never stored', async (store, owner) => {
    assert.equal(await store.get(owner, 'resp_1'), undefined)
    assert.equal(await store.findItem(owner, 'msg_1'), undefined)
    assert.equal(await store.delete(owner, 'resp_1'), false)
  }),
  over('returns what was stored, by the response and by its items', async (store, owner) => {
    assert.equal(await store.put(responseOf(owner, 'resp_1', ['msg_1', 'fc_1'], 'one')), true)
    await store.put(responseOf(owner, 'resp_2', ['msg_2'], 'two'))
    for (let round = 0; round < 2; round++) {
      assert.equal(await store.get(owner, 'resp_1'), 'one')
      assert.equal(await store.findItem(owner, 'fc_1'), 'one')
      assert.equal(await store.findItem(owner, 'msg_2'), 'two')
    }
    assert.equal(await store.get(owner, 'msg_1'), undefined)
    assert.equal(await store.findItem(owner, 'resp_1'), undefined)
  }),
  over('has nothing of another owner, under any id', async (store, owner) => {
    const other = `${owner} 2`
    await store.put(responseOf(owner, 'resp_1', ['msg_1'], 'secret'))
    assert.equal(await store.get(other, 'resp_1'), undefined)
    assert.equal(await store.findItem(other, 'msg_1'), undefined)
    assert.equal(await store.delete(other, 'resp_1'), false)
    await store.put(responseOf(other, 'resp_1', ['msg_1'], 'own'))
    assert.equal(await store.get(owner, 'resp_1'), 'secret')
    assert.equal(await store.findItem(owner, 'msg_1'), 'secret')
    assert.equal(await store.findItem(other, 'msg_1'), 'own')
  }),
  over('replaces a response of one id', async (store, owner) => {
    await store.put(responseOf(owner, 'resp_1', ['msg_1'], 'one'))
    await store.put(responseOf(owner, 'resp_1', ['msg_1'], 'two'))
    assert.equal(await store.get(owner, 'resp_1'), 'two')
    assert.equal(await store.findItem(owner, 'msg_1'), 'two')
  }),
  over('finds the items of what replaced a response, and no others', async (store, owner) => {
    await store.put(responseOf(owner, 'resp_1', ['msg_1', 'msg_2'], 'one'))
    await store.put(responseOf(owner, 'resp_1', ['msg_2', 'msg_3'], 'two'))
    assert.equal(await store.findItem(owner, 'msg_1'), undefined)
    assert.equal(await store.findItem(owner, 'msg_2'), 'two')
    assert.equal(await store.findItem(owner, 'msg_3'), 'two')
  }),
  over('deletes a response with its items', async (store, owner) => {
    await store.put(responseOf(owner, 'resp_1', ['msg_1'], 'one'))
    await store.put(responseOf(owner, 'resp_2', [], 'two'))
    assert.equal(await store.delete(owner, 'resp_1'), true)
    assert.equal(await store.delete(owner, 'resp_1'), false)
    assert.equal(await store.get(owner, 'resp_1'), undefined)
    assert.equal(await store.findItem(owner, 'msg_1'), undefined)
    assert.equal(await store.get(owner, 'resp_2'), 'two')
  }),
  over('deletes all of an owner, if it can', async (store, owner) => {
    if (store.deleteOwner === undefined) return
    await store.put(responseOf(owner, 'resp_1', ['msg_1'], 'one'))
    await store.put(responseOf(`${owner} 2`, 'resp_1', [], 'other'))
    await store.deleteOwner(owner)
    assert.equal(await store.get(owner, 'resp_1'), undefined)
    assert.equal(await store.get(`${owner} 2`, 'resp_1'), 'other')
  }),
  over('returns every character', async (store, owner) => {
    const texts = ['\0', '\r\n \ufeff', '😀', 'null', '"', 'é'.repeat(500_000)]
    for (const [at, text] of texts.entries()) {
      await store.put(responseOf(owner, `resp_${at}`, [], text))
      assert.equal(await store.get(owner, `resp_${at}`), text)
    }
  }),
  over('stores many at once', async (store, owner) => {
    const ids = Array.from({ length: 50 }, (_, at) => `resp_${at}`)
    await Promise.all(ids.map(id => store.put(responseOf(owner, id, [`msg_${id}`], id))))
    assert.deepEqual(await Promise.all(ids.map(id => store.findItem(owner, `msg_${id}`))), ids)
  }),
  {
    name: 'has nothing that has expired, and keeps what is read',
    run: async make => {
      const store = await make(short)
      const owner = ownerOfCase()
      await store.put(responseOf(owner, 'resp_1', ['msg_1'], 'one'))
      await store.put(responseOf(owner, 'resp_2', ['msg_2'], 'two'))
      for (let round = 0; round < 4; round++) {
        await sleep(300)
        assert.equal(await store.get(owner, 'resp_2'), 'two')
      }
      assert.equal(await store.findItem(owner, 'msg_2'), 'two')
      assert.equal(await store.get(owner, 'resp_1'), undefined)
      assert.equal(await store.findItem(owner, 'msg_1'), undefined)
    },
  },
  {
    name: 'evicts the oldest of an owner, and nothing of another',
    run: async make => {
      const store = await make(small)
      const [owner, other] = [ownerOfCase(), ownerOfCase()]
      await store.put(responseOf(other, 'resp_1', ['msg_1'], 'other'))
      for (let at = 0; at < 30; at++) await store.put(responseOf(owner, `resp_${at}`, [`msg_${at}`], `${at}`))
      assert.equal(await store.get(other, 'resp_1'), 'other')
      assert.equal(await store.findItem(other, 'msg_1'), 'other')
      assert.equal(await store.get(owner, 'resp_0'), undefined)
      assert.equal(await store.findItem(owner, 'msg_0'), undefined)
      assert.equal(await store.get(owner, 'resp_29'), '29')
      assert.equal(await store.findItem(owner, 'msg_29'), '29')
    },
  },
]

function over(name: string, run: (store: ResponseStore, owner: string) => Promise<void>): ResponseStoreCase {
  return { name, run: async make => run(await make(long), ownerOfCase()) }
}

function ownerOfCase(): string {
  return `responses ${randomUUID()}`
}

function responseOf(owner: string, id: string, itemIds: readonly string[], text: string): StoredResponse {
  return { owner, id, itemIds, text }
}
