import type { CacheStore } from '../contracts/cache-store.ts'
import type { LimitStore } from '../contracts/limit-store.ts'
import type { MemoryStoreName, ProcessStores } from '../contracts/process-stores.ts'
import type { ResponseStore } from '../contracts/response-store.ts'

/**
 * How long an operation of a shared store may take, in milliseconds. A busy machine delays both processes, and only one of them
 * counts: so it is longer than for a server.
 */
export const processStoreTimeoutMs = 500

/** Of the global object, as this module may be loaded twice: by `import` and by `require`. */
const sharedKey: unique symbol = Symbol.for('sluice.processStores')

type Global = { [sharedKey]?: ProcessStores }

interface Kinds {
  readonly limits: LimitStore
  readonly cache: CacheStore
  readonly responses: ResponseStore
}

interface MemoryStore {
  readonly kind: keyof Kinds
  readonly name: MemoryStoreName
}

const memoryStores = new WeakMap<object, MemoryStore>()
const created: Record<keyof Kinds, number> = { limits: 0, cache: 0, responses: 0 }
const followedStores = new WeakSet<object>()

/**
 * Makes all gateways of this process use these stores instead of stores in its memory, from now on. `undefined` ends that.
 * `serve` of `@sluice/node` calls it in each of its workers.
 */
export function shareProcessStores(stores: ProcessStores | undefined): void {
  const target = globalThis as Global
  if (stores === undefined) delete target[sharedKey]
  else target[sharedKey] = stores
}

/** Returns the stores that this process shares with others; `undefined` if each has its own. */
export function processStores(): ProcessStores | undefined {
  return (globalThis as Global)[sharedKey]
}

/** Notes that a store is in the memory of this process. One with a clock of its own is never replaced. */
export function noteMemoryStore<Kind extends keyof Kinds>(
  kind: Kind,
  store: Kinds[Kind],
  given: object,
): void {
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  if (!set.every((size): size is [string, number] => typeof size[1] === 'number')) return
  memoryStores.set(store, { kind, name: { ordinal: created[kind]++, sizes: Object.fromEntries(set) } })
}

/** Whether a store is one in memory, which processes may share. */
export function isMemoryStore(store: object): boolean {
  return memoryStores.has(store) || followedStores.has(store)
}

/** Returns the store that replaces a store in memory, if processes share it; else the store itself. */
export function sharedStore<Store extends Kinds[keyof Kinds]>(store: Store): Store {
  const stores = processStores()
  const made = stores === undefined ? undefined : memoryStores.get(store)
  return made === undefined ? store : (stores![made.kind](made.name) as Store)
}

/** Returns a cache store that is `sharedStore(store)` at each call: a gateway may be created before its process shares. */
export function followedCacheStore(store: CacheStore): CacheStore {
  if (!memoryStores.has(store)) return store
  const followed: CacheStore = {
    get: key => sharedStore(store).get(key),
    set: (key, text, lifetime) => sharedStore(store).set(key, text, lifetime),
    add: (key, text, lifetime) => sharedStore(store).add(key, text, lifetime),
    replace: (key, expected, text, lifetime) => sharedStore(store).replace(key, expected, text, lifetime),
  }
  followedStores.add(followed)
  return followed
}

/** Returns a response store that is `sharedStore(store)` at each call. */
export function followedResponseStore(store: ResponseStore): ResponseStore {
  if (!memoryStores.has(store)) return store
  return {
    put: response => sharedStore(store).put(response),
    get: (owner, id) => sharedStore(store).get(owner, id),
    findItem: (owner, itemId) => sharedStore(store).findItem(owner, itemId),
    delete: (owner, id) => sharedStore(store).delete(owner, id),
  }
}
