import type { LimitRuleData, Principal } from './principal.ts'

/** What a key is issued for. */
export interface KeySpec {
  /** A name for people: it is shown in lists and nowhere else. */
  readonly name: string
  /** Patterns of the models that the key may use. Absent: all. */
  readonly models?: readonly string[]
  readonly tags?: Readonly<Record<string, string>>
  /** Rules beside the gateway's own. A scope that is a function cannot be kept. */
  readonly limits?: readonly LimitRuleData[]
  /** Milliseconds since 1970, or a `Date`. Absent: never. */
  readonly expiresAt?: number | Date
}

/** What of a key can be changed. `null` takes a restriction away. */
export interface KeyChanges {
  readonly name?: string
  readonly models?: readonly string[] | null
  readonly tags?: Readonly<Record<string, string>> | null
  readonly limits?: readonly LimitRuleData[] | null
  readonly expiresAt?: number | Date | null
  readonly disabled?: boolean
}

/** What is kept of a key: never the key itself. Times are milliseconds since 1970. */
export interface StoredKey {
  /** The public part of the key, and the principal's id. It stays when the secret is rotated. */
  readonly id: string
  readonly name: string
  readonly models: readonly string[] | null
  readonly tags: Readonly<Record<string, string>> | null
  readonly limits: readonly LimitRuleData[] | null
  readonly disabled: boolean
  readonly createdAt: number
  readonly expiresAt: number | null
  /** To the minute. */
  readonly lastUsedAt: number | null
  /** Its secrets, newest first: one, or more while a rotation overlaps. */
  readonly secrets: readonly KeySecret[]
}

/** One secret of a key, by its digest. */
export interface KeySecret {
  readonly digest: string
  readonly createdAt: number
  readonly expiresAt: number | null
}

/** A fresh key. `key` is the only time that its text is seen. */
export interface IssuedKey {
  readonly key: string
  readonly stored: StoredKey
}

/**
 * Keys that are issued, changed and revoked while gateways run. Every process sees it within 5 seconds (`cacheMs` of
 * `apiKeys`). While the store is away, a key that was seen shortly before is let in for `staleMs` more, as it was.
 */
export interface KeyStore {
  issue(spec: KeySpec): Promise<IssuedKey>
  /** Newest first. */
  list(): Promise<readonly StoredKey[]>
  get(id: string): Promise<StoredKey | undefined>
  /** Throws `TypeError` for an unknown id or a change that cannot be kept. */
  update(id: string, changes: KeyChanges): Promise<StoredKey>
  /** A new secret for the same key. The secrets before it go on for `overlapMs` (default 0), and not longer. */
  rotate(id: string, options?: { readonly overlapMs?: number }): Promise<IssuedKey>
  /** Forgets a key and all its secrets. Resolves to whether it was there. What it has used stays in the ledger. */
  delete(id: string): Promise<boolean>
  /**
   * For `apiKeys`. Resolves to `undefined` for a digest that is not there. The record of a secret that has expired ends when
   * the secret did.
   */
  find(digest: string): Promise<ApiKeyRecord | undefined>
  /** The digests under which a text may be kept, newest pepper first; none for what cannot be a key of this store. */
  digests(text: string): readonly string[]
}

/** What of a kept key can be changed after it was issued. */
export type KeyFields = Pick<StoredKey, 'name' | 'models' | 'tags' | 'limits' | 'disabled' | 'expiresAt'>

/**
 * The tables under a key store, in one database or another.
 * `keyStoreConformance` of `@sluice/testing/conformance` tests all that they do.
 */
export interface KeyRepository {
  insert(key: StoredKey): Promise<void>
  /** Newest first. */
  list(): Promise<readonly StoredKey[]>
  get(id: string): Promise<StoredKey | undefined>
  /**
   * Whether the key is there. In one step: writes the fields that are given (`null` is written too), and leaves the
   * others as they are. Two who change different fields at once do not undo each other: a key that one disables
   * stays disabled while another one renames it.
   */
  update(id: string, changes: Partial<KeyFields>): Promise<boolean>
  /**
   * Whether the key is there. In one step: adds a secret, ends those before it at `endAt` at the latest, and forgets
   * those that had ended before `now`.
   */
  addSecret(id: string, secret: KeySecret, endAt: number, now: number): Promise<boolean>
  /** Whether the key was there. In one step: the key and all its secrets are gone. Records in a ledger stay. */
  delete(id: string): Promise<boolean>
  /**
   * The key that has this secret, in one query. Notes that it was used, at most once a minute, but not by a secret that
   * has ended.
   */
  findByDigest(digest: string, now: number): Promise<StoredKey | undefined>
}

/** What is known of a key, and who it speaks for. A `null`, as stores give it, is nothing known. */
export interface ApiKeyRecord extends Omit<Principal, 'source' | 'models' | 'tags' | 'limits'> {
  /** Patterns of the models that the key may use; absent means all. */
  readonly models?: readonly string[] | null
  readonly tags?: Readonly<Record<string, string>> | null
  /** Rules for this key, beside those of the gateway's `limit`. */
  readonly limits?: readonly LimitRuleData[] | null
  /** Milliseconds since 1970, or a `Date`; from then on the key is refused. */
  readonly expiresAt?: number | Date | null
  readonly disabled?: boolean | null
}

/** Finds a key by its digest (`hashApiKey`) in a store of your own; `undefined` or `null` for none. */
export type ApiKeyLookup = (
  digest: string,
) => ApiKeyRecord | undefined | null | Promise<ApiKeyRecord | undefined | null>
