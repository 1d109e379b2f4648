/** A span of milliseconds for people: `0.4 ms`, `84 ms`, `1.28 s`, `2 min 5 s`. */
export function span(ms: number | null | undefined): string {
  if (ms === undefined || ms === null) return '–'
  if (ms < 9.95) return `${Number(ms.toFixed(1))} ms`
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 59_995) return `${(ms / 1000).toFixed(2)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}
