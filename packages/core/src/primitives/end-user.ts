import { sha256Hex } from './sha256.ts'

/** Other names are hashed, because callers choose them. */
const printable = /^[^\p{Cc}\p{Cf}\u2028\u2029\p{Surrogate}]{1,256}$/u

/**
 * Returns the end user that a caller names, as it is recorded: `undefined` for none, and `sha256:` with the digest for a
 * name of more than 256 characters or with control characters. Different users stay different.
 */
export function endUser(name: string | undefined): string | undefined {
  if (name === undefined || name === '') return undefined
  return name.length <= 256 && printable.test(name) ? name : `sha256:${sha256Hex(name)}`
}
