import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { LRUCache } from 'lru-cache'
import { type Authenticator, bearerToken, type Principal } from '../stages/authenticate.ts'

/** What is known of a key, and who it speaks for. */
export interface ApiKeyRecord extends Principal {
  /** Milliseconds since 1970, or a `Date`; from then on the key is refused. */
  readonly expiresAt?: number | Date
  readonly disabled?: boolean
}

/** A key of a fixed list: as it is, or only its digest in hexadecimal (`hashApiKey`). */
export type ApiKey = ApiKeyRecord & ({ readonly key: string } | { readonly hash: string })

/**
 * Finds a key by its digest in a store of your own; `undefined` for none. The digest is 64 hexadecimal
 * digits, with its pepper's version before it (`v2:...`) where `pepper` is set.
 */
export type ApiKeyLookup = (digest: string) => ApiKeyRecord | undefined | Promise<ApiKeyRecord | undefined>

export interface ApiKeysOptions {
  /** Secrets for HMAC-SHA-256 by version, newest first; without it digests are plain SHA-256. */
  readonly pepper?: Readonly<Record<string, string>>
  /** How long a found key is remembered, in milliseconds: at most, and by default, 5,000. */
  readonly cacheMs?: number
  /** How many unknown keys are remembered, each for `cacheMs`. Default 10,000. */
  readonly maxUnknown?: number
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number
}

/** Longer tokens are refused unseen. */
const maxTokenLength = 4_096

/** The digest under which a key is kept: SHA-256, or HMAC-SHA-256 with a pepper, in hexadecimal. */
export function hashApiKey(key: string, pepper?: string): string {
  const bytes = utf8ToBytes(key)
  return bytesToHex(pepper === undefined ? sha256(bytes) : hmac(sha256, utf8ToBytes(pepper), bytes))
}

/**
 * Callers with keys, from a list or from a store of your own. Keys are looked up and compared by their full
 * digest only. A revoked key of a store is refused after `cacheMs` at the latest.
 *
 * Throws `TypeError` for a list with a fault: no id, neither key nor hash, a key twice.
 */
export function apiKeys(keys: readonly ApiKey[] | ApiKeyLookup, options: ApiKeysOptions = {}): Authenticator {
  const now = options.now ?? Date.now
  const digests = digestsOf(options.pepper)
  const find = typeof keys === 'function' ? remembered(keys, options, now) : listed(keys, options.pepper)
  return request => {
    const token = bearerToken(request)
    if (token === undefined || token.length > maxTokenLength) return undefined
    const found = firstFound(digests(token), find)
    return found instanceof Promise ? found.then(record => valid(record, now)) : valid(found, now)
  }
}

type Find = (digest: string) => ApiKeyRecord | undefined | Promise<ApiKeyRecord | undefined>

function digestsOf(pepper: ApiKeysOptions['pepper']): (token: string) => readonly string[] {
  if (pepper === undefined) return token => [hashApiKey(token)]
  const versions = Object.entries(pepper)
  if (versions.length === 0) throw new TypeError('apiKeys(): pepper is empty: give at least one version.')
  return token => versions.map(([version, secret]) => `${version}:${hashApiKey(token, secret)}`)
}

function firstFound(digests: readonly string[], find: Find): ReturnType<Find> {
  for (const [index, digest] of digests.entries()) {
    const found = find(digest)
    if (found instanceof Promise) {
      return found.then(record => record ?? firstFound(digests.slice(index + 1), find))
    }
    if (found !== undefined) return found
  }
  return undefined
}

function valid(record: ApiKeyRecord | undefined, now: () => number): Principal | undefined {
  if (record === undefined || record.disabled === true) return undefined
  if (record.expiresAt !== undefined && now() >= Number(record.expiresAt)) return undefined
  return record
}

function listed(keys: readonly ApiKey[], pepper: ApiKeysOptions['pepper']): Find {
  const table = new Map<string, { readonly digest: string; readonly record: ApiKeyRecord }>()
  for (const [index, entry] of keys.entries()) {
    const { digest, record } = entryOf(entry, index, pepper)
    if (table.has(digest)) throw new TypeError(`apiKeys(): the key of '${record.id}' is listed twice.`)
    table.set(digest, { digest, record })
  }
  return digest => {
    const entry = table.get(digest)
    return entry !== undefined && sameDigest(entry.digest, digest) ? entry.record : undefined
  }
}

function entryOf(entry: ApiKey, index: number, pepper: ApiKeysOptions['pepper']) {
  const { key, hash, ...record } = entry as ApiKeyRecord & { key?: unknown; hash?: unknown }
  if (typeof record.id !== 'string' || record.id === '') {
    throw new TypeError(`apiKeys(): entry ${index} has no id. Give each key an id: it names the caller.`)
  }
  if (typeof key === 'string' && key.trim() !== '' && hash === undefined) {
    const newest = pepper === undefined ? undefined : Object.entries(pepper)[0]
    const digest =
      newest === undefined ? hashApiKey(key.trim()) : `${newest[0]}:${hashApiKey(key.trim(), newest[1])}`
    return { digest, record }
  }
  const form = pepper === undefined ? /^[0-9a-f]{64}$/ : /^[^:]+:[0-9a-f]{64}$/
  if (typeof hash === 'string' && key === undefined && form.test(hash)) return { digest: hash, record }
  const expected = pepper === undefined ? '64 hexadecimal digits' : "a version, ':' and 64 hexadecimal digits"
  throw new TypeError(
    `apiKeys(): '${record.id}' needs either a key that is not empty, or a hash of ${expected}.`,
  )
}

function remembered(lookup: ApiKeyLookup, options: ApiKeysOptions, now: () => number): Find {
  const ttl = Math.min(options.cacheMs ?? 5_000, 5_000)
  if (!(ttl > 0)) throw new TypeError(`apiKeys(): cacheMs is ${options.cacheMs}, expected a number above 0.`)
  const perf = { now }
  const known = new LRUCache<string, ApiKeyRecord>({ max: 10_000, ttl, perf, ttlResolution: 0 })
  const unknown = new LRUCache<string, true>({
    max: options.maxUnknown ?? 10_000,
    ttl,
    perf,
    ttlResolution: 0,
  })
  return digest => {
    const record = known.get(digest)
    if (record !== undefined) return record
    if (unknown.has(digest)) return undefined
    return Promise.resolve(lookup(digest)).then(found => {
      if (found === undefined || found === null) {
        unknown.set(digest, true)
        return undefined
      }
      known.set(digest, found)
      return found
    })
  }
}

/** Compares in a time that does not depend on where two digests differ. */
function sameDigest(a: string, b: string): boolean {
  if (a.length !== b.length) return false
  let difference = 0
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}
