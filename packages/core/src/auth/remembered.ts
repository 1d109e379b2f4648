import type { ApiKeyLookup } from '../contracts/key-store.ts'
import { configurationError } from '../errors/configuration-error.ts'
import { GatewayError } from '../errors/errors.ts'
import { quietObserver } from '../observability/observers.ts'
import { StoreCalls } from '../stores/store-calls.ts'
import type { ApiKeysOptions, Find } from './api-keys-options.ts'

import { askStore } from './ask-store.ts'
import type { SoundRecord } from './key-record.ts'
import { type Seen, seenKeys } from './seen-keys.ts'

const longestMs = 5_000
const maxFound = 10_000
/** Timers take no more, and fire at once where they are given more. */
const longestTimerMs = 2_147_483_647

/**
 * A store's lookup, asked once in a while for each key, and by one request at a time: the found and the unknown ones
 * are remembered, from when the store was asked on. The clock is a steady one: the time of day may be put back. Where
 * the store fails, what was found is remembered for longer; a key of which nothing is known is a 503, and no wrong key.
 *
 * Throws `ConfigurationError` for bounds that are none.
 */
export function remembered(lookup: ApiKeyLookup, options: ApiKeysOptions): Find {
  const now = options.now ?? (() => performance.now())
  const { ttl, maxUnknown, lookupMs, staleMs } = boundsOf(options)
  const observe = quietObserver(options.observe)
  const keys = seenKeys(maxFound, maxUnknown)
  const flights = new Map<string, Promise<SoundRecord | undefined>>()
  const calls = new StoreCalls({
    name: 'store of keys',
    timeoutMs: lookupMs,
    timeoutOption: 'lookupMs',
    clock: () => performance.now(),
    changed: (state, error) => observe({ type: 'store', store: 'keys', state, error }),
    breaker: { clock: now, windowMs: 0, lastProbeMs: 250 },
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
      const answer = await askStore(lookup, digests)
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
  if (!(typeof lookupMs === 'number' && lookupMs > 0 && lookupMs <= longestTimerMs)) {
    throw configurationError(
      'apiKeys()',
      ['lookupMs'],
      lookupMs,
      `a number above 0, at most ${longestTimerMs}`,
    )
  }
  if (!(typeof staleMs === 'number' && staleMs >= 0 && Number.isFinite(staleMs))) {
    throw configurationError('apiKeys()', ['staleMs'], staleMs, 'a number of milliseconds from 0')
  }
  return { ttl, maxUnknown, lookupMs, staleMs }
}
