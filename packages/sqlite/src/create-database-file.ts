import { closeSync, openSync } from 'node:fs'
import type { Location } from './location.ts'

/**
 * Creates a missing file that only its owner can read, because it contains digests, names and tags. SQLite gives its
 * companion files the same permissions. If it cannot be created, opening it reports the reason.
 */
export function createDatabaseFile({ path }: Location): void {
  if (path === undefined) return
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch {
    // It exists, or SQLite reports the error.
  }
}
