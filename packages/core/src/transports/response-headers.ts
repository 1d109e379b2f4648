/** The part of Node's `Buffer` that is used. */
export interface HeaderBytes {
  readonly byteLength: number
  readonly [at: number]: number
  toString(encoding: 'latin1'): string
}

/** Response headers as a flat list of raw names and values. `get` searches the list, as only one or two headers are read. */
export class ResponseHeaders {
  readonly #raw: readonly HeaderBytes[]

  constructor(raw: readonly HeaderBytes[]) {
    this.#raw = raw
  }

  get(name: string): string | null {
    const wanted = name.toLowerCase()
    let found: string | null = null
    for (let at = 0; at + 1 < this.#raw.length; at += 2) {
      if (!isNamed(this.#raw[at]!, wanted)) continue
      const value = this.#raw[at + 1]!.toString('latin1')
      found = found === null ? value : `${found}, ${value}`
    }
    return found
  }
}

function isNamed(bytes: HeaderBytes, wanted: string): boolean {
  if (bytes.byteLength !== wanted.length) return false
  for (let at = 0; at < wanted.length; at++) {
    const byte = bytes[at]!
    const lower = byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte
    if (lower !== wanted.charCodeAt(at)) return false
  }
  return true
}
