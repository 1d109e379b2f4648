import { seededRandom } from './seeded-random.ts'

/**
 * How bytes are cut into pieces: not at all, one byte each, or pieces of random length from 1 to `max`
 * (default 64) bytes that are the same for the same `seed`.
 */
export type Split = 'whole' | 'bytes' | { readonly seed: number; readonly max?: number }

/** Cuts `bytes` into pieces which, joined, are `bytes` again. No bytes give no pieces. */
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
