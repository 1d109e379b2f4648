import { LRUCache } from 'lru-cache'
import { ownMembers } from './own-members.ts'

/**
 * The `max` entries that were used last. Each call brings options of its own: `lru-cache` would read them from
 * `Object.prototype` too, and writes to them.
 */
export class Lru<Value extends object> {
  readonly #entries: LRUCache<string, Value>

  constructor(max: number) {
    this.#entries = new LRUCache<string, Value>(ownMembers({ max }))
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key, ownMembers({}))
  }

  /** Does not count as a use. */
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
