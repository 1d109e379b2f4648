import { jsonPath, stringEnd, unescaped } from './json-path.ts'
import { duplicateKey } from './json-refusals.ts'

/** Up to so many keys of an object are compared one by one; more go into a set. */
const few = 16

/**
 * The objects and arrays that are open while a JSON text is scanned, and the keys that the objects have so far. Keys
 * are kept as places in the text and numbers made of their letters: none is copied before two may be the same.
 */
export class KeyStack {
  depth = 0
  /** Where the keys of an open object begin, by depth; -1 for an array. */
  readonly #starts: number[] = []
  /** The keys of an open object that has many, by depth. */
  readonly #sets: (Set<string> | undefined)[] = []
  #known = 0
  readonly #places: number[] = []
  readonly #hashes: number[] = []

  get inObject(): boolean {
    return this.depth > 0 && this.#starts[this.depth - 1] !== -1
  }

  /** How many keys the innermost object has so far. */
  get count(): number {
    const innermost = this.depth - 1
    return this.#sets[innermost]?.size ?? this.#known - this.#starts[innermost]!
  }

  open(object: boolean): void {
    this.#starts[this.depth] = object ? this.#known : -1
    this.#sets[this.depth] = undefined
    this.depth++
  }

  /** `false`: what is open is of the other kind, or nothing is. */
  close(object: boolean): boolean {
    if (this.depth === 0 || this.inObject !== object) return false
    this.depth--
    if (object) this.#known = this.#starts[this.depth]!
    return true
  }

  /** Forgets a text. The numbers stay, to be written over. */
  clear(): void {
    this.depth = 0
    this.#known = 0
    this.#sets.length = 0
  }

  /**
   * Adds the key of the innermost object that opens at `open`, and gives the place where it ends; -1 where the text
   * breaks off there or the key is no JSON. Throws `GatewayError` (400) for a key that the object has already.
   */
  add(text: string, open: number): number {
    let hash = 0
    let end = open + 1
    for (; end < text.length; end++) {
      const code = text.charCodeAt(end)
      if (code === 0x22 || code === 0x5c) break
      hash = (Math.imul(hash, 31) + code) | 0
    }
    if (text.charCodeAt(end) !== 0x22) {
      end = stringEnd(text, open)
      if (end === -1) return -1
      const name = nameAt(text, open)
      if (name === undefined) return -1
      hash = hashOf(name)
    }
    if (this.#repeats(text, open, hash))
      throw duplicateKey([...jsonPath(text, open), nameAt(text, open) ?? ''])
    return end
  }

  #repeats(text: string, open: number, hash: number): boolean {
    const innermost = this.depth - 1
    const set = this.#sets[innermost]
    if (set !== undefined) return set.size === set.add(nameAt(text, open)!).size
    const start = this.#starts[innermost]!
    for (let key = start; key < this.#known; key++) {
      if (this.#hashes[key] === hash && nameAt(text, this.#places[key]!) === nameAt(text, open)) return true
    }
    this.#places[this.#known] = open
    this.#hashes[this.#known++] = hash
    if (this.#known - start > few) this.#gather(text, innermost)
    return false
  }

  #gather(text: string, depth: number): void {
    const start = this.#starts[depth]!
    this.#sets[depth] = new Set(this.#places.slice(start, this.#known).map(place => nameAt(text, place)!))
    this.#known = start
  }
}

/** What stands in the quotes that open at `open`, its escapes undone; `undefined` where it is no JSON. */
function nameAt(text: string, open: number): string | undefined {
  const raw = text.slice(open + 1, stringEnd(text, open))
  return raw.includes('\\') ? unescaped(raw) : raw
}

function hashOf(name: string): number {
  let hash = 0
  for (let at = 0; at < name.length; at++) hash = (Math.imul(hash, 31) + name.charCodeAt(at)) | 0
  return hash
}
