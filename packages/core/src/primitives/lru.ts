import { LRUCache } from 'lru-cache'
import { ownMembers } from './own-members.ts'

/**
 * A cache of the `max` most recently used entries. Each call passes its own options object, because `lru-cache` would otherwise
 * read options from `Object.prototype`, and writes to the object.
 */
export class Lru<Value extends object> {
  readonly #entries: LRUCache<string, Value>

  constructor(max: number) {
    this.#entries = new LRUCache<string, Value>(ownMembers({ max }))
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key, ownMembers({}))
  }

  /** Returns an entry without marking it as used. */
  peek(key: string): Value | undefined {
    return this.#entries.peek(key, ownMembers({}))
  }

  set(key: string, value: Value): void {
    this.#entries.set(key, value, ownMembers({}))
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}
