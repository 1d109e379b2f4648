import { seededRandom } from '../seeded-random.ts'

/**
 * Returns independent sequences of random numbers by name, all determined by one seed. A model with a sequence of its own draws the
 * same numbers whatever other models draw.
 */
export function randomStreams(seed: number): (name: string) => () => number {
  return name => {
    // FNV-1a, 32 bits.
    let hash = 0x811c9dc5
    for (const unit of `${seed}/${name}`) hash = Math.imul(hash ^ unit.codePointAt(0)!, 0x01000193)
    return seededRandom(hash >>> 0)
  }
}

const bytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Returns a function that makes ids of 32 hexadecimal digits: 16 random ones, and 16 that are the same in all of them. */
export function seededIds(random: () => number): () => string {
  const word = () => {
    const bits = (random() * 0x1_0000_0000) >>> 0
    return `${bytes[bits >>> 24]}${bytes[(bits >>> 16) & 255]}${bytes[(bits >>> 8) & 255]}${bytes[bits & 255]}`
  }
  const suffix = word() + word()
  return () => word() + word() + suffix
}
