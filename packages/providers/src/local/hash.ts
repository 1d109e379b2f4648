/** A 32-bit number from a text (FNV-1a over UTF-16 units): the same text gives the same number everywhere. */
export function hash(text: string, seed = 0): number {
  let state = (0x811c9dc5 ^ seed) >>> 0
  for (let at = 0; at < text.length; at++) {
    state = Math.imul(state ^ text.charCodeAt(at), 0x01000193)
  }
  // The last bits of FNV-1a vary little between short texts: mix once more (the finaliser of MurmurHash3).
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35)
  return (state ^ (state >>> 16)) >>> 0
}

/** Numbers from 0 up to, but not including, 1, always the same ones for a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** An identifier of 24 characters made from a text: the same text gives the same identifier. */
export function hashedId(text: string): string {
  let id = ''
  for (let part = 0; id.length < 24; part++)
    id += hash(text, part * 0x9e3779b9)
      .toString(36)
      .padStart(7, '0')
  return id.slice(0, 24)
}
