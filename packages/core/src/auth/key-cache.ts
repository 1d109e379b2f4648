import { type Clock, maxTimerMs, systemClock } from '../clock/clock.ts'
import type { ApiKeyLookup, ApiKeyRecord } from '../contracts/key-store.ts'
import { ConfigurationError, configurationError } from '../errors/configuration-error.ts'
import { GatewayError } from '../errors/errors.ts'
import { safeObserver } from '../observability/observers.ts'
import { Lru } from '../primitives/lru.ts'
import { StoreBreaker } from '../stores/store-breaker.ts'
import { StoreClient } from '../stores/store-client.ts'
import type { ApiKeysOptions, Find } from './api-keys-options.ts'
import { recordIssue, type ValidatedKeyRecord, validatedKeyRecord } from './key-record.ts'

const maxCacheMs = 5_000
const maxFound = 10_000

/**
 * Caches the lookups of a store, found and unknown keys alike. Concurrent requests share one lookup per key. The age of an
 * entry counts from the start of its lookup, on a monotonic clock. While the store fails, found keys are cached for longer
 * (`staleMs`); any other key is a 503.
 *
 * Throws `ConfigurationError` for invalid options.
 */
export function cachedLookup(lookup: ApiKeyLookup, options: ApiKeysOptions): Find {
  const clock = options.clock ?? systemClock
  const now = options.now ?? (() => clock.monotonic())
  const { ttl, maxUnknown, lookupMs, staleMs } = boundsOf(options)
  const observe = safeObserver(options.observe)
  const keys = keyCache(maxFound, maxUnknown)
  const flights = new Map<string, Promise<ValidatedKeyRecord | undefined>>()
  const breakerClock: Clock = {
    now: () => clock.now(),
    monotonic: now,
    setTimer: (ms, run) => clock.setTimer(ms, run),
  }
  const calls = new StoreClient({
    name: 'key store',
    timeoutMs: lookupMs,
    timeoutOption: 'lookupMs',
    clock,
    breaker: new StoreBreaker({
      clock: breakerClock,
      changed: (state, error) => observe({ type: 'store', store: 'keys', state, error }),
      windowMs: 0,
      lastProbeMs: 250,
    }),
  })

  const isWithin = (cached: CachedKey, ms: number) => {
    const age = now() - cached.requestedAt
    return age >= 0 && age < ms
  }
  /** Returns the cached record within `staleMs`. Rejects with a 503 if there is none. */
  const withoutStore = (name: string, cause: unknown) => {
    const cached = keys.get(name)
    if (cached?.record !== undefined && isWithin(cached, ttl + staleMs)) return cached.record
    return Promise.reject(new GatewayError('authentication_unavailable', { cause }))
  }
  const ask = async (name: string, digests: readonly string[]) => {
    const requestedAt = now()
    const outcome = await calls.callOrProbe(async () => {
      const answer = await lookUpKey(lookup, digests)
      if (answer.kind === 'record') keys.keep(name, { record: answer.record, requestedAt })
      else keys.forget(name, requestedAt)
      return answer
    })
    if (!outcome.ok) return withoutStore(name, outcome.error)
    if (outcome.value.kind === 'thrown') throw outcome.value.thrown
    return outcome.value.record
  }
  return digests => {
    const [name] = digests
    if (name === undefined) return undefined
    const cached = keys.get(name)
    if (cached !== undefined && isWithin(cached, ttl)) return cached.record
    const shared = flights.get(name)
    if (shared !== undefined) return shared
    const flight = ask(name, digests).finally(() => flights.delete(name))
    flights.set(name, flight)
    return flight
  }
}

function boundsOf(options: ApiKeysOptions) {
  const { cacheMs: ttl = maxCacheMs, maxUnknown = 10_000, lookupMs = 250, staleMs = 60_000 } = options
  if (!(typeof ttl === 'number' && ttl > 0 && ttl <= maxCacheMs)) {
    throw configurationError('apiKeys()', ['cacheMs'], ttl, `a number above 0, at most ${maxCacheMs}`)
  }
  if (!(Number.isSafeInteger(maxUnknown) && maxUnknown > 0)) {
    throw configurationError('apiKeys()', ['maxUnknown'], maxUnknown, 'a whole number from 1')
  }
  if (!(typeof lookupMs === 'number' && lookupMs > 0 && lookupMs <= maxTimerMs)) {
    throw configurationError('apiKeys()', ['lookupMs'], lookupMs, `a number above 0, at most ${maxTimerMs}`)
  }
  if (!(typeof staleMs === 'number' && staleMs >= 0 && Number.isFinite(staleMs))) {
    throw configurationError('apiKeys()', ['staleMs'], staleMs, 'a number of milliseconds from 0')
  }
  return { ttl, maxUnknown, lookupMs, staleMs }
}

/** A cached lookup. `requestedAt` is when it started. */
interface CachedKey {
  /** `undefined`: the store does not know the key. */
  readonly record: ValidatedKeyRecord | undefined
  readonly requestedAt: number
}

/** Cached lookups. The least recently used ones are evicted, separately for found and unknown keys. */
interface CachedKeys {
  get(name: string): CachedKey | undefined
  /** Stores a lookup, unless the cache has a later one. */
  keep(name: string, cached: CachedKey): void
  /** Removes a key, unless the cache has a later lookup. */
  forget(name: string, requestedAt: number): void
}

function keyCache(maxFound: number, maxUnknown: number): CachedKeys {
  // Separate, so that a flood of unknown keys does not evict found ones.
  const found = new Lru<CachedKey>(maxFound)
  const unknown = new Lru<CachedKey>(maxUnknown)
  const isOld = (name: string, requestedAt: number) =>
    requestedAt <
    (found.peek(name)?.requestedAt ?? unknown.peek(name)?.requestedAt ?? Number.NEGATIVE_INFINITY)
  return {
    get: name => found.get(name) ?? unknown.get(name),
    keep(name, cached) {
      if (isOld(name, cached.requestedAt)) return
      const [store, other] = cached.record === undefined ? [unknown, found] : [found, unknown]
      other.delete(name)
      store.set(name, cached)
    },
    forget(name, requestedAt) {
      if (isOld(name, requestedAt)) return
      found.delete(name)
      unknown.delete(name)
    },
  }
}

/** The result of a lookup: a record, `undefined` for an unknown key, or an error to throw. */
type KeyLookupResult =
  | { readonly kind: 'record'; readonly record: ValidatedKeyRecord | undefined }
  | { readonly kind: 'thrown'; readonly thrown: unknown }

/**
 * Looks up a key by each of its digests in turn. Rejects if the store fails. An invalid record and a `GatewayError` below 500
 * are results, not failures of the store.
 */
async function lookUpKey(lookup: ApiKeyLookup, digests: readonly string[]): Promise<KeyLookupResult> {
  try {
    for (const digest of digests) {
      const found = (await lookup(digest)) ?? undefined
      if (found !== undefined) return answerOf(found)
    }
    return { kind: 'record', record: undefined }
  } catch (error) {
    if (GatewayError.is(error) && error.status < 500) return { kind: 'thrown', thrown: error }
    throw error
  }
}

function answerOf(found: ApiKeyRecord): KeyLookupResult {
  const issue = recordIssue(found)
  if (issue !== undefined)
    return { kind: 'thrown', thrown: new ConfigurationError('apiKeys(): the record of a key', [issue]) }
  return { kind: 'record', record: validatedKeyRecord(found) }
}
