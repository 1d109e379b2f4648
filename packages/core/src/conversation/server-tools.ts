import type { BodyEdit } from './body-edit.ts'

/** The tools of a request that the vendor of its protocol runs itself, and usually bills. */
export interface ServerTools {
  /** Where they are in the body: `tools[2]`. */
  readonly paths: readonly string[]
  /** Whether the request needs one: it chooses it, or has no other tools. */
  readonly areNeeded: boolean
}

/** Returns the changes that leave out what is at these paths of a body: `tools[2]`. */
export function removals(paths: readonly string[]): readonly BodyEdit[] {
  return paths.map(path => ({ path: membersOf(path), value: undefined }))
}

/** Returns the members of a path: `['tools', 2]` for `tools[2]`. */
function membersOf(path: string): readonly (string | number)[] {
  return path
    .split(/[.[\]]+/)
    .filter(Boolean)
    .map(member => (/^\d+$/.test(member) ? Number(member) : member))
}
