import type { StoredBatch, StoredClosing, StoredEntry, StoredProgress } from '@sluice/core/store'

/** An entry whose charge is the usage of its progress. */
interface EntryWithUsage extends StoredEntry {
  readonly heard: true
}

/** A batch with one row for each id, ordered by id. */
export interface MergedBatch {
  readonly rows: readonly (StoredEntry | EntryWithUsage | StoredClosing)[]
  readonly progress: readonly StoredProgress[]
}

/**
 * Merges a batch to one row for each request, because one statement cannot change a row twice. The first entry or closing
 * wins, a closing wins over an entry, and the last progress wins. The order of ids prevents deadlocks between writers.
 */
export function mergeBatch({ entries, closings, progress }: StoredBatch): MergedBatch {
  const heard = new Map<string, StoredProgress>()
  for (const { id, charge } of progress)
    heard.set(id, { id, charge: charge ?? heard.get(id)?.charge ?? null })
  const rows = new Map<string, MergedBatch['rows'][number]>()
  for (const closing of closings) if (!rows.has(closing.id)) rows.set(closing.id, closing)
  for (const entry of entries) {
    const charge = heard.get(entry.id)?.charge
    if (!rows.has(entry.id)) rows.set(entry.id, charge ? { ...entry, ...charge, heard: true } : entry)
  }
  for (const id of rows.keys()) heard.delete(id)
  return { rows: sortById(rows), progress: sortById(heard) }
}

function sortById<T>(byId: ReadonlyMap<string, T>): T[] {
  return [...byId].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
}
