import { bytesToHex } from '@noble/hashes/utils.js'
import { canonicalJson } from './canonical-json.ts'
import { sha256Hex } from './sha256.ts'

/** From here on the digest is made beside this thread, where the runtime can: it would hold up the others. */
const largeBytes = 32_768

/**
 * The SHA-256 of several values in their order, in 64 hexadecimal digits. Each is written as canonical JSON behind its
 * length in UTF-16 units: no other values run together to the same, and halves of surrogate pairs are told apart.
 */
export async function digestOf(...values: readonly unknown[]): Promise<string> {
  let text = ''
  for (const value of values) {
    const json = canonicalJson(value)
    text += `${json.length}:${json}`
  }
  const bytes = new TextEncoder().encode(text)
  const { subtle } = crypto
  if (bytes.length < largeBytes || subtle === undefined) return sha256Hex(bytes)
  return bytesToHex(new Uint8Array(await subtle.digest('SHA-256', bytes)))
}
