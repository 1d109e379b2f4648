import { aStore, milliseconds, wholeBytes } from '../caching/cache-options.ts'
import type { RunningIdempotency } from '../caching/idempotency.ts'
import { InFlightKeys } from '../caching/in-flight-keys.ts'
import type { ResponseCache } from '../caching/response-cache.ts'
import type { Clock } from '../clock/clock.ts'
import type { GuardedCacheStore } from '../contracts/cache-store.ts'
import type { OptionCheck as Check } from '../errors/check-options.ts'
import { followedCacheStore, isMemoryStore, processStoreTimeoutMs } from '../stores/process-stores.ts'
import type { UsedBreakers } from '../stores/store-breakers.ts'
import { aStoreTimeout, defaultStoreTimeoutMs } from '../stores/store-timeout.ts'
import type { GatewayOptions } from './config.ts'
import { guardCacheStore } from './guard-cache-store.ts'
import { withPolicyTimeout } from './guard-policies.ts'

type Storage = Pick<ResponseCache, 'store' | 'storeTimeoutMs'>

/** Cache and idempotency, over guarded stores. */
export interface CacheLookups {
  readonly cache: ResponseCache<GuardedCacheStore> | undefined
  readonly idempotency: RunningIdempotency | undefined
}

/**
 * Guards the stores of cache and idempotency: a shared one once, if both have the same timeout. `keyOf` times out after
 * `policyMs`.
 */
export function createCacheLookups(
  { cache, idempotency, storeTimeoutMs }: Pick<GatewayOptions, 'cache' | 'idempotency' | 'storeTimeoutMs'>,
  breakers: UsedBreakers,
  clock: Clock,
  policyMs: number,
): CacheLookups {
  const timeoutOf = ({ store, storeTimeoutMs: own }: Storage) =>
    own ?? storeTimeoutMs ?? (isMemoryStore(store) ? processStoreTimeoutMs : defaultStoreTimeoutMs)
  const guarded = (given: Storage) => {
    const ms = timeoutOf(given)
    const breaker = breakers.breakerOf('answers', given.store, ms)
    return guardCacheStore(followedCacheStore(given.store), breaker, clock, ms)
  }
  const answers = cache && guarded(cache)
  const isSame = (one: Storage, other: Storage) =>
    one.store === other.store && timeoutOf(one) === timeoutOf(other)
  const keys = idempotency && (cache && isSame(cache, idempotency) ? answers! : guarded(idempotency))
  return {
    cache: cache && {
      store: answers!,
      ttlMs: cache.ttlMs,
      maxBytes: cache.maxBytes,
      keyOf: (...request) => withPolicyTimeout(clock, 'cache', cache.keyOf(...request), policyMs),
      embedKeyOf: (...request) => withPolicyTimeout(clock, 'cache', cache.embedKeyOf?.(...request), policyMs),
      singleKeyOf: (...request) =>
        withPolicyTimeout(clock, 'cache', cache.singleKeyOf?.(...request), policyMs),
    },
    idempotency: idempotency && {
      keys: new InFlightKeys(keys!, clock),
      ttlMs: idempotency.ttlMs,
      maxBytes: idempotency.maxBytes,
      onStoreFailure: idempotency.onStoreFailure,
    },
  }
}

export const aCache: Check = value => {
  const { keyOf, ...storage } = partsOf(value)
  return typeof keyOf === 'function' && isStorage(storage)
    ? undefined
    : 'a cache, such as responseCache({ ttlMs: 60_000 })'
}

export const anIdempotency: Check = value => {
  const { onStoreFailure, ...storage } = partsOf(value)
  return (onStoreFailure === 'closed' || onStoreFailure === 'open') && isStorage(storage)
    ? undefined
    : 'the result of idempotency()'
}

function partsOf(value: unknown): Readonly<Record<string, unknown>> {
  const given = (value ?? {}) as Readonly<Record<string, unknown>>
  const { store, ttlMs, maxBytes, storeTimeoutMs, keyOf, onStoreFailure } = given
  return { store, ttlMs, maxBytes, storeTimeoutMs, keyOf, onStoreFailure }
}

function isStorage({ store, ttlMs, maxBytes, storeTimeoutMs }: Readonly<Record<string, unknown>>): boolean {
  return (
    aStore(store) === undefined &&
    milliseconds(ttlMs) === undefined &&
    wholeBytes(maxBytes) === undefined &&
    (storeTimeoutMs === undefined || aStoreTimeout(storeTimeoutMs) === undefined)
  )
}
