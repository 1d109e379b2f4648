import { GatewayError } from '../errors/errors.ts'
import type { JsonValue } from './chat.ts'
import {
  duplicateKey,
  jsonPath,
  loneSurrogate,
  numberOutOfRange,
  numberTooLong,
  stringEnd,
  tooDeep,
  tooMany,
  tooManyMembers,
  unescaped,
} from './json-refusals.ts'
import { shorten } from './wording.ts'

/** Bounds of a JSON text. */
export interface JsonLimits {
  /** How deep objects and arrays may nest. Default 64. */
  readonly maxDepth: number
  /** How many values it may hold in all. Default 100,000. */
  readonly maxElements: number
  /** How many members one object may have. Default 10,000. */
  readonly maxMembers: number
}

const decoder = new TextDecoder('utf-8', { fatal: true })
const surrogateEscape = /\\u[dD][89a-fA-F]/
const surrogate = /\p{Surrogate}/u

/**
 * Reads JSON (RFC 8259) from UTF-8, with or without a byte order mark.
 *
 * Refuses what `JSON.parse` lets through but what not every reader behind the gateway would read alike: a
 * key given twice in an object (however it is spelt), whole numbers beyond 2^53-1, numbers beyond the finite,
 * half a surrogate pair. Refuses nesting and counts beyond `limits` before anything is made of them.
 * `__proto__` is a key like any other.
 *
 * @throws GatewayError 400: `invalid_json`, or a refusal that names what was got and what was expected.
 */
export function parseJson(bytes: Uint8Array, limits: JsonLimits): JsonValue {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    throw new GatewayError('invalid_json')
  }
  try {
    scan(text, limits)
  } finally {
    keys.clear()
  }
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    // Without its cause, which would quote the body.
    throw new GatewayError('invalid_json')
  }
}

/** Looks over a text before it is parsed. It does not check the grammar: where that is broken it stops. */
function scan(text: string, { maxDepth, maxElements, maxMembers }: JsonLimits): void {
  const escapes = text.includes('\\')
  const surrogates = escapes && text.includes('\\u') && surrogateEscape.test(text)
  let inObject = false
  let keyNext = false
  let elements = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    switch (code) {
      case 0x22: {
        if (surrogates && hasLoneSurrogate(text, at)) throw loneSurrogate(jsonPath(text, at))
        if (keyNext) {
          const open = at
          at = keys.add(text, open)
          if (at === -1) return
          if (keys.count > maxMembers) throw tooManyMembers(jsonPath(text, open), maxMembers)
          keyNext = false
        } else {
          elements++
          at = escapes ? stringEnd(text, at) : text.indexOf('"', at + 1)
          if (at === -1) return
        }
        break
      }
      case 0x2c: // ,
        keyNext = inObject
        break
      case 0x7b: // {
      case 0x5b: // [
        elements++
        if (keys.depth === maxDepth) throw tooDeep(jsonPath(text, at), maxDepth)
        inObject = keyNext = code === 0x7b
        keys.open(inObject)
        break
      case 0x7d: // }
      case 0x5d: // ]
        if (!keys.close(code === 0x7d)) return
        inObject = keys.inObject
        keyNext = false
        break
      case 0x20:
      case 0x0a:
      case 0x0d:
      case 0x09:
      case 0x3a: // :
        break
      case 0x74: // true
      case 0x6e: // null
        elements++
        at += 3
        break
      case 0x66: // false
        elements++
        at += 4
        break
      default:
        if (code !== 0x2d && (code < 0x30 || code > 0x39)) return
        elements++
        at = numberEnd(text, at) - 1
    }
    if (elements > maxElements) throw tooMany(maxElements)
  }
}

function hasLoneSurrogate(text: string, open: number): boolean {
  const end = stringEnd(text, open)
  const raw = text.slice(open + 1, end === -1 ? open + 1 : end)
  return surrogateEscape.test(raw) && surrogate.test(unescaped(raw) ?? '')
}

const maxLength = 100

/**
 * Where the number that begins at `start` of a JSON text ends. Refuses one that a double cannot hold: a
 * whole number beyond 2^53-1 would be rounded, `1e400` would be infinite.
 */
function numberEnd(text: string, start: number): number {
  let isInteger = true
  let exponent = false
  let end = start + 1
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end)
    if (code >= 48 && code <= 57) continue
    if (code === 46) isInteger = false
    else if (code === 69 || code === 101) exponent = true
    else if (code !== 43 && code !== 45) break
  }
  if (end - start > 15 || exponent) check(text, start, end, isInteger && !exponent)
  return end
}

function check(text: string, start: number, end: number, isInteger: boolean): void {
  const token = text.slice(start, end)
  const value = Number(token)
  if (Number.isNaN(value)) return
  if (isInteger ? !Number.isSafeInteger(value) : !Number.isFinite(value)) {
    throw numberOutOfRange(jsonPath(text, start), isInteger ? 'integer' : 'decimal', shorten(token))
  }
  if (token.length > maxLength) throw numberTooLong(jsonPath(text, start), token.length, maxLength)
}

/** Up to so many keys of an object are compared one by one; more go into a set. */
const maxComparedKeys = 16

/**
 * The objects and arrays that are open while a JSON text is scanned, and the keys that the objects have so far. Keys
 * are kept as places in the text and numbers made of their letters: none is copied before two may be the same.
 */
class KeyStack {
  depth = 0
  /** Where the keys of an open object begin, by depth; -1 for an array. */
  readonly #starts: number[] = []
  /** The keys of an open object that has many, by depth. */
  readonly #sets: (Set<string> | undefined)[] = []
  #known = 0
  readonly #positions: number[] = []
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
      if (this.#hashes[key] === hash && nameAt(text, this.#positions[key]!) === nameAt(text, open))
        return true
    }
    this.#positions[this.#known] = open
    this.#hashes[this.#known++] = hash
    if (this.#known - start > maxComparedKeys) this.#gather(text, innermost)
    return false
  }

  #gather(text: string, depth: number): void {
    const start = this.#starts[depth]!
    this.#sets[depth] = new Set(this.#positions.slice(start, this.#known).map(place => nameAt(text, place)!))
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

/** One for all texts: a scan does not wait, and what it remembers of one it forgets. */
const keys = new KeyStack()
