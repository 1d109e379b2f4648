import { ownMembers } from '../../protocol/own-members.ts'
import { type Authenticator, bearerToken } from '../../stages/authenticate.ts'
import { digestsOf, hashApiKey, isDigest, type Pepper, sameDigest } from './key-digest.ts'
import { formatOf } from './key-format.ts'
import { type ApiKeyRecord, principalOf, recordFault } from './key-record.ts'
import { remembered } from './remembered.ts'

/** A key of a fixed list: as it is, or only what is kept of it (`hashApiKey`). */
export type ApiKey = ApiKeyRecord & ({ readonly key: string } | { readonly hash: string })

/** Finds a key by its digest (`hashApiKey`) in a store of your own; `undefined` or `null` for none. */
export type ApiKeyLookup = (
  digest: string,
) => ApiKeyRecord | undefined | null | Promise<ApiKeyRecord | undefined | null>

export interface ApiKeysOptions {
  /**
   * What a key looks like, such as `/^sk-[0-9A-Za-z]{40}$/`: anything else is a 401 without a look into the list or
   * the store. Default for a store: a token as RFC 6750 has it, of letters, digits and `-._~+/`, then `=`.
   */
  readonly format?: RegExp
  /** Keys are kept as HMAC-SHA-256 under these secrets; without it as plain SHA-256. */
  readonly pepper?: Pepper
  /** How long a found key is remembered, in milliseconds: at most, and by default, 5,000. */
  readonly cacheMs?: number
  /** How many unknown keys are remembered, each for `cacheMs`: a whole number from 1. Default 10,000. */
  readonly maxUnknown?: number
  /** Milliseconds since 1970, for `expiresAt` and `cacheMs`. Default `Date.now`, and a steady clock for `cacheMs`. */
  readonly now?: () => number
}

/** What is found for a digest. */
export type Find = (digest: string) => ApiKeyRecord | undefined | Promise<ApiKeyRecord | undefined>

const fields: ReadonlySet<string> = new Set(['id', 'key', 'hash', 'models', 'tags', 'expiresAt', 'disabled'])

/**
 * Callers with keys, from a list or from a store of your own. Keys are looked up and compared by their full
 * digest only. A revoked key of a store is refused after `cacheMs` at the latest.
 *
 * Throws `TypeError` for a list with a fault, which names the entry and never its key. A record of a store
 * that has one lets nobody in: the caller gets a 500, and `observe` the reason.
 */
export function apiKeys(keys: readonly ApiKey[] | ApiKeyLookup, given: ApiKeysOptions = {}): Authenticator {
  const options = ownMembers(given)
  const now = options.now ?? Date.now
  const digests = digestsOf(options.pepper)
  const mayBeKey = formatOf(options.format, typeof keys === 'function')
  const find = typeof keys === 'function' ? remembered(keys, options) : listed(keys, options.pepper, mayBeKey)
  return request => {
    const token = bearerToken(request)
    if (token === undefined || !mayBeKey(token)) return undefined
    const found = firstFound(digests(token), find)
    if (found instanceof Promise) return found.then(record => record && principalOf(record, now()))
    return found && principalOf(found, now())
  }
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

function listed(
  keys: readonly ApiKey[],
  pepper: Pepper | undefined,
  mayBeKey: (token: string) => boolean,
): Find {
  if (!Array.isArray(keys))
    throw new TypeError('apiKeys(): expected a list of keys, or a function that finds one.')
  const table = new Map<string, { readonly digest: string; readonly record: ApiKeyRecord }>()
  for (const [index, entry] of keys.entries()) {
    const { digest, record } = entryOf(entry, index, pepper, mayBeKey)
    if (table.has(digest)) throw new TypeError(`apiKeys(): the key of '${record.id}' is listed twice.`)
    table.set(digest, { digest, record })
  }
  return digest => {
    const entry = table.get(digest)
    return entry !== undefined && sameDigest(entry.digest, digest) ? entry.record : undefined
  }
}

function entryOf(
  entry: ApiKey,
  index: number,
  pepper: Pepper | undefined,
  mayBeKey: (token: string) => boolean,
) {
  const { key, hash, ...record } = ownMembers(entry) as ApiKeyRecord & { key?: unknown; hash?: unknown }
  const name = typeof record.id === 'string' && record.id !== '' ? `'${record.id}'` : `entry ${index}`
  const unknown = Object.keys(entry).find(field => !fields.has(field))
  if (unknown !== undefined) {
    throw new TypeError(`apiKeys(): ${name} has a field '${unknown}'. Known are ${[...fields].join(', ')}.`)
  }
  const fault = recordFault(record)
  if (fault !== undefined) throw new TypeError(`apiKeys(): ${name} ${fault}`)
  if (typeof key === 'string' && key.trim() !== '' && hash === undefined) {
    if (!mayBeKey(key.trim())) {
      throw new TypeError(
        `apiKeys(): the key of ${name} is longer than 4096 characters or not of the format.`,
      )
    }
    return { digest: hashApiKey(key, pepper), record }
  }
  if (typeof hash === 'string' && key === undefined && isDigest(hash, pepper)) return { digest: hash, record }
  const form =
    pepper === undefined ? '64 hexadecimal digits' : "a version of the pepper, ':' and 64 hexadecimal digits"
  throw new TypeError(`apiKeys(): ${name} needs either a key that is not empty, or a hash of ${form}.`)
}
