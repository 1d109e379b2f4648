import { sha256Hex } from './sha256.ts'

/** Longer names are hashed, because callers choose them. */
const maxLength = 256

/**
 * Returns the end user that a caller names, as it is recorded: `undefined` for none, and `sha256:` with the digest for a
 * name of more than 256 characters. Different users stay different.
 */
export function endUser(name: string | undefined): string | undefined {
  if (name === undefined || name === '') return undefined
  return name.length <= maxLength ? name : `sha256:${sha256Hex(name)}`
}
