/** Returns a 32-bit hash of a text (FNV-1a over UTF-16 units): equal texts have equal hashes on every machine. */
export function hash(text: string, seed = 0): number {
  let state = (0x811c9dc5 ^ seed) >>> 0
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193)
  // FNV-1a varies little in its last bits for short texts, so the finalizer of MurmurHash3 follows.
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35)
  return (state ^ (state >>> 16)) >>> 0
}

/** Creates a generator of numbers from 0 up to, but not including, 1 (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Returns an id of 24 characters: equal texts have equal ids. */
export function hashedId(text: string): string {
  const part = (index: number) =>
    hash(text, index * 0x9e3779b9)
      .toString(36)
      .padStart(7, '0')
  return [0, 1, 2, 3].map(part).join('').slice(0, 24)
}
