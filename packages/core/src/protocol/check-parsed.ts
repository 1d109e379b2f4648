import { utf8Length } from '../primitives/utf8-length.ts'
import type { JsonLimits } from './json.ts'
import {
  loneSurrogate,
  notJson,
  numberOutOfRange,
  tooDeep,
  tooMany,
  tooManyMembers,
} from './json-refusals.ts'

const surrogate = /\p{Surrogate}/u

interface Frame {
  readonly container: object
  /** The keys of an object; `undefined` for an array. */
  readonly keys: readonly string[] | undefined
  readonly length: number
  next: number
}

/**
 * Applies the rules of `parseJson` to a body from a body parser, without recursion. A cycle exceeds the depth limit. Duplicate
 * keys cannot be detected.
 *
 * @returns the length of its JSON text as `JSON.stringify` writes it, in bytes: no other text of it is shorter, but for numbers.
 * @throws GatewayError 400, also for values that JSON cannot represent: dates, functions, big integers, class instances.
 */
export function checkParsed(value: unknown, { maxDepth, maxElements, maxMembers }: JsonLimits): number {
  const frames: Frame[] = []
  let elements = 0
  let size = 0
  const visit = (item: unknown): void => {
    if (++elements > maxElements) throw tooMany(maxElements)
    if (typeof item !== 'object' || item === null) {
      size += scalarSize(item, frames)
      return
    }
    if (frames.length === maxDepth) throw tooDeep(pathOf(frames), maxDepth)
    const frame = open(item, frames)
    if (frame.keys !== undefined && frame.length > maxMembers)
      throw tooManyMembers(pathOf(frames), maxMembers)
    size += 1 + Math.max(frame.length, 1)
    frames.push(frame)
  }
  visit(value)
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    if (frame.next === frame.length) {
      frames.pop()
      continue
    }
    const { container, keys } = frame
    const key = keys === undefined ? frame.next : (keys[frame.next] ?? '')
    frame.next++
    const item: unknown = Reflect.get(container, key)
    if (keys === undefined) visit(item)
    else if (item !== undefined) {
      if (surrogate.test(key as string)) throw loneSurrogate(pathOf(frames.slice(0, -1)))
      size += quotedLength(key as string) + 1
      visit(item)
    }
  }
  return size
}

function open(container: object, frames: readonly Frame[]): Frame {
  if (Array.isArray(container)) return { container, keys: undefined, length: container.length, next: 0 }
  // An object of another realm has a plain prototype too, but not ours.
  const prototype: unknown = Object.getPrototypeOf(container)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw notJson(pathOf(frames), `a ${Object.prototype.toString.call(container).slice(8, -1)}`)
  }
  const keys = Object.keys(container)
  return { container, keys, length: keys.length, next: 0 }
}

function scalarSize(item: unknown, frames: readonly Frame[]): number {
  switch (typeof item) {
    case 'string':
      if (surrogate.test(item)) throw loneSurrogate(pathOf(frames))
      return quotedLength(item)
    case 'number':
      return numberSize(item, frames)
    case 'boolean':
      return item ? 4 : 5
    case 'object':
      return 4
    default:
      throw notJson(pathOf(frames), typeof item === 'undefined' ? 'undefined' : `a ${typeof item}`)
  }
}

/** The length of a text in JSON, in bytes. */
function quotedLength(text: string): number {
  let escapes = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 34 || code === 92) escapes++
    else if (code < 32) escapes += shortEscapes.has(code) ? 1 : 5
  }
  return utf8Length(text) + escapes + 2
}

/** `\b`, `\t`, `\n`, `\f` and `\r`. */
const shortEscapes = new Set([8, 9, 10, 12, 13])

function numberSize(item: number, frames: readonly Frame[]): number {
  if (Number.isNaN(item)) throw notJson(pathOf(frames), 'NaN')
  const token = String(item)
  // From 1e21 on, JavaScript writes an exponent.
  const rounded = Number.isInteger(item) && !Number.isSafeInteger(item) && !token.includes('e')
  if (rounded || !Number.isFinite(item)) {
    throw numberOutOfRange(pathOf(frames), rounded ? 'integer' : 'decimal', token)
  }
  return token.length
}

function pathOf(frames: readonly Frame[]): (string | number)[] {
  return frames.map(({ keys, next }) => keys?.[next - 1] ?? next - 1)
}
