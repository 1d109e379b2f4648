import type { RequestRow } from '../../src/api.ts'

/** As many as the server keeps. */
const most = 500

/** Rows with later ones in their places, newest first. */
export function mergedRows(rows: readonly RequestRow[], later: readonly RequestRow[]): readonly RequestRow[] {
  const all = new Map(rows.map(row => [row.id, row]))
  for (const row of later) all.set(row.id, row)
  return [...all.values()].sort((a, b) => b.at - a.at).slice(0, most)
}
