import type { LimitRuleData, Principal } from './principal.ts'

/** The settings of a new key. */
export interface KeySpec {
  /** A display name, shown in lists only. */
  readonly name: string
  /** Patterns of the models that the key may use (`*` matches any text). Default: all. */
  readonly models?: readonly string[] | undefined
  readonly tags?: Readonly<Record<string, string>> | undefined
  /** Limits of the key, in addition to those of the gateway. A scope that is a function cannot be stored. */
  readonly limits?: readonly LimitRuleData[] | undefined
  /** When the key expires: milliseconds since 1970, or a `Date`. Default: never. */
  readonly expiresAt?: number | Date | undefined
}

/** Changes to a key. Absent fields stay as they are; `null` removes a restriction. */
export interface KeyChanges {
  readonly name?: string | undefined
  readonly models?: readonly string[] | null | undefined
  readonly tags?: Readonly<Record<string, string>> | null | undefined
  readonly limits?: readonly LimitRuleData[] | null | undefined
  readonly expiresAt?: number | Date | null | undefined
  readonly disabled?: boolean | undefined
}

/** A key as it is stored, without its secret text. Times are milliseconds since 1970. */
export interface StoredKey {
  /** The public part of the key, and the id of its principal. Rotation does not change it. */
  readonly id: string
  readonly name: string
  readonly models: readonly string[] | null
  readonly tags: Readonly<Record<string, string>> | null
  readonly limits: readonly LimitRuleData[] | null
  readonly disabled: boolean
  readonly createdAt: number
  readonly expiresAt: number | null
  /** Precise to the minute; `null` if the key was never used. */
  readonly lastUsedAt: number | null
  /** Its secrets, newest first. There is more than one while a rotation overlaps. */
  readonly secrets: readonly KeySecret[]
}

/** One secret of a key, stored as a digest. */
export interface KeySecret {
  readonly digest: string
  readonly createdAt: number
  readonly expiresAt: number | null
}

/** A key that was just issued. `key` is its text, which cannot be retrieved again. */
export interface IssuedKey {
  readonly key: string
  readonly stored: StoredKey
}

/**
 * Issues, changes and revokes API keys while gateways run. Every process applies a change within 5 seconds (`cacheMs` of
 * `apiKeys`). While the store is unavailable, recently used keys stay valid, unchanged, for another `staleMs`.
 */
export interface KeyStore {
  /** Creates a key. Throws `TypeError` for settings that are invalid or cannot be stored. */
  issue(spec: KeySpec): Promise<IssuedKey>
  /** Returns all keys, newest first. */
  list(): Promise<readonly StoredKey[]>
  get(id: string): Promise<StoredKey | undefined>
  /** Changes a key. Throws `TypeError` for an unknown id or a change that cannot be stored. */
  update(id: string, changes: KeyChanges): Promise<StoredKey>
  /** Issues a new secret for a key. Older secrets expire after `overlapMs` milliseconds at most (default 0). */
  rotate(id: string, options?: { readonly overlapMs?: number }): Promise<IssuedKey>
  /** Deletes a key with all its secrets, and returns whether it existed. Its usage stays in the ledger. */
  delete(id: string): Promise<boolean>
  /**
   * Returns the key with a digest, or `undefined`: for `apiKeys`. `expiresAt` is that of the secret if it expires before the
   * key.
   */
  find(digest: string): Promise<ApiKeyRecord | undefined>
  /** Returns the digests of a key's text, one per pepper, newest first; none if it is not a key of this store. */
  digests(text: string): readonly string[]
}

/** The fields of a stored key that can change. */
export type KeyFields = Pick<StoredKey, 'name' | 'models' | 'tags' | 'limits' | 'disabled' | 'expiresAt'>

/**
 * The tables under a key store, in one database or another.
 * `keyStoreConformance` of `@sluice/testing/conformance` tests all that they do.
 */
export interface KeyRepository {
  insert(key: StoredKey): Promise<void>
  /** Returns all keys, newest first. */
  list(): Promise<readonly StoredKey[]>
  get(id: string): Promise<StoredKey | undefined>
  /**
   * Writes the given fields, `null` included, in one atomic statement. Leaves the other fields unchanged, so that concurrent
   * changes of different fields do not undo each other. Returns whether the key exists.
   */
  update(id: string, changes: Partial<KeyFields>): Promise<boolean>
  /**
   * Adds a secret, in one atomic step. Older secrets expire at `endAt` at the latest; those that expired before `now` are
   * deleted. Returns whether the key exists.
   */
  addSecret(id: string, secret: KeySecret, endAt: number, now: number): Promise<boolean>
  /** Deletes the key and its secrets, in one atomic step. Returns whether the key existed. */
  delete(id: string): Promise<boolean>
  /**
   * Returns the key with this secret, in one query. Updates `lastUsedAt` at most once a minute, and not for a secret that
   * has expired.
   */
  findByDigest(digest: string, now: number): Promise<StoredKey | undefined>
}

/** A key and its principal, as a lookup returns it. `null` means the same as absent. */
export interface ApiKeyRecord
  extends Omit<Principal, 'source' | 'models' | 'tags' | 'limits' | 'storeResponses'> {
  /** Patterns of the models that the key may use (`*` matches any text). Default: all. */
  readonly models?: readonly string[] | null | undefined
  readonly tags?: Readonly<Record<string, string>> | null | undefined
  /** Limits of this key, in addition to `limits` of the gateway. */
  readonly limits?: readonly LimitRuleData[] | null | undefined
  /** Whether responses of the Responses API are stored. Default: true. */
  readonly storeResponses?: boolean | null | undefined
  /** When the key expires: milliseconds since 1970, or a `Date`. Default: never. */
  readonly expiresAt?: number | Date | null | undefined
  readonly disabled?: boolean | null | undefined
}

/** Finds a key by its digest (see `hashApiKey`) in your own store. Returns `undefined` or `null` if there is none. */
export type ApiKeyLookup = (
  digest: string,
) => ApiKeyRecord | undefined | null | Promise<ApiKeyRecord | undefined | null>
