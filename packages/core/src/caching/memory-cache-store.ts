import { systemClock } from '../clock/clock.ts'
import type { AddResult, CacheKey, CacheLifetime, CacheStore } from '../contracts/cache-store.ts'
import { unknownOptions } from '../errors/check-options.ts'
import { ConfigurationError, configurationError } from '../errors/configuration-error.ts'
import { LinkedList, ListNode } from '../primitives/linked-list.ts'
import { ownMembers } from '../primitives/own-members.ts'
import { utf8Length } from '../primitives/utf8-length.ts'
import { noteMemoryStore } from '../stores/process-stores.ts'

/** Options of `memoryCacheStore`. */
export interface MemoryCacheStoreOptions {
  /** Maximum number of entries, from 1 to 1,000,000. Default 10,000. */
  readonly maxEntries?: number | undefined
  /** Maximum number of entries per owner: a principal, or a group of principals that share responses. Default 1,000. */
  readonly maxEntriesPerOwner?: number | undefined
  /** Maximum total size of texts and names in UTF-8 bytes. Default 67,108,864 (64 MiB). */
  readonly maxBytes?: number | undefined
  /** Returns milliseconds of a monotonic clock. Default `performance.now`. */
  readonly now?: (() => number) | undefined
}

/** A `CacheStore` in the memory of this process. Its operations are synchronous. */
export interface MemoryCacheStore extends CacheStore {
  get(key: CacheKey): string | undefined
  set(key: CacheKey, text: string, lifetime: CacheLifetime): void
  add(key: CacheKey, text: string, lifetime: CacheLifetime): AddResult
  replace(key: CacheKey, expected: string, text: string | undefined, lifetime: CacheLifetime): boolean
  deleteOwner(owner: string): number
  /** Total size of texts and names in UTF-8 bytes. Expired entries count until they are looked up or evicted. */
  readonly bytes: number
}

const optionNames = Object.keys({
  maxEntries: true,
  maxEntriesPerOwner: true,
  maxBytes: true,
  now: true,
} satisfies Record<keyof MemoryCacheStoreOptions, true>)

/**
 * Creates a cache store in the memory of this process. When it is full, it evicts the least recently used entry: of the same
 * owner if that has reached its maximum, or more than an equal share of the store; otherwise of any owner. Pinned entries are
 * not evicted before they expire. A text larger than the store is not stored.
 *
 * Throws `ConfigurationError` for invalid options.
 */
export function memoryCacheStore(options: MemoryCacheStoreOptions = {}): MemoryCacheStore {
  const unknown = unknownOptions(options, optionNames)
  if (unknown.length > 0) throw new ConfigurationError('memoryCacheStore()', unknown)
  const given = ownMembers(options)
  const { maxEntries = 10_000, maxEntriesPerOwner = 1_000, maxBytes = 67_108_864 } = given
  const { now = systemClock.monotonic } = given
  checkInteger('maxEntries', maxEntries, 1_000_000)
  checkInteger('maxEntriesPerOwner', maxEntriesPerOwner, 1_000_000)
  checkInteger('maxBytes', maxBytes, Number.MAX_SAFE_INTEGER)
  if (typeof now !== 'function') {
    throw configurationError('memoryCacheStore()', ['now'], now, 'a function')
  }
  const entries = new Entries(maxEntries, maxEntriesPerOwner, maxBytes, now)
  const store: MemoryCacheStore = {
    get bytes() {
      return entries.bytes
    },
    get: key => entries.get(key),
    set: (key, text, lifetime) => void entries.set(key, text, lifetime),
    add: (key, text, lifetime) => entries.add(key, text, lifetime),
    replace: (key, expected, text, lifetime) => entries.replace(key, expected, text, lifetime),
    deleteOwner: owner => entries.deleteOwner(owner),
  }
  noteMemoryStore('cache', store, options)
  return store
}

interface Entry {
  readonly owner: Owner
  readonly name: string
  readonly text: string
  readonly bytes: number
  readonly until: number
  readonly pinned: boolean
  /** Its node in the list of all evictable entries, and in that of its owner. */
  readonly everywhere: ListNode<Entry>
  readonly ofOwner: ListNode<Entry>
}

/** The entries of one owner. */
class Owner {
  readonly key: string
  readonly entries = new Map<string, Entry>()
  /** The entries that are not pinned, least recently used first. */
  readonly evictable = new LinkedList<Entry>()
  bytes = 0

  constructor(key: string) {
    this.key = key
  }
}

class Entries {
  readonly #owners = new Map<string, Owner>()
  readonly #evictable = new LinkedList<Entry>()
  readonly #maxEntries: number
  readonly #maxPerOwner: number
  readonly #maxBytes: number
  readonly #now: () => number
  #count = 0
  #bytes = 0

  constructor(maxEntries: number, maxPerOwner: number, maxBytes: number, now: () => number) {
    this.#maxEntries = maxEntries
    this.#maxPerOwner = maxPerOwner
    this.#maxBytes = maxBytes
    this.#now = now
  }

  get bytes(): number {
    return this.#bytes
  }

  get(key: CacheKey): string | undefined {
    const entry = this.#find(key)
    if (entry === undefined) return undefined
    if (!entry.pinned) {
      this.#evictable.moveToEnd(entry.everywhere)
      entry.owner.evictable.moveToEnd(entry.ofOwner)
    }
    return entry.text
  }

