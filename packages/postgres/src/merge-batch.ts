import type { StoredBatch, StoredClosing, StoredEntry, StoredProgress } from '@sluice/core/store'

/** An entry whose charge is the usage of its progress. */
interface EntryWithUsage extends StoredEntry {
  readonly hasProgress: true
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
  const latestProgress = new Map<string, StoredProgress>()
  for (const { id, charge } of progress)
    latestProgress.set(id, { id, charge: charge ?? latestProgress.get(id)?.charge ?? null })
  const rows = new Map<string, MergedBatch['rows'][number]>()
  for (const closing of closings) if (!rows.has(closing.id)) rows.set(closing.id, closing)
  for (const entry of entries) {
    const charge = latestProgress.get(entry.id)?.charge
    if (!rows.has(entry.id)) rows.set(entry.id, charge ? { ...entry, ...charge, hasProgress: true } : entry)
  }
  for (const id of rows.keys()) latestProgress.delete(id)
  return { rows: sortById(rows), progress: sortById(latestProgress) }
}

function sortById<T>(byId: ReadonlyMap<string, T>): T[] {
  return [...byId].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
}
