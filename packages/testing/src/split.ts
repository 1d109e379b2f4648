import { seededRandom } from './seeded-random.ts'

/**
 * How to divide bytes: not at all, into single bytes, or into pieces of random length from 1 to `max` bytes, 64 by default. The
 * same `seed` gives the same pieces.
 */
export type Split = 'whole' | 'bytes' | { readonly seed: number; readonly max?: number }

/**
 * Divides `bytes` into pieces. No bytes give no pieces. Throws `RangeError` for a `max` that is no whole number of at least 1.
 */
export function splitBytes(bytes: Uint8Array, split: Split): Uint8Array[] {
  if (bytes.length === 0) return []
  if (split === 'whole') return [bytes]
  const length = split === 'bytes' ? () => 1 : randomLength(split.seed, split.max ?? 64)
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + length()
    pieces.push(bytes.subarray(at, end))
    at = end
  }
  return pieces
}

function randomLength(seed: number, max: number): () => number {
  if (!Number.isInteger(max) || max < 1)
    throw new RangeError(`split.max: got ${max}, expected a whole number >= 1`)
  const next = seededRandom(seed)
  return () => 1 + Math.floor(next() * max)
}
