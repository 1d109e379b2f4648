import { Lru } from '../primitives/lru.ts'
import type { SoundRecord } from './key-record.ts'

/** What is remembered of a key, and since when: from when the store was asked on. */
export interface Seen {
  /** `undefined`: the store does not know the key. */
  readonly record: SoundRecord | undefined
  readonly askedAt: number
}

/** The keys that a store was asked for, found ones and unknown ones. Of each sort the least used is forgotten. */
export interface SeenKeys {
  get(name: string): Seen | undefined
  /** Keeps what a store said, unless something is kept that it said to a later question. */
  keep(name: string, seen: Seen): void
  /** Nothing is known of the key any more, unless something is kept that was said to a later question. */
  forget(name: string, askedAt: number): void
}

export function seenKeys(maxFound: number, maxUnknown: number): SeenKeys {
  // Apart, so that a flood of unknown keys does not drive out the found ones.
  const found = new Lru<Seen>(maxFound)
  const unknown = new Lru<Seen>(maxUnknown)
  const isOld = (name: string, askedAt: number) =>
    askedAt < (found.peek(name)?.askedAt ?? unknown.peek(name)?.askedAt ?? Number.NEGATIVE_INFINITY)
  return {
    get: name => found.get(name) ?? unknown.get(name),
    keep(name, seen) {
      if (isOld(name, seen.askedAt)) return
      const [kept, other] = seen.record === undefined ? [unknown, found] : [found, unknown]
      other.delete(name)
      kept.set(name, seen)
    },
    forget(name, askedAt) {
      if (isOld(name, askedAt)) return
      found.delete(name)
      unknown.delete(name)
    },
  }
}
