import type { EmbeddingEncoding, EmbeddingVector } from '../../contracts/embedding.ts'
import { UpstreamError } from '../../errors/upstream-error.ts'
import { float32Text } from './float32-text.ts'

/** Bytes of a float32 value. */
const width = 4

/** How many bytes become characters at once: more would exceed the maximum number of arguments. */
const bytesAtOnce = 8_192

/** Guards against text that would end the array. Whether it is valid JSON is the provider's task. */
const numberArray = /^\[[-+0-9.eE, \t\r\n]*\]$/
const base64Text = /^[A-Za-z0-9+/]*={0,2}$/

/**
 * Returns a vector as the JSON text of an answer. A vector that the vendor wrote in this encoding is passed on as it is. Others
 * are converted, and keep the precision of float32.
 *
 * @throws UpstreamError of kind `garbled` for an invalid vector.
 */
export function vectorText(vector: EmbeddingVector, encoding: EmbeddingEncoding): string {
  if (encoding === 'float') {
    if (vector.kind !== 'json') return numbersText(valuesOf(vector))
    if (!numberArray.test(vector.text)) throw invalidVector('is no array of numbers')
    return vector.text
  }
  if (vector.kind !== 'base64') return `"${base64Of(valuesOf(vector))}"`
  // Validates the length only: decoding it is what this saves.
  if (!base64Text.test(vector.text) || byteLength(vector.text) % width !== 0) throw notBase64()
  return `"${vector.text}"`
}

function valuesOf(vector: EmbeddingVector): ArrayLike<number> {
  if (vector.kind === 'values') return vector.values
  return vector.kind === 'json' ? parsedNumbers(vector.text) : floatsOf(vector.text)
}

/** Its items are checked when they are converted. */
function parsedNumbers(text: string): readonly number[] {
  try {
    const numbers: unknown = JSON.parse(text)
    if (Array.isArray(numbers)) return numbers
  } catch {
    // As below.
  }
  throw invalidVector('is no array of numbers')
}

/** Writes numbers as JSON. A negative zero stays one. */
function numbersText(values: ArrayLike<number>): string {
  let hasNegativeZero = false
  for (let index = 0; index < values.length; index++) {
    const value = values[index]
    if (!Number.isFinite(value)) throw notFinite()
    if (value === 0 && Object.is(value, -0)) hasNegativeZero = true
  }
  if (values instanceof Float32Array) return float32Text(values)
  const numbers = Array.isArray(values) ? values : Array.from(values)
  if (!hasNegativeZero) return JSON.stringify(numbers)
  return `[${numbers.map(number => (Object.is(number, -0) ? '-0' : String(number))).join(',')}]`
}

/** Returns the base64 of little-endian float32 values. */
function base64Of(values: ArrayLike<number>): string {
  const view = new DataView(new ArrayBuffer(values.length * width))
  for (let index = 0; index < values.length; index++) {
    const value = values[index]!
    if (!Number.isFinite(value) || !Number.isFinite(Math.fround(value))) throw notFinite()
    view.setFloat32(index * width, value, true)
  }
  let binary = ''
  for (let from = 0; from < view.byteLength; from += bytesAtOnce) {
    const length = Math.min(bytesAtOnce, view.byteLength - from)
    // Not spread, which goes through an iterator.
    binary += Reflect.apply(String.fromCharCode, undefined, new Uint8Array(view.buffer, from, length))
  }
  return btoa(binary)
}

/** Returns the float32 values of base64. */
function floatsOf(text: string): Float32Array {
  if (!base64Text.test(text) || byteLength(text) % width !== 0) throw notBase64()
  const binary = atob(text)
  const view = new DataView(new ArrayBuffer(binary.length))
  for (let index = 0; index < binary.length; index++) view.setUint8(index, binary.charCodeAt(index))
  const values = new Float32Array(binary.length / width)
  for (let index = 0; index < values.length; index++) values[index] = view.getFloat32(index * width, true)
  return values
}

/** Returns the number of bytes of padded base64, or NaN if its length is not that of padded base64. */
function byteLength(text: string): number {
  if (text.length % 4 !== 0) return Number.NaN
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  return (text.length / 4) * 3 - padding
}

function notBase64(): UpstreamError {
  return invalidVector('is not the base64 of float32 values')
}

function notFinite(): UpstreamError {
  return invalidVector('has a value that is no finite number')
}

function invalidVector(reason: string): UpstreamError {
  return new UpstreamError(`The upstream's answer has a vector that ${reason}.`, { kind: 'garbled' })
}
