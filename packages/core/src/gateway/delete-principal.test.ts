import { describe, expect, it } from 'vitest'
import { rowsInMemory } from '../../test/support/rows-in-memory.ts'
import { keyStore } from '../auth/issued-keys.ts'
import { idempotency } from '../caching/idempotency.ts'
import { memoryCacheStore } from '../caching/memory-cache-store.ts'
import { responseCache } from '../caching/response-cache.ts'
import type { CacheStore } from '../contracts/cache-store.ts'
import type { PrincipalId } from '../contracts/principal.ts'
import { deletePrincipal } from './delete-principal.ts'

const nothing = {
  keys: 0,
  records: 0,
  cachedResponses: 0,
  idempotencyKeys: 0,
  responses: 0,
  loggedRequests: 0,
  bodies: 0,
  unreached: [],
}

/** A store that knows no owners. */
function plainStore(): CacheStore {
  const { get, set, add, replace } = memoryCacheStore()
  return { get, set, add, replace }
}

/** A ledger that notes whom it was told to delete. */
function notingLedger(run: (principal: PrincipalId) => number | Promise<number> = () => 3) {
  const asked: PrincipalId[] = []
  return {
    asked,
    open() {},
    close() {},
    deletePrincipal(principal: PrincipalId) {
      asked.push(principal)
      return run(principal)
    },
  }
}

describe('deletePrincipal', () => {
  it('deletes nothing where it is given nothing', async () => {
    expect(await deletePrincipal({ id: 'ann' }, {})).toEqual(nothing)
  })

  it('deletes an issued key of its own source only', async () => {
    const keys = keyStore(rowsInMemory())
    const { stored } = await keys.issue({ name: 'a' })
    const other = await keys.issue({ name: 'b' })
    const { id } = stored
    for (const principal of [{ id }, { id, source: 'jwt' }, { id: 'ann', source: 'api_keys' }]) {
      expect(await deletePrincipal(principal, { keys })).toEqual(nothing)
    }
    const partners = { keys, keySource: 'partners' }
    expect(await deletePrincipal({ id, source: 'api_keys' }, partners)).toEqual(nothing)
    expect(await deletePrincipal({ id, source: 'api_keys' }, { keys })).toEqual({ ...nothing, keys: 1 })
    expect((await keys.list()).map(key => key.id)).toEqual([other.stored.id])
  })

  it('says which stores it could not reach', async () => {
    const store = plainStore()
    const ledger = { open() {}, close() {} }
    const shared = responseCache({ ttlMs: 1_000, scope: () => 'all' })
    const own = { store: memoryCacheStore(), ttlMs: 1, maxBytes: 1, keyOf: () => undefined }
    const all = { ledger, cache: responseCache({ ttlMs: 1_000, store }), idempotency: idempotency({ store }) }
    const unreached = ['ledger', 'cache', 'idempotency']
    expect(await deletePrincipal({ id: 'ann' }, all)).toEqual({ ...nothing, unreached })
    for (const cache of [shared, own]) {
      expect(await deletePrincipal({ id: 'ann' }, { cache })).toEqual({ ...nothing, unreached: ['cache'] })
    }
  })

  it('deletes the rows of the request log', async () => {
    const log = {
      deletePrincipal: async ({ id, source }: PrincipalId) => (id === 'ann' && source === 'jwt' ? 3 : 0),
    }
    expect(await deletePrincipal({ id: 'ann', source: 'jwt' }, { log })).toEqual({
      ...nothing,
      loggedRequests: 3,
    })
  })

  it('goes on where a store fails, and rejects with what failed', async () => {
    const error = new Error('The disk is full.')
    const failing = notingLedger(() => Promise.reject(error))
    const store = memoryCacheStore()
    const broken = Object.assign(memoryCacheStore(), {
      deleteOwner: () => {
        throw error
      },
    })
    await store.set({ owner: 'repeat api_keys ann', name: 'a' }, 'text', { ttlMs: 1_000 })
    const deleting = deletePrincipal(
      { id: 'ann', source: 'api_keys' },
      {
        ledger: failing,
        cache: responseCache({ ttlMs: 1, store: broken }),
        idempotency: idempotency({ store }),
      },
    )
    await expect(deleting).rejects.toThrow(AggregateError)
    await expect(deleting).rejects.toThrow('deletePrincipal: ledger, cache failed.')
    await expect(deleting).rejects.toMatchObject({ errors: [error, error] })
    expect(store.bytes).toBe(0)
  })

  it.each([
    [undefined, 'the id undefined'],
    [{}, 'the id undefined'],
    [{ id: '' }, 'the id string'],
    [{ id: 7 }, 'the id number'],
    [{ id: 'ann', source: null }, 'the source null'],
    [{ id: 'ann', source: 7 }, 'the source 7'],
    [{ id: 'ann', source: '' }, 'the source ""'],
    [{ id: 'c', source: 'a b' }, 'the source "a b"'],
  ])('takes %j for no principal, and deletes nothing', async (principal, says) => {
    const ledger = notingLedger()
    const deleting = deletePrincipal(principal as PrincipalId, { ledger })
    await expect(deleting).rejects.toThrow(TypeError)
    await expect(deleting).rejects.toThrow(says)
    expect(ledger.asked).toEqual([])
  })

  it('deletes bodies', async () => {
    const bodies = {
      deletePrincipal: async ({ id, source }: PrincipalId) => (id === 'ann' && source === 'jwt' ? 2 : 0),
    }
    expect(await deletePrincipal({ id: 'ann', source: 'jwt' }, { bodies })).toEqual({ ...nothing, bodies: 2 })
    const broken = { deletePrincipal: () => Promise.reject(new Error('down')) }
    await expect(deletePrincipal({ id: 'ann' }, { bodies: broken })).rejects.toThrow(/bodies failed/)
  })

  it('hands on the identity alone', async () => {
    const ledger = notingLedger()
    const principal = { id: 'ann', source: 'jwt', tags: { team: 'a' } }
    expect(await deletePrincipal(principal, { ledger })).toEqual({ ...nothing, records: 3 })
    await deletePrincipal({ id: 'ann' }, { ledger })
    expect(ledger.asked).toEqual([{ id: 'ann', source: 'jwt' }, { id: 'ann' }])
  })
})
