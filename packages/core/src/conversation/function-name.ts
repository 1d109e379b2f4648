import { sha256Hex } from '../primitives/sha256.ts'

/** The longest name of a function that every vendor takes, in characters. */
export const maxFunctionName = 64

const digestLength = 8

/**
 * Returns the start of a name with a digest, as the name of a function: two that begin alike have different ones.
 *
 * @param identity - what the digest is of. Tools can have a name in common.
 */
export function digestedName(name: string, identity = name): string {
  const start = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, maxFunctionName - digestLength - 1)
  return `${start}_${sha256Hex(identity).slice(0, digestLength)}`
}
