/** One thing that is done again and again. */
export interface Case {
  /** What is looked at: all of a group are shown together. */
  readonly group: string
  readonly name: string
  /** Size of what goes through it; for what has none the cost is shown by itself. */
  readonly bytes?: number
  run(): unknown
}
