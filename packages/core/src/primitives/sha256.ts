import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** Makes a SHA-256 in 64 hexadecimal digits; a text is taken as its UTF-8, half a surrogate pair in it as U+FFFD. */
export type Sha256Hex = (data: string | Uint8Array) => string

/** The part of `process` by which modules of Node are had where there are any. */
export interface Modules {
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
