import { systemClock } from '../clock/clock.ts'
import type { ResponseStore, StoredResponse } from '../contracts/response-store.ts'
import { unknownOptions } from '../errors/check-options.ts'
import { ConfigurationError, configurationError } from '../errors/configuration-error.ts'
import { ownMembers } from '../primitives/own-members.ts'
import { utf8Length } from '../primitives/utf8-length.ts'
import { noteMemoryStore } from './process-stores.ts'

/** Options of `memoryResponseStore`. */
export interface MemoryResponseStoreOptions {
  /** Maximum number of responses, from 1 to 1,000,000. Default 10,000. */
  readonly maxResponses?: number | undefined
  /** Maximum total size in UTF-8 bytes. Default 67,108,864 (64 MiB). */
  readonly maxBytes?: number | undefined
  /** How long a response is stored since it was last read, in milliseconds. Default 3,600,000 (one hour). */
  readonly ttlMs?: number | undefined
  /** Returns milliseconds of a monotonic clock. Default `performance.now`. */
  readonly now?: (() => number) | undefined
}

/** A `ResponseStore` in the memory of this process. Its operations are synchronous. */
export interface MemoryResponseStore extends ResponseStore {
  put(response: StoredResponse): boolean
  get(owner: string, id: string): string | undefined
  findItem(owner: string, itemId: string): string | undefined
  delete(owner: string, id: string): boolean
  deleteOwner(owner: string): number
  /** Number of responses, with those that have expired and were not looked up since. */
  readonly size: number
  /** Their total size in UTF-8 bytes. */
  readonly bytes: number
}

const optionNames = Object.keys({
  maxResponses: true,
  maxBytes: true,
  ttlMs: true,
  now: true,
} satisfies Record<keyof MemoryResponseStoreOptions, true>)

interface Entry extends StoredResponse {
  readonly bytes: number
  readonly expiresAt: number
}

/** The responses of one owner, the oldest first. */
interface Owned {
  readonly responses: Map<string, Entry>
  /** The id of the response, by that of an item. */
  readonly items: Map<string, string>
  bytes: number
}

/**
 * Creates a response store in the memory of this process. When it is full, it evicts the oldest response of the owner that uses the
 * most of it. A response larger than the store is not stored.
 *
 * Throws `ConfigurationError` for invalid options.
 */
export function memoryResponseStore(options: MemoryResponseStoreOptions = {}): MemoryResponseStore {
  const unknown = unknownOptions(options, optionNames)
  if (unknown.length > 0) throw new ConfigurationError('memoryResponseStore()', unknown)
  const given = ownMembers(options)
  const { maxResponses = 10_000, maxBytes = 67_108_864, ttlMs = 3_600_000 } = given
  const { now = systemClock.monotonic } = given
  checkInteger('maxResponses', maxResponses, 1_000_000)
  checkInteger('maxBytes', maxBytes, Number.MAX_SAFE_INTEGER)
  checkInteger('ttlMs', ttlMs, Number.MAX_SAFE_INTEGER)
  if (typeof now !== 'function') {
    throw configurationError('memoryResponseStore()', ['now'], now, 'a function')
  }
  const store = new Responses(maxResponses, maxBytes, ttlMs, now)
  noteMemoryStore('responses', store, options)
  return store
}

class Responses implements MemoryResponseStore {
  size = 0
  bytes = 0
  readonly #owners = new Map<string, Owned>()
  readonly #maxResponses: number
  readonly #maxBytes: number
  readonly #ttlMs: number
  readonly #now: () => number

  constructor(maxResponses: number, maxBytes: number, ttlMs: number, now: () => number) {
    this.#maxResponses = maxResponses
    this.#maxBytes = maxBytes
    this.#ttlMs = ttlMs
    this.#now = now
  }

  put(response: StoredResponse): boolean {
    const { owner, id, itemIds, text } = response
    this.delete(owner, id)
    const bytes = utf8Length(text) + utf8Length(id) + utf8Length(itemIds.join(''))
    if (bytes > this.#maxBytes) return false
    while (this.size >= this.#maxResponses || this.bytes + bytes > this.#maxBytes) this.#evict()
    let owned = this.#owners.get(owner)
    if (owned === undefined) {
      owned = { responses: new Map(), items: new Map(), bytes: 0 }
      this.#owners.set(owner, owned)
    }
    owned.responses.set(id, { ...response, bytes, expiresAt: this.#now() + this.#ttlMs })
    for (const itemId of itemIds) owned.items.set(itemId, id)
    owned.bytes += bytes
    this.bytes += bytes
    this.size++
    return true
  }

  get(owner: string, id: string): string | undefined {
    const owned = this.#owners.get(owner)
    const entry = owned?.responses.get(id)
    if (owned === undefined || entry === undefined) return undefined
    const now = this.#now()
    if (entry.expiresAt <= now) {
      this.#remove(owner, owned, entry)
      return undefined
    }
    // The oldest is the one that was not read for the longest time.
    owned.responses.delete(id)
    owned.responses.set(id, { ...entry, expiresAt: now + this.#ttlMs })
    return entry.text
  }

  findItem(owner: string, itemId: string): string | undefined {
    const id = this.#owners.get(owner)?.items.get(itemId)
    return id === undefined ? undefined : this.get(owner, id)
  }

  delete(owner: string, id: string): boolean {
    const owned = this.#owners.get(owner)
    const entry = owned?.responses.get(id)
    if (owned === undefined || entry === undefined) return false
    this.#remove(owner, owned, entry)
    return entry.expiresAt > this.#now()
  }

  deleteOwner(owner: string): number {
    const owned = this.#owners.get(owner)
    if (owned === undefined) return 0
    this.#owners.delete(owner)
    this.size -= owned.responses.size
    this.bytes -= owned.bytes
    const now = this.#now()
    let count = 0
    for (const { expiresAt } of owned.responses.values()) if (expiresAt > now) count++
    return count
  }

  /** Removes what has expired, or else the oldest response of the owner that has most. */
  #evict(): void {
    const now = this.#now()
    let most: { readonly owner: string; readonly owned: Owned; readonly share: number } | undefined
    for (const [owner, owned] of this.#owners) {
      const oldest = firstOf(owned)
      if (oldest.expiresAt <= now) {
        this.#remove(owner, owned, oldest)
        return
      }
      const share = Math.max(owned.bytes / this.#maxBytes, owned.responses.size / this.#maxResponses)
      if (most === undefined || share > most.share) most = { owner, owned, share }
    }
    if (most !== undefined) this.#remove(most.owner, most.owned, firstOf(most.owned))
  }

  #remove(owner: string, owned: Owned, { id, itemIds, bytes }: Entry): void {
    owned.responses.delete(id)
    for (const itemId of itemIds) if (owned.items.get(itemId) === id) owned.items.delete(itemId)
    owned.bytes -= bytes
    this.bytes -= bytes
    this.size--
    if (owned.responses.size === 0) this.#owners.delete(owner)
  }
}

/** An owner without responses is removed. */
function firstOf({ responses }: Owned): Entry {
  const [first] = responses.values()
  return first!
}

function checkInteger(name: keyof MemoryResponseStoreOptions, value: unknown, maximum: number): void {
  if (Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= maximum) return
  throw configurationError('memoryResponseStore()', [name], value, `a whole number from 1 to ${maximum}`)
}
