import { createHash } from 'node:crypto'
import { expect } from 'vitest'

/**
 * A long text by what identifies it: its length in UTF-16 code units, its digest as UTF-8, its beginning and its
 * end. Recordings are not copied here.
 */
export interface Digest {
  readonly length: number
  readonly sha256: string
  readonly starts: string
  readonly ends: string
}

/** The longest text that stands as it is. */
export const longestText = 300

/** Holds a value to what is expected of it; wherever the expectation has a digest, a text has to match that. */
export function expectHeld(value: unknown, expected: unknown, at: string): void {
  expect(shortened(value, expected), at).toEqual(expected)
}

/** The value, with its texts as digests wherever the expectation has one. */
function shortened(value: unknown, expected: unknown): unknown {
  if (isDigest(expected)) return typeof value === 'string' ? digestLike(value, expected) : value
  if (Array.isArray(value) && Array.isArray(expected)) {
    return value.map((item, index) => shortened(item, expected[index]))
  }
  if (isObject(value) && isObject(expected)) {
    return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, shortened(of, expected[key])]))
  }
  return value
}

function digestLike(text: string, { starts, ends }: Digest): Digest {
  return {
    length: text.length,
    sha256: createHash('sha256').update(text).digest('hex'),
    starts: text.slice(0, starts.length),
    ends: text.slice(text.length - ends.length),
  }
}

function isDigest(value: unknown): value is Digest {
  return isObject(value) && Object.keys(value).sort().join() === 'ends,length,sha256,starts'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Every text within a value. */
export function textsWithin(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsWithin)
}
