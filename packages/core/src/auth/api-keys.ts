import { expectedClock, isClock, systemClock } from '../clock/clock.ts'
import type { Authenticator } from '../contracts/authenticator.ts'
import type { ApiKeyLookup, ApiKeyRecord, KeyStore } from '../contracts/key-store.ts'
import { unknownOptions } from '../errors/check-options.ts'
import {
  ConfigurationError,
  type ConfigurationIssue,
  configurationError,
  hiddenIssue,
  unknownOption,
} from '../errors/configuration-error.ts'
import { ownMembers } from '../primitives/own-members.ts'
import type { ApiKeysOptions, Find } from './api-keys-options.ts'
import { bearerToken, isPrincipalSource } from './authenticate.ts'
import { cachedLookup } from './key-cache.ts'
import { digestsOf, formatOf, hashApiKey, isDigest, type Pepper, sameDigest } from './key-digest.ts'
import { principalOf, recordIssue, type ValidatedKeyRecord, validatedKeyRecord } from './key-record.ts'

/** A key of a fixed list: its text, or its digest (see `hashApiKey`). */
export type ApiKey = ApiKeyRecord & ({ readonly key: string } | { readonly hash: string })

/** A store of keys, such as `keyStore(...)`. Its `digests` decide which tokens can be keys. */
export type ApiKeySource = { find: ApiKeyLookup } & Partial<Pick<KeyStore, 'digests'>>

const optionNames = Object.keys({
  source: true,
  format: true,
  pepper: true,
  cacheMs: true,
  maxUnknown: true,
  lookupMs: true,
  staleMs: true,
  observe: true,
  clock: true,
  now: true,
} satisfies Record<keyof ApiKeysOptions, true>)

const fields: readonly string[] = [
  'id',
  'key',
  'hash',
  'models',
  'tags',
  'limits',
  'storeResponses',
  'expiresAt',
  'disabled',
]

/**
 * Authenticates callers by API keys, from a list, a `keyStore`, or your own store. Keys are looked up and compared by their
 * full digest only. A revoked or changed key of a store takes effect after `cacheMs` milliseconds at the latest.
 *
 * While the store fails or exceeds `lookupMs`, recently used keys stay valid for `staleMs`. Any other key is a 503
 * `authentication_unavailable`, never a 401.
 *
 * Throws `ConfigurationError` for an unknown option, and for a list with invalid entries, whose keys it does not show. An
 * invalid record of a store is rejected: the caller gets a 500, and `observe` the reason.
 */
export function apiKeys(
  keys: readonly ApiKey[] | ApiKeyLookup | ApiKeySource,
  given: ApiKeysOptions = {},
): Authenticator {
  const unknown = unknownOptions(given, optionNames)
  if (unknown.length > 0) throw new ConfigurationError('apiKeys()', unknown)
  const options = ownMembers(given)
  const { source = 'api_keys', clock = systemClock } = options
  const now = options.now ?? (() => clock.now())
  if (!isPrincipalSource(source)) {
    throw configurationError('apiKeys()', ['source'], source, 'a string without spaces')
  }
  if (!isClock(clock)) throw configurationError('apiKeys()', ['clock'], clock, expectedClock)
  const { digests, find, records } = sourceOf(keys, options)
  const callerOf = (record: ValidatedKeyRecord, report: Parameters<Authenticator>[2]) => {
    const principal = principalOf(record, now(), source)
    if (principal === undefined) report?.({ reason: record.disabled ? 'disabled' : 'expired', id: record.id })
    return principal
  }
  const authenticate: Authenticator = (request, _host, report) => {
    const token = bearerToken(request)
    const found = token === undefined ? undefined : find(digests(token))
    if (found instanceof Promise) return found.then(record => record && callerOf(record, report))
    return found && callerOf(found, report)
  }
  if (records === undefined) return authenticate
  const ofRecord = (record: ValidatedKeyRecord) => principalOf(record, Number.NEGATIVE_INFINITY, source) ?? []
  return Object.assign(authenticate, { principals: () => records.flatMap(ofRecord) })
}

