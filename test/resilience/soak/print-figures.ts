import type { Figure } from './figures.ts'
import type { SoakResult } from './soak-result.ts'

/** A soak's figures as lines of text, each beside its goal, and what went wrong below. */
export function printedFigures(
  figures: readonly Figure[],
  { failures, alarms, books }: SoakResult,
): string[] {
  return [
    ...figureTable(figures),
    ...shortened('went otherwise', failures),
    ...shortened('alarm', alarms),
    ...shortened('books', books.faults),
  ]
}

/** Each figure beside its goal. */
export function figureTable(figures: readonly Figure[]): string[] {
  const rows = [
    ['', 'figure', 'got', 'goal', ''],
    ...figures.map(({ promise, what, got, goal, met }) => [promise, what, got, goal, verdictOf(met, goal)]),
  ]
  const widths = [0, 1, 2, 3].map(at => Math.max(...rows.map(row => row[at]?.length ?? 0)))
  return rows.map(row =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

function verdictOf(met: boolean | undefined, goal: string): string {
  if (goal === '-') return ''
  if (met === undefined) return 'cannot tell'
  return met ? 'met' : 'NOT met'
}

/** Equal lines once, with their count; the first twenty. */
export function shortened(what: string, lines: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1)
  return [...counts].slice(0, 20).map(([line, count]) => `${what}: ${line} (${count} times)`)
}
