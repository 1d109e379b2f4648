import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** Makes a SHA-256 in 64 hexadecimal digits; a text is taken as its UTF-8, half a surrogate pair in it as U+FFFD. */
type Sha256Hex = (data: string | Uint8Array) => string

/** The part of `process` by which modules of Node are had where there are any. */
interface Modules {
  getBuiltinModule?(name: string): object | undefined
}

type Hash = (algorithm: 'sha256', data: string | Uint8Array, encoding: 'hex') => string

/**
 * By the runtime's own code where it has Node's `crypto.hash`: one call, where JavaScript needs buffers outside of its
 * heap for each. `crypto.subtle` answers a turn later, and so would whoever asks.
 */
export function sha256Of(modules: Modules | undefined): Sha256Hex {
  const crypto = modules?.getBuiltinModule?.('crypto') as { readonly hash?: Hash } | undefined
  const hash = crypto?.hash
  if (typeof hash === 'function') return data => hash('sha256', data, 'hex')
  return data => bytesToHex(sha256(typeof data === 'string' ? utf8ToBytes(data) : data))
}

export const sha256Hex: Sha256Hex = /* @__PURE__ */ sha256Of(
  (globalThis as { readonly process?: Modules }).process,
)

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

/**
 * A JSON value as its one text: the members of each object in the order of their names (by UTF-16 units), no space,
 * numbers and texts as `JSON.stringify` writes them. Members that are `undefined` are left out. It recurses: the value
 * is one whose depth has been checked.
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
