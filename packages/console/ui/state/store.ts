/** A value that can be watched. */
export interface Store<T> {
  get(): T
  /** Gives the next value, made of the last one. */
  update(change: (value: T) => T): void
  /** Calls `listener` after each change. Returns what ends it. */
  subscribe(listener: () => void): () => void
}

/** A store that begins with `value`. */
export function createStore<T>(value: T): Store<T> {
  const listeners = new Set<() => void>()
  let current = value
  return {
    get: () => current,
    update: change => {
      const next = change(current)
      if (next === current) return
      current = next
      for (const listener of listeners) listener()
    },
    subscribe: listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
