/** Identifies an entry of a `CacheStore`. Entries of different owners are separate, even under the same name. */
export interface CacheKey {
  /**
   * Who shares the entry: a principal, or a group of principals that share cached responses. A store bounds the number of
   * entries per owner.
   */
  readonly owner: string
  readonly name: string
}

/** How long a store keeps an entry, and whether it may evict it earlier. */
export interface CacheLifetime {
  /** Milliseconds until the entry expires; above 0. */
  readonly ttlMs: number
  /** Whether the store must keep the entry until it expires, as for the lock of a request in flight. Default `false`. */
  readonly pinned?: boolean
}

/**
 * The result of `add`. `added`: the text is stored. `existing`: the key already had a text, which is unchanged. `full`:
 * nothing was stored, because only pinned entries could be evicted.
 */
export type AddResult = 'added' | 'full' | { readonly existing: string }

/**
 * Stores texts until they expire: cached responses, and the state of idempotency keys. Owners, names and texts are
 * well-formed Unicode and not empty.
 *
 * Every operation is atomic. A store returns exactly the text that was stored under a key. It may evict any entry that is
 * not pinned. The number of entries per owner is bounded: adding one more evicts an entry of the same owner, never one of
 * another.
 *
 * `cacheStoreConformance` of `@sluice/testing/conformance` tests all of it.
 */
export interface CacheStore {
  /** Returns the stored text, or `undefined`. */
  get(key: CacheKey): string | undefined | Promise<string | undefined>
  /** Stores a text and replaces an existing one. If the store is full, it stores nothing and removes the existing text. */
  set(key: CacheKey, text: string, lifetime: CacheLifetime): void | Promise<void>
  /** Stores a text unless the key has one. */
  add(key: CacheKey, text: string, lifetime: CacheLifetime): AddResult | Promise<AddResult>
  /**
   * Compares and swaps: replaces `expected` by `text`, or removes it if `text` is `undefined`. Changes nothing if the
   * stored text is not `expected`. Returns whether it was.
   */
  replace(
    key: CacheKey,
    expected: string,
    text: string | undefined,
    lifetime: CacheLifetime,
  ): boolean | Promise<boolean>
  /**
   * Deletes all entries of an owner, pinned ones too, and returns how many there were. It is not atomic: an entry that is
   * stored meanwhile may stay. Default: the entries of an owner stay until they expire.
   */
  deleteOwner?(owner: string): number | Promise<number>
}

/** The result of a store operation: its value, or the error that it failed with. */
export type StoreOutcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown }

/** A `CacheStore` with a timeout and a circuit breaker. Its operations neither throw nor reject. */
export interface GuardedCacheStore {
  get(key: CacheKey): Promise<StoreOutcome<string | undefined>>
  set(key: CacheKey, text: string, lifetime: CacheLifetime): Promise<StoreOutcome<void>>
  /** Removes the text again if the store added it only after the timeout. */
  add(key: CacheKey, text: string, lifetime: CacheLifetime): Promise<StoreOutcome<AddResult>>
  replace(
    key: CacheKey,
    expected: string,
    text: string | undefined,
    lifetime: CacheLifetime,
  ): Promise<StoreOutcome<boolean>>
}
