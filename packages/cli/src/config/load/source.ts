import type { Position } from '../issues/issue-list.ts'
import type { Path } from '../issues/issue-text.ts'

/** What a file says, before its variables are filled in. */
export interface Source {
  readonly value: unknown
  readonly positionOf: (path: Path) => Position | undefined
  /** Files that it was made of, where there are more than the one. */
  readonly files?: readonly string[]
}

export const noPosition = (): undefined => undefined
