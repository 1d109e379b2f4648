import { type BodyLogRepository, type StoredBodies, storableText } from '@sluice/core/store'

/** A repository for tests. */
export function inMemoryBodyLog(): BodyLogRepository & { readonly rows: Map<string, StoredBodies> } {
  const rows = new Map<string, StoredBodies>()
  const deleteWhere = (condition: (row: StoredBodies) => boolean): number => {
    const deleted = [...rows.values()].filter(condition)
    for (const { id } of deleted) rows.delete(id)
    return deleted.length
  }
  return {
    rows,
    async insert(given) {
      for (const row of given) if (!rows.has(row.id)) rows.set(row.id, row)
    },
    get: async id => rows.get(id),
    deleteBefore: async at => deleteWhere(row => row.at < at),
    async deletePrincipal({ id, source }) {
      const stored = source === undefined ? null : storableText(source)
      return deleteWhere(row => row.principal === storableText(id) && row.source === stored)
    },
  }
}
