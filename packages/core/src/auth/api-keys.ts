import { systemClock } from '../clock/clock.ts'
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
import { principalOf, recordIssue, type SoundRecord, soundRecord } from './key-record.ts'

/** A key of a fixed list: as it is, or only what is kept of it (`hashApiKey`). */
export type ApiKey = ApiKeyRecord & ({ readonly key: string } | { readonly hash: string })

/** A store of keys, such as `keyStore` makes. Its `digests` say what may be a key, and how it is kept. */
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
  now: true,
} satisfies Record<keyof ApiKeysOptions, true>)

const fields: readonly string[] = ['id', 'key', 'hash', 'models', 'tags', 'limits', 'expiresAt', 'disabled']

/**
 * Callers with keys, from a list, from a `keyStore`, or from a store of your own. Keys are looked up and compared by
 * their full digest only. A key of a store that is revoked or changed is so after `cacheMs` at the latest.
 *
 * Where the store fails or takes longer than `lookupMs`, a key that it knew a short while ago is let in (`staleMs`),
 * and any other is a 503 `authentication_unavailable`: never a 401.
 *
 * Throws `ConfigurationError` for an unknown option, and for a list with faults, which names each entry and never its key. A record of a store
 * that has one lets nobody in: the caller gets a 500, and `observe` the reason.
 */
export function apiKeys(
  keys: readonly ApiKey[] | ApiKeyLookup | ApiKeySource,
  given: ApiKeysOptions = {},
): Authenticator {
  const unknown = unknownOptions(given, optionNames)
  if (unknown.length > 0) throw new ConfigurationError('apiKeys()', unknown)
  const options = ownMembers(given)
  const { source = 'api_keys', now = systemClock.now } = options
  if (!isPrincipalSource(source)) {
    throw configurationError('apiKeys()', ['source'], source, 'a string without spaces')
  }
  const { digests, find, records } = sourceOf(keys, options)
  const callerOf = (record: SoundRecord, report: Parameters<Authenticator>[2]) => {
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
  const ofRecord = (record: SoundRecord) => principalOf(record, Number.NEGATIVE_INFINITY, source) ?? []
  return Object.assign(authenticate, { principals: () => records.flatMap(ofRecord) })
}

/** How a token is looked for: under no digests where it cannot be a key. */
interface Source {
  digests(token: string): readonly string[]
  readonly find: Find
  /** Of a list. */
  readonly records?: readonly SoundRecord[]
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
    const expected = 'a list of keys, a function that finds one, or a store of them with a function find'
    throw new ConfigurationError('apiKeys()', [hiddenIssue([], keys, expected)])
  }
  const ownDigests = store.digests?.bind(store)
  if (ownDigests !== undefined && pepper !== undefined) {
    const expected = 'none, as the store has a pepper of its own: give this one to keyStore()'
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
  const table = new Map<string, { readonly digest: string; readonly record: SoundRecord }>()
  const issues: ConfigurationIssue[] = []
  for (const [index, entry] of keys.entries()) {
    const found = entryOf(entry, pepper, mayBeKey)
    if ('issue' in found) issues.push({ ...found.issue, path: [index, ...found.issue.path] })
    else if (table.has(found.digest)) {
      issues.push(
        hiddenIssue([index, 'key'], entry, `a key of its own: that of '${found.record.id}' is listed twice`),
      )
    } else table.set(found.digest, { digest: found.digest, record: soundRecord(found.record) })
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
