/** Counts values, the most frequent first. */
export function counted(values: readonly string[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  const sorted = [...counts].sort(([a, first], [b, second]) => second - first || (a < b ? -1 : 1))
  return Object.fromEntries(sorted)
}
