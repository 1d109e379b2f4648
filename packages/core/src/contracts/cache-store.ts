/** Where a text is stored. Two owners never share a text, whatever they name it. */
export interface CacheKey {
  /** Whose share of the store the text counts against: a principal, or a group that shares answers. */
  readonly owner: string
  readonly name: string
}

/** How long a text is stored, and what may end that sooner. */
export interface CacheLifetime {
  /** In milliseconds, above 0. */
  readonly ttlMs: number
  /** Whether the store must not evict it before its time: the claim of a request in flight. Default `false`. */
  readonly pinned?: boolean
}

/**
 * What `add` did. `added`: the text is stored. `existing`: another one is, and stays. `full`: nothing is stored, as all
 * that would have to make room is pinned.
 */
export type AddResult = 'added' | 'full' | { readonly existing: string }

/**
 * Stores texts for a time: the answers of a cache, and the state of idempotency keys. Owners, names and texts are
 * well-formed Unicode of one character at least.
 *
 * Every operation is one atomic step. A store never returns another text than it was given, and never evicts a pinned
 * one. It may evict any other to make room. An owner has a bounded number of texts: one more evicts a text of the same
 * owner and none of another.
 *
 * `cacheStoreConformance` of `@sluice/testing/conformance` tests all of it.
 */
export interface CacheStore {
  /** Returns the stored text, or `undefined`. */
  get(key: CacheKey): string | undefined | Promise<string | undefined>
  /** Stores a text in place of any other. A store that has no room for it drops both. */
  set(key: CacheKey, text: string, lifetime: CacheLifetime): void | Promise<void>
  /** Stores a text where none is stored. */
  add(key: CacheKey, text: string, lifetime: CacheLifetime): AddResult | Promise<AddResult>
  /**
   * Stores `text` in place of `expected`, or removes it where `text` is `undefined`. Changes nothing where anything else
   * is stored, or nothing is. Returns whether `expected` was there.
   */
  replace(
    key: CacheKey,
    expected: string,
    text: string | undefined,
    lifetime: CacheLifetime,
  ): boolean | Promise<boolean>
}

/** What became of an operation of a store. */
export type StoreOutcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown }

/** A store that answers in time or is done without: its operations neither throw nor reject. */
export interface GuardedCacheStore {
  get(key: CacheKey): Promise<StoreOutcome<string | undefined>>
  set(key: CacheKey, text: string, lifetime: CacheLifetime): Promise<StoreOutcome<void>>
  /** Removes what was added too late for its caller to hear of it. */
  add(key: CacheKey, text: string, lifetime: CacheLifetime): Promise<StoreOutcome<AddResult>>
  replace(
    key: CacheKey,
    expected: string,
    text: string | undefined,
    lifetime: CacheLifetime,
  ): Promise<StoreOutcome<boolean>>
}
