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
  'import',
] as const
export type RowId = (typeof rowIds)[number]

/** One line of what was measured. */
export interface Row {
  readonly id: RowId
  readonly what: string
  /** What was seen; or why nothing was: `not measured: ...`. */
  readonly figure: string
  /** Against what it is compared with. */
  readonly ratio?: string
  /** What is to be reached; absent where nothing was said. */
  readonly goal?: string
  readonly met?: boolean
}

export function notMeasured(id: RowId, what: string, goal: string, why: string): Row {
  return { id, what, figure: `not measured: ${why}`, goal }
}
