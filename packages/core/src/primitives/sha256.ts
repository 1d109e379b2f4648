import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** Returns a SHA-256 as 64 hexadecimal digits. Text is encoded as UTF-8, unpaired surrogates as U+FFFD. */
type Sha256Hex = (data: string | Uint8Array) => string

/** The function of `process` that returns built-in modules of Node. */
interface Modules {
  getBuiltinModule?(name: string): object | undefined
}

type Hash = (algorithm: 'sha256', data: string | Uint8Array, encoding: 'hex') => string

/** Uses Node's `crypto.hash` if available, which is faster; otherwise JavaScript. `crypto.subtle` is only asynchronous. */
export function sha256Of(modules: Modules | undefined): Sha256Hex {
  const crypto = modules?.getBuiltinModule?.('crypto') as { readonly hash?: Hash } | undefined
  const hash = crypto?.hash
  if (typeof hash === 'function') return data => hash('sha256', data, 'hex')
  return data => bytesToHex(sha256(typeof data === 'string' ? utf8ToBytes(data) : data))
}

export const sha256Hex: Sha256Hex = /* @__PURE__ */ sha256Of(
  (globalThis as { readonly process?: Modules }).process,
)

/** From this size on, `crypto.subtle` computes the digest off the main thread. */
const largeBytes = 32_768

/**
 * Returns the SHA-256 of a sequence of values as 64 hexadecimal digits. Each is encoded as canonical JSON, prefixed by its
 * length in UTF-16 units, so that different sequences have different encodings.
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

/**
 * Returns the canonical JSON of a value: members sorted by name (UTF-16 units), no white space, numbers and strings as in
 * `JSON.stringify`. Omits members that are `undefined`. It is recursive, so the depth must have been checked.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  let text = ''
  if (Array.isArray(value)) {
    for (const item of value) text += text === '' ? canonicalJson(item) : `,${canonicalJson(item)}`
    return `[${text}]`
  }
  const members = value as Readonly<Record<string, unknown>>
  for (const name of Object.keys(members).sort()) {
    const member = members[name]
    if (member === undefined) continue
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(member)}`
  }
  return `{${text}}`
}