  /** Returns whether the text was stored. */
  set(key: CacheKey, text: string, lifetime: CacheLifetime): boolean {
    const until = this.#now() + ceiledMs(lifetime.ttlMs)
    const before = this.#owners.get(key.owner)?.entries.get(key.name)
    if (before !== undefined) this.#remove(before)
    const bytes = utf8Length(key.name) + utf8Length(text)
    if (!this.#evictFor(key.owner, bytes)) return false
    this.#insert(key, text, bytes, until, lifetime.pinned === true)
    return true
  }

  add(key: CacheKey, text: string, lifetime: CacheLifetime): AddResult {
    ceiledMs(lifetime.ttlMs)
    const existing = this.get(key)
    if (existing !== undefined) return { existing }
    return this.set(key, text, lifetime) ? 'added' : 'full'
  }

  replace(key: CacheKey, expected: string, text: string | undefined, lifetime: CacheLifetime): boolean {
    const entry = this.#find(key)
    if (entry === undefined || entry.text !== expected) return false
    if (text === undefined) this.#remove(entry)
    else this.set(key, text, lifetime)
    return true
  }

  /** Returns how many entries it deleted, without those that had expired. */
  deleteOwner(key: string): number {
    const now = this.#now()
    let deleted = 0
    for (const entry of this.#owners.get(key)?.entries.values() ?? []) {
      if (now <= entry.until) deleted++
      this.#remove(entry)
    }
    return deleted
  }

  #find({ owner, name }: CacheKey): Entry | undefined {
    const entry = this.#owners.get(owner)?.entries.get(name)
    if (entry === undefined || this.#now() <= entry.until) return entry
    this.#remove(entry)
    return undefined
  }

  #insert(key: CacheKey, text: string, bytes: number, until: number, pinned: boolean): void {
    let owner = this.#owners.get(key.owner)
    if (owner === undefined) {
      owner = new Owner(key.owner)
      this.#owners.set(key.owner, owner)
    }
    const entry = entryOf(owner, key.name, text, bytes, until, pinned)
    owner.entries.set(key.name, entry)
    owner.bytes += bytes
    this.#bytes += bytes
    this.#count++
    if (pinned) return
    owner.evictable.append(entry.ofOwner)
    this.#evictable.append(entry.everywhere)
  }

  #remove(entry: Entry): void {
    const { owner } = entry
    owner.entries.delete(entry.name)
    owner.bytes -= entry.bytes
    this.#bytes -= entry.bytes
    this.#count--
    if (!entry.pinned) {
      owner.evictable.remove(entry.ofOwner)
      this.#evictable.remove(entry.everywhere)
    }
    if (owner.entries.size === 0) this.#owners.delete(owner.key)
  }

  /** Evicts entries until one more of an owner fits. Returns whether it does. */
  #evictFor(ownerKey: string, bytes: number): boolean {
    if (bytes > this.#maxBytes) return false
    for (let owner = this.#owners.get(ownerKey); ; owner = this.#owners.get(ownerKey)) {
      let victim: Entry | undefined
      if (owner !== undefined && owner.entries.size >= this.#maxPerOwner) {
        victim = owner.evictable.first?.item ?? expiredIn(owner, this.#now())
      } else if (this.#count >= this.#maxEntries || this.#bytes + bytes > this.#maxBytes) {
        victim = this.#victimFor(owner, bytes) ?? this.#expired()
      } else return true
      if (victim === undefined) return false
      this.#remove(victim)
    }
  }

  /** Returns the entry to evict: of the owner itself if it would exceed an equal share of the store, else of any owner. */
  #victimFor(owner: Owner | undefined, bytes: number): Entry | undefined {
    const owners = this.#owners.size
    const isAbovePart =
      owner !== undefined &&
      ((owner.bytes + bytes) * owners > this.#maxBytes ||
        (owner.entries.size + 1) * owners > this.#maxEntries)
    return (isAbovePart ? owner.evictable.first : undefined)?.item ?? this.#evictable.first?.item
  }

  /** Returns an expired pinned entry. It scans all owners, so it is the last resort. */
  #expired(): Entry | undefined {
    const now = this.#now()
    for (const owner of this.#owners.values()) {
      const entry = expiredIn(owner, now)
      if (entry !== undefined) return entry
    }
    return undefined
  }
}

function entryOf(
  owner: Owner,
  name: string,
  text: string,
  bytes: number,
  until: number,
  pinned: boolean,
): Entry {
  const entry = { owner, name, text, bytes, until, pinned } as {
    -readonly [Member in keyof Entry]: Entry[Member]
  }
  entry.everywhere = new ListNode<Entry>(entry)
  entry.ofOwner = new ListNode<Entry>(entry)
  return entry
}

function expiredIn({ entries }: Owner, now: number): Entry | undefined {
  for (const entry of entries.values()) if (now > entry.until) return entry
  return undefined
}

/** Rounds up. Throws `TypeError` for an invalid time, with which an entry would never expire. */
function ceiledMs(ttlMs: number): number {
  if (typeof ttlMs === 'number' && ttlMs > 0 && Number.isFinite(ttlMs)) return Math.ceil(ttlMs)
  throw new TypeError(`ttlMs: got ${String(ttlMs)}, expected milliseconds above 0.`)
}

function checkInteger(name: string, value: unknown, max: number): void {
  if (Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= max) return
  throw configurationError(
    'memoryCacheStore()',
    [name],
    value,
    `a whole number from 1 to ${max.toLocaleString('en')}`,
  )
}
