import { closeSync, openSync } from 'node:fs'
import type { Location } from './location.ts'

/**
 * Makes the file where there is none, for its owner alone: digests, names and tags are kept in it. Its companions get
 * the same rights from SQLite. Where it cannot be made, opening it says why.
 */
export function createDatabaseFile({ path }: Location): void {
  if (path === undefined) return
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch {
    // It is there, or SQLite will tell.
  }
}
