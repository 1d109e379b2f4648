import type { KeyRepository, StoredKey } from '../../src/contracts/key-store.ts'

/** The tables of a key store in this process, for tests. It counts the questions by digest. */
export function rowsInMemory(): KeyRepository & { asked: number } {
  const table = new Map<string, StoredKey>()
  const change = (id: string, changed: (key: StoredKey) => StoredKey) => {
    const key = table.get(id)
    if (key !== undefined) table.set(id, structuredClone(changed(key)))
    return key !== undefined
  }
  return {
    asked: 0,
    insert: async key => void table.set(key.id, structuredClone(key)),
    list: async () => [...table.values()].reverse(),
    get: async id => table.get(id),
    update: async (id, changes) => change(id, key => ({ ...key, ...changes })),
    addSecret: async (id, secret, endAt, now) =>
      change(id, key => ({
        ...key,
        secrets: [
          secret,
          ...key.secrets
            .filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
            .map(old => ({ ...old, expiresAt: Math.min(old.expiresAt ?? endAt, endAt) })),
        ],
      })),
    delete: async id => table.delete(id),
    async findByDigest(digest, now) {
      this.asked++
      const found = [...table.values()].find(({ secrets }) => secrets.some(each => each.digest === digest))
      if (found !== undefined) table.set(found.id, { ...found, lastUsedAt: now })
      return found
    },
  }
}