/** Looks up tokens. `digests` returns none for a token that cannot be a key. */
interface Source {
  digests(token: string): readonly string[]
  readonly find: Find
  /** The records of a list. */
  readonly records?: readonly ValidatedKeyRecord[]
}

function sourceOf(keys: readonly ApiKey[] | ApiKeyLookup | ApiKeySource, options: ApiKeysOptions): Source {
  const { format, pepper } = options
  const mayBeKey = formatOf(format, !Array.isArray(keys))
  const digests = (of: (token: string) => readonly string[]) => (token: string) =>
    mayBeKey(token) ? of(token) : []
  if (Array.isArray(keys)) {
    return { digests: digests(digestsOf(pepper)), ...listed(keys, pepper, mayBeKey) }
  }
  if (typeof keys === 'function') {
    return { digests: digests(digestsOf(pepper)), find: cachedLookup(keys, options) }
  }
  const store = keys as ApiKeySource | null | undefined
  if (typeof store?.find !== 'function') {
    const expected = 'a list of keys, a lookup function, or a store with a function find'
    throw new ConfigurationError('apiKeys()', [hiddenIssue([], keys, expected)])
  }
  const ownDigests = store.digests?.bind(store)
  if (ownDigests !== undefined && pepper !== undefined) {
    const expected = 'none, because the store has its own pepper: pass it to keyStore() instead'
    throw configurationError('apiKeys()', ['pepper'], pepper, expected)
  }
  return {
    digests: digests(ownDigests ?? digestsOf(pepper)),
    find: cachedLookup(digest => store.find(digest), options),
  }
}

function listed(
  keys: readonly ApiKey[],
  pepper: Pepper | undefined,
  mayBeKey: (token: string) => boolean,
): Pick<Source, 'find' | 'records'> {
  const table = new Map<string, { readonly digest: string; readonly record: ValidatedKeyRecord }>()
  const issues: ConfigurationIssue[] = []
  for (const [index, entry] of keys.entries()) {
    const found = entryOf(entry, pepper, mayBeKey)
    if ('issue' in found) issues.push({ ...found.issue, path: [index, ...found.issue.path] })
    else if (table.has(found.digest)) {
      issues.push(
        hiddenIssue([index, 'key'], entry, `a distinct key: that of '${found.record.id}' is listed twice`),
      )
    } else table.set(found.digest, { digest: found.digest, record: validatedKeyRecord(found.record) })
  }
  if (issues.length > 0) throw new ConfigurationError('apiKeys()', issues)
  return {
    records: [...table.values()].map(({ record }) => record),
    find(digests) {
      for (const digest of digests) {
        const entry = table.get(digest)
        if (entry !== undefined && sameDigest(entry.digest, digest)) return entry.record
      }
      return undefined
    },
  }
}

type ListedKey = { readonly digest: string; readonly record: ApiKeyRecord }

function entryOf(
  entry: ApiKey,
  pepper: Pepper | undefined,
  mayBeKey: (token: string) => boolean,
): ListedKey | { readonly issue: ConfigurationIssue } {
  if (typeof entry !== 'object' || entry === null) {
    return { issue: hiddenIssue([], entry, 'an object with an id and a key') }
  }
  const { key, hash, ...record } = ownMembers(entry) as ApiKeyRecord & { key?: unknown; hash?: unknown }
  const unknown = Object.keys(entry).find(field => !fields.includes(field))
  if (unknown !== undefined) return { issue: unknownOption([unknown], Reflect.get(entry, unknown), fields) }
  const issue = recordIssue(record)
  if (issue !== undefined) return { issue }
  if (typeof key === 'string' && key.trim() !== '' && hash === undefined) {
    if (mayBeKey(key.trim())) return { digest: hashApiKey(key, pepper), record }
    return { issue: hiddenIssue(['key'], key, 'at most 4096 characters of the format') }
  }
  if (typeof hash === 'string' && key === undefined && isDigest(hash, pepper)) return { digest: hash, record }
  const form =
    pepper === undefined ? '64 hexadecimal digits' : "a version of the pepper, ':' and 64 hexadecimal digits"
  return { issue: hiddenIssue(['key'], key, `either a key that is not empty, or a hash of ${form}`) }
}
