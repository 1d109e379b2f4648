// Tuned for the bench row `messages`. V8 takes fresh pages for each string above 128 KiB: to decode 1 MB takes 0.65 ms as one string,
// and 0.1 ms in parts.
import { utf8Length } from '../primitives/utf8-length.ts'
import type { JsonObject, JsonValue } from './chat.ts'
import { decodeUtf8, type ItemBoundary, type JsonLimits, parseScanned, scanJson } from './json.ts'

/** Sizes in bytes. */
export interface PartSizes {
  /** Shorter bodies are parsed at once. */
  readonly minBytes: number
  /** How much is decoded at a time, unless a single item is longer. */
  readonly partBytes: number
  /** The first part, which is scanned twice. */
  readonly headBytes: number
}

const usual: PartSizes = { minBytes: 131_072, partBytes: 65_536, headBytes: 8_192 }

/** A JSON text whose largest array is without most of its items: `head` and `tail`, joined, are JSON as well. */
export interface JsonFrame {
  readonly head: string
  readonly headBytes: number
  readonly tail: string
  /** The position of the tail in the body, in bytes. */
  readonly tailStart: number
}

export interface ParsedParts {
  readonly value: JsonValue
  readonly frame: JsonFrame
}

/**
 * Parses a long body, most of which are the items of an array that is a member of the body, without a string of all of it.
 * Returns `undefined` for every other body, also for one that is invalid: then parse all of it.
 */
export function parseInParts(
  bytes: Uint8Array,
  limits: JsonLimits,
  { minBytes, partBytes, headBytes } = usual,
): ParsedParts | undefined {
  if (bytes.length < minBytes) return undefined
  try {
    // Each try takes at least twice as much for the head as the one before.
    for (let least = headBytes; least < bytes.length / 2; ) {
      const head = headOf(bytes, least, limits)
      if (head === undefined) return undefined
      const items = itemsAfter(bytes, head.bytes, partBytes, limits)
      if (bytes.length - items.end < bytes.length / 2) return joined(bytes, head, items, limits)
      least = Math.max(2 * least, items.end + headBytes)
    }
  } catch {
    // Parsing it at once finds the same error.
  }
  return undefined
}

/** Text that ends after the comma between two items of an array; empty if there is none. */
interface Part {
  readonly text: string
  readonly bytes: number
  readonly elements: number
  /** Whether the array, or the body, ends in the bytes that it was looked for in. */
  readonly isLast: boolean
}

/** Returns the text up to the last boundary between items in the first bytes of a body. */
function headOf(bytes: Uint8Array, least: number, limits: JsonLimits): Part | undefined {
  for (let size = least; size < bytes.length / 2; size *= 2) {
    const part = partOf(bytes, 0, size, 2, limits)
    if (part.bytes > 0) return part
  }
  return undefined
}

interface Items {
  readonly values: readonly JsonValue[]
  readonly elements: number
  /** Where the last item of the array starts, in bytes. */
  readonly end: number
}

function itemsAfter(
  bytes: Uint8Array,
  start: number,
  partBytes: number,
  { maxDepth, ...limits }: JsonLimits,
): Items {
  const ofItems = { ...limits, maxDepth: maxDepth - 2 }
  const values: JsonValue[] = []
  let elements = 0
  let end = start
  let size = partBytes
  while (end < bytes.length) {
    const part = partOf(bytes, end, size, 0, ofItems)
    if (part.bytes > 0) {
      elements += part.elements
      if (elements > limits.maxElements) throw refused
      const items = parsed(`[${part.text.slice(0, -1)}]`, part.elements) as JsonValue[]
      for (const value of items) values.push(value)
      end += part.bytes
      size = partBytes
    } else {
      // An item that is longer: most likely it is one long string.
      const quote = part.isLast ? -1 : bytes.indexOf(0x22, end + size)
      if (quote === -1) break
      size = Math.max(2 * size, quote - end + partBytes)
    }
  }
  return { values, elements, end }
}

/**
 * Returns the part that ends with the last boundary of `size` bytes; of 0 bytes if there is none.
 *
 * @param depth - the depth of the items in the text.
 */
function partOf(bytes: Uint8Array, start: number, size: number, depth: number, limits: JsonLimits): Part {
  const end = characterStart(bytes, start + size)
  const text = decoded(bytes, start, end)
  const boundary: ItemBoundary = { depth, position: 0, elements: 0, isComplete: false }
  scanJson(text, limits, boundary)
  const { position, elements } = boundary
  const isLast = boundary.isComplete || end === bytes.length
  const taken = text.length === end - start ? position : utf8Length(text.slice(0, position))
  return { text: text.slice(0, position), bytes: taken, elements, isLast }
}

/** Returns the greatest position up to `at` at which a character starts. */
function characterStart(bytes: Uint8Array, at: number): number {
  let start = Math.min(at, bytes.length)
  while (start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start--
  return start
}

/** The error of a body that is parsed at once, which finds the error to return. */
const refused = new Error('The body cannot be parsed in parts.')

function decoded(bytes: Uint8Array, start: number, end?: number): string {
  // It may be a byte order mark, which decoding leaves out.
  if (bytes[start] === 0xef) throw refused
  return decodeUtf8(bytes.subarray(start, end))
}

function parsed(text: string, elements: number): JsonValue {
  const value = parseScanned(text, elements)
  if (value === undefined) throw refused
  return value
}

/** Stands for the items in the text without them. */
const placeholder = 'null,'

function joined(bytes: Uint8Array, head: Part, items: Items, limits: JsonLimits): ParsedParts {
  const tail = decoded(bytes, items.end)
  const text = head.text + placeholder + tail
  const elements = scanJson(text, limits)
  if (items.elements + elements - 1 > limits.maxElements) throw refused
  const value = parsed(text, elements)
  const array = arrayWithNull(value as JsonObject)
  const after = array.splice(array.indexOf(null))
  after.shift()
  for (const item of items.values) array.push(item)
  for (const item of after) array.push(item)
  return { value, frame: { head: head.text, headBytes: head.bytes, tail, tailStart: items.end } }
}

/** Returns the member with the placeholder. Throws if it may be one of the caller's. */
function arrayWithNull(body: JsonObject): JsonValue[] {
  const arrays = Object.values(body).filter(member => Array.isArray(member)) as JsonValue[][]
  const [array, ...others] = arrays.flatMap(items => items.filter(item => item === null).map(() => items))
  if (array === undefined || others.length > 0) throw refused
  return array
}
