import { maxTimerMs, systemClock } from '../clock/clock.ts'
import type { ApiKeyLookup, ApiKeyRecord } from '../contracts/key-store.ts'
import { ConfigurationError, configurationError } from '../errors/configuration-error.ts'
import { GatewayError } from '../errors/errors.ts'
import { safeObserver } from '../observability/observers.ts'
import { Lru } from '../primitives/lru.ts'
import { StoreClient } from '../stores/store-client.ts'
import type { ApiKeysOptions, Find } from './api-keys-options.ts'
import { recordIssue, type SoundRecord, soundRecord } from './key-record.ts'

const longestMs = 5_000
const maxFound = 10_000

/**
 * A store's lookup, asked once in a while for each key, and by one request at a time: the found and the unknown ones
 * are remembered, from when the store was asked on. The clock is a steady one: the time of day may be put back. Where
 * the store fails, what was found is remembered for longer; a key of which nothing is known is a 503, and no wrong key.
 *
 * Throws `ConfigurationError` for bounds that are none.
 */
export function cachedLookup(lookup: ApiKeyLookup, options: ApiKeysOptions): Find {
  const now = options.now ?? systemClock.monotonic
  const { ttl, maxUnknown, lookupMs, staleMs } = boundsOf(options)
  const observe = safeObserver(options.observe)
  const keys = keyCache(maxFound, maxUnknown)
  const flights = new Map<string, Promise<SoundRecord | undefined>>()
  const calls = new StoreClient({
    name: 'store of keys',
    timeoutMs: lookupMs,
    timeoutOption: 'lookupMs',
    clock: systemClock,
    changed: (state, error) => observe({ type: 'store', store: 'keys', state, error }),
    breaker: { clock: { ...systemClock, monotonic: now }, windowMs: 0, lastProbeMs: 250 },
  })

  const isWithin = (seen: Seen, ms: number) => {
    const age = now() - seen.askedAt
    return age >= 0 && age < ms
  }
  /** What is known of a key without the store. Rejects where that is nothing. */
  const withoutStore = (name: string, cause: unknown) => {
    const seen = keys.get(name)
    if (seen?.record !== undefined && isWithin(seen, ttl + staleMs)) return seen.record
    return Promise.reject(new GatewayError('authentication_unavailable', { cause }))
  }
  const ask = async (name: string, digests: readonly string[]) => {
    const askedAt = now()
    const outcome = await calls.askOrProbe(async () => {
      const answer = await lookUpKey(lookup, digests)
      if (answer.kind === 'record') keys.keep(name, { record: answer.record, askedAt })
      else keys.forget(name, askedAt)
      return answer
    })
    if (!outcome.ok) return withoutStore(name, outcome.error)
    if (outcome.value.kind === 'thrown') throw outcome.value.thrown
    return outcome.value.record
  }
  return digests => {
    const [name] = digests
    if (name === undefined) return undefined
    const seen = keys.get(name)
    if (seen !== undefined && isWithin(seen, ttl)) return seen.record
    const shared = flights.get(name)
    if (shared !== undefined) return shared
    const flight = ask(name, digests).finally(() => flights.delete(name))
    flights.set(name, flight)
    return flight
  }
}

function boundsOf(options: ApiKeysOptions) {
  const { cacheMs: ttl = longestMs, maxUnknown = 10_000, lookupMs = 250, staleMs = 60_000 } = options
  if (!(typeof ttl === 'number' && ttl > 0 && ttl <= longestMs)) {
    throw configurationError('apiKeys()', ['cacheMs'], ttl, `a number above 0, at most ${longestMs}`)
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

/** What is remembered of a key, and since when: from when the store was asked on. */
interface Seen {
  /** `undefined`: the store does not know the key. */
  readonly record: SoundRecord | undefined
  readonly askedAt: number
}

/** The keys that a store was asked for, found ones and unknown ones. Of each sort the least used is forgotten. */
interface SeenKeys {
  get(name: string): Seen | undefined
  /** Keeps what a store said, unless something is kept that it said to a later question. */
  keep(name: string, seen: Seen): void
  /** Nothing is known of the key any more, unless something is kept that was said to a later question. */
  forget(name: string, askedAt: number): void
}

function keyCache(maxFound: number, maxUnknown: number): SeenKeys {
  // Apart, so that a flood of unknown keys does not drive out the found ones.
  const found = new Lru<Seen>(maxFound)
  const unknown = new Lru<Seen>(maxUnknown)
  const isOld = (name: string, askedAt: number) =>
    askedAt < (found.peek(name)?.askedAt ?? unknown.peek(name)?.askedAt ?? Number.NEGATIVE_INFINITY)
  return {
    get: name => found.get(name) ?? unknown.get(name),
    keep(name, seen) {
      if (isOld(name, seen.askedAt)) return
      const [kept, other] = seen.record === undefined ? [unknown, found] : [found, unknown]
      other.delete(name)
      kept.set(name, seen)
    },
    forget(name, askedAt) {
      if (isOld(name, askedAt)) return
      found.delete(name)
      unknown.delete(name)
    },
  }
}

/** What a store said: the record, `undefined` for an unknown key, or what is to be thrown in its stead. */
type KeyLookupResult =
  | { readonly kind: 'record'; readonly record: SoundRecord | undefined }
  | { readonly kind: 'thrown'; readonly thrown: unknown }

/**
 * Asks a store for a key by each of its digests, until it is found. Rejects where the store fails. A record with a
 * fault is an answer, and so is a refusal of the caller, a `GatewayError` below 500: the store did not fail.
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
    return { kind: 'thrown', thrown: new ConfigurationError('apiKeys(): what the lookup found', [issue]) }
  return { kind: 'record', record: soundRecord(found) }
}
