/** What can be asked for by `--only`. */
export const rowIds = [
  'cpu',
  'peers',
  'events',
  'latency',
  'large',
  'messages',
  'responses',
  'hooks',
  'idle',
  'abort',
  'redis',
  'postgres',
  'import',
] as const
export type RowId = (typeof rowIds)[number]

/** One line of what was measured. */
export interface Row {
  readonly id: RowId
  readonly what: string
  /** What was seen; or why nothing was: `not measured: ...`. */
  readonly figure: string
  /** Against what it is compared with, and the quartiles of all rounds. */
  readonly ratio?: string
  /** The number that stands for this row, where it has one: the ratio, or else the figure. */
  readonly value?: number
  /** The least and the most of it over several runs. */
  readonly spread?: readonly [least: number, most: number]
  /** What is to be reached; absent where nothing was said. */
  readonly goal?: string
  readonly met?: boolean
}

export function notMeasured(id: RowId, what: string, goal: string, why: string): Row {
  return { id, what, figure: `not measured: ${why}`, goal }
}

/** The rows of several runs as one: of each the one whose value is in the middle, with the spread of all. */
export function middleOf(runs: readonly (readonly Row[])[]): Row[] {
  const [first = []] = runs
  if (runs.length === 1) return [...first]
  return first.map((row, at) => {
    const all = runs.map(rows => rows[at]!).toSorted((one, other) => (one.value ?? 0) - (other.value ?? 0))
    const middle = all[Math.floor(all.length / 2)]!
    if (row.value === undefined) return middle
    return { ...middle, spread: [all[0]!.value!, all.at(-1)!.value!] }
  })
}
