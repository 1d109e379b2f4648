import type { StoredBatch, StoredClosing, StoredEntry, StoredProgress } from '@sluice/core/store'

/** An entry of which was heard what it has used: that is its charge. */
interface HeardEntry extends StoredEntry {
  readonly heard: true
}

/** A batch in which each id comes once among all rows, in the order of ids. */
export interface WrittenRows {
  readonly rows: readonly (StoredEntry | HeardEntry | StoredClosing)[]
  readonly progress: readonly StoredProgress[]
}

/**
 * One statement cannot change a row twice. Of two entries or closings of one request the first stands, a closing
 * stands above an entry, and of what is heard the last. The order keeps two writers of the same rows from waiting for
 * each other.
 */
export function writtenRows({ entries, closings, progress }: StoredBatch): WrittenRows {
  const heard = new Map<string, StoredProgress>()
  for (const { id, charge } of progress)
    heard.set(id, { id, charge: charge ?? heard.get(id)?.charge ?? null })
  const rows = new Map<string, WrittenRows['rows'][number]>()
  for (const closing of closings) if (!rows.has(closing.id)) rows.set(closing.id, closing)
  for (const entry of entries) {
    const charge = heard.get(entry.id)?.charge
    if (!rows.has(entry.id)) rows.set(entry.id, charge ? { ...entry, ...charge, heard: true } : entry)
  }
  for (const id of rows.keys()) heard.delete(id)
  return { rows: inOrder(rows), progress: inOrder(heard) }
}

function inOrder<T>(byId: ReadonlyMap<string, T>): T[] {
  return [...byId].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
}
