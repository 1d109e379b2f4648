/**
 * Returns a generator of numbers from 0 up to, but not including, 1, determined by the lower 32 bits of the seed. It is a
 * counter in steps of the golden ratio, mixed by the 32-bit finalizer of MurmurHash3. Not for secrets.
 */
export function seededRandom(seed: number): () => number {
  let count = seed | 0
  return () => {
    count = (count + 0x9e3779b9) | 0
    let mixed = count ^ (count >>> 16)
    mixed = Math.imul(mixed, 0x85ebca6b)
    mixed ^= mixed >>> 13
    mixed = Math.imul(mixed, 0xc2b2ae35)
    mixed ^= mixed >>> 16
    return (mixed >>> 0) / 4_294_967_296
  }
}
