import { mixed, textHash } from '../primitives/text-hash.ts'

/**
 * How far each of some arms is from a key: the least is the key's own. An arm that leaves moves its own keys alone, and
 * one that comes takes its share from all (weighted rendezvous hashing, Schindelhauer and Schomaker 2005).
 */
export type Distances = (key: string) => readonly number[]

/** @param ids - of the arms, each another; the order does not matter. */
export function rendezvous(ids: readonly string[], weights: readonly number[]): Distances {
  const arms = ids.map(textHash)
  return key => {
    const hash = textHash(key)
    return arms.map(
      (arm, at) => -Math.log((mixed(Math.imul(hash, 0x9e3779b1) ^ arm) + 0.5) / 2 ** 32) / weights[at]!,
    )
  }
}

/** Ids of which none is there twice: further ones of the same are numbered. */
export function distinctIds(ids: readonly string[]): readonly string[] {
  const seen = new Map<string, number>()
  return ids.map(id => {
    const times = (seen.get(id) ?? 0) + 1
    seen.set(id, times)
    return times === 1 ? id : `${id}#${times}`
  })
}
