import type { CacheStore } from '../contracts/cache-store.ts'
import type { ResponseStore } from '../contracts/response-store.ts'

/**
 * Returns a response store whose entries are in a cache store: one for each response, and one for each item of its output.
 *
 * @param ttlMs - how long a response is stored since it was last read, in milliseconds.
 */
export function responseStoreOf(store: CacheStore, ttlMs: number): ResponseStore {
  const lifetime = { ttlMs }
  const keyOf = (owner: string, id: string) => ({ owner, name: `response ${id}` })
  const itemKeyOf = (owner: string, id: string) => ({ owner, name: `item ${id}` })
  const get = async (owner: string, id: string): Promise<string | undefined> => {
    const key = keyOf(owner, id)
    const text = await store.get(key)
    // Read, so that it is in use: it lives on.
    if (text !== undefined) await store.replace(key, text, text, lifetime)
    return text
  }
  const { deleteOwner } = store
  return {
    put: async ({ owner, id, itemIds, text }) => {
      await Promise.all([
        store.set(keyOf(owner, id), text, lifetime),
        ...itemIds.map(itemId => store.set(itemKeyOf(owner, itemId), id, lifetime)),
      ])
    },
    get,
    findItem: async (owner, itemId) => {
      const id = await store.get(itemKeyOf(owner, itemId))
      return id === undefined ? undefined : get(owner, id)
    },
    delete: async (owner, id) => {
      const key = keyOf(owner, id)
      const text = await store.get(key)
      return text !== undefined && (await store.replace(key, text, undefined, lifetime)) === true
    },
    ...(deleteOwner !== undefined && { deleteOwner: owner => deleteOwner.call(store, owner) }),
  }
}
