import { systemClock } from '../clock/clock.ts'
import type { AddResult, CacheKey, CacheLifetime, CacheStore } from '../contracts/cache-store.ts'
import { unknownOptions } from '../errors/check-options.ts'
import { ConfigurationError, configurationError } from '../errors/configuration-error.ts'
import { LinkedList, ListNode } from '../primitives/linked-list.ts'
import { ownMembers } from '../primitives/own-members.ts'
import { utf8Length } from '../primitives/utf8-length.ts'

export interface MemoryCacheStoreOptions {
  /** How many texts are stored, from 1 to 1,000,000. Default 10,000. */
  readonly maxEntries?: number
  /** How many of them one owner may have: a principal, or a group that shares answers. Default 1,000. */
  readonly maxEntriesPerOwner?: number
  /** How many bytes they may have, with their names, as UTF-8. Default 67,108,864 (64 MiB). */
  readonly maxBytes?: number
  /** Milliseconds on a clock that does not go back. Default `performance.now`. */
  readonly now?: () => number
}

/** Stores answers in the memory of this process: every operation returns at once. */
export interface MemoryCacheStore extends CacheStore {
  get(key: CacheKey): string | undefined
  set(key: CacheKey, text: string, lifetime: CacheLifetime): void
  add(key: CacheKey, text: string, lifetime: CacheLifetime): AddResult
  replace(key: CacheKey, expected: string, text: string | undefined, lifetime: CacheLifetime): boolean
  /** How many bytes are stored, with names, as UTF-8; expired texts count until they are looked up or evicted. */
  readonly bytes: number
}

const optionNames = Object.keys({
  maxEntries: true,
  maxEntriesPerOwner: true,
  maxBytes: true,
  now: true,
} satisfies Record<keyof MemoryCacheStoreOptions, true>)

/**
 * Stores answers in the memory of this process. To make room it evicts the text longest unused: of the writer itself
 * where it has all of its share, or would have more than an equal part of the store; else of anybody. Pinned texts are never
 * evicted. A text that is larger than the store is not stored. Throws `ConfigurationError` for options that it cannot use.
 */
export function memoryCacheStore(options: MemoryCacheStoreOptions = {}): MemoryCacheStore {
  const unknown = unknownOptions(options, optionNames)
  if (unknown.length > 0) throw new ConfigurationError('memoryAnswers()', unknown)
  const given = ownMembers(options)
  const { maxEntries = 10_000, maxEntriesPerOwner = 1_000, maxBytes = 67_108_864 } = given
  const { now = systemClock.monotonic } = given
  expectWhole('maxEntries', maxEntries, 1_000_000)
  expectWhole('maxEntriesPerOwner', maxEntriesPerOwner, 1_000_000)
  expectWhole('maxBytes', maxBytes, Number.MAX_SAFE_INTEGER)
  if (typeof now !== 'function') {
    throw configurationError('memoryAnswers()', ['now'], now, 'a function')
  }
  const entries = new Entries(maxEntries, maxEntriesPerOwner, maxBytes, now)
  return {
    get bytes() {
      return entries.bytes
    },
    get: key => entries.get(key),
    set: (key, text, lifetime) => void entries.set(key, text, lifetime),
    add: (key, text, lifetime) => entries.add(key, text, lifetime),
    replace: (key, expected, text, lifetime) => entries.replace(key, expected, text, lifetime),
  }
}

interface Entry {
  readonly owner: Owner
  readonly name: string
  readonly text: string
  readonly bytes: number
  readonly until: number
  readonly pinned: boolean
  /** Its place among all texts that may be evicted, and among those of its owner. */
  readonly everywhere: ListNode<Entry>
  readonly ofOwner: ListNode<Entry>
}

/** The texts of one owner. */
class Owner {
  readonly key: string
  readonly entries = new Map<string, Entry>()
  /** Those that may be evicted, the longest unused first. */
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

  /** Whether it was stored. */
  set(key: CacheKey, text: string, lifetime: CacheLifetime): boolean {
    const until = this.#now() + wholeMs(lifetime.ttlMs)
    const before = this.#owners.get(key.owner)?.entries.get(key.name)
    if (before !== undefined) this.#remove(before)
    const bytes = utf8Length(key.name) + utf8Length(text)
    if (!this.#makeRoom(key.owner, bytes)) return false
    this.#insert(key, text, bytes, until, lifetime.pinned === true)
    return true
  }

  add(key: CacheKey, text: string, lifetime: CacheLifetime): AddResult {
    wholeMs(lifetime.ttlMs)
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

  /** Makes room for one more text of an owner. Returns whether there is. */
  #makeRoom(ownerKey: string, bytes: number): boolean {
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

  /** A writer that would have more than an equal part of the store makes room for itself, as far as it can. */
  #victimFor(owner: Owner | undefined, bytes: number): Entry | undefined {
    const owners = this.#owners.size
    const isAbovePart =
      owner !== undefined &&
      ((owner.bytes + bytes) * owners > this.#maxBytes ||
        (owner.entries.size + 1) * owners > this.#maxEntries)
    return (isAbovePart ? owner.evictable.first : undefined)?.item ?? this.#evictable.first?.item
  }

  /** A pinned text whose time is over. Looked for only where nothing else can make room. */
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

/** Without its check a text would be stored for ever. */
function wholeMs(ttlMs: number): number {
  if (typeof ttlMs === 'number' && ttlMs > 0 && Number.isFinite(ttlMs)) return Math.ceil(ttlMs)
  throw new TypeError(`ttlMs: got ${String(ttlMs)}, expected milliseconds above 0.`)
}

function expectWhole(name: string, value: unknown, most: number): void {
  if (Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= most) return
  throw configurationError(
    'memoryAnswers()',
    [name],
    value,
    `a whole number from 1 to ${most.toLocaleString('en')}`,
  )
}
