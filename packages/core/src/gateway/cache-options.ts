import { aStore, milliseconds, wholeBytes } from '../caching/cache-options.ts'
import type { RunningIdempotency } from '../caching/idempotency.ts'
import { InFlightKeys } from '../caching/in-flight-keys.ts'
import type { ResponseCache } from '../caching/response-cache.ts'
import type { Clock } from '../clock/clock.ts'
import type { CacheStore, GuardedCacheStore } from '../contracts/cache-store.ts'
import type { Observer } from '../contracts/events.ts'
import type { OptionCheck as Check } from '../errors/check-options.ts'
import type { GatewayOptions } from './config.ts'
import { guardCacheStore } from './guard-cache-store.ts'
import { withPolicyTimeout } from './guard-policies.ts'

/** What says whether a request was answered before, over stores that are watched. */
export interface Recalling {
  readonly cache: ResponseCache<GuardedCacheStore> | undefined
  readonly idempotency: RunningIdempotency | undefined
}

/** Where cache and idempotency share a store, it is watched once. A key has to be there within `policyMs`. */
export function recalling(
  { cache, idempotency }: Pick<GatewayOptions, 'cache' | 'idempotency'>,
  observe: Observer,
  clock: Clock,
  policyMs: number,
): Recalling {
  const stores = new Map<CacheStore, GuardedCacheStore>()
  const watched = (store: CacheStore) => {
    const known = stores.get(store) ?? guardCacheStore(store, observe, clock)
    stores.set(store, known)
    return known
  }
  return {
    cache: cache && {
      store: watched(cache.store),
      ttlMs: cache.ttlMs,
      maxBytes: cache.maxBytes,
      keyOf: (input, principal) => withPolicyTimeout(clock, 'cache', cache.keyOf(input, principal), policyMs),
    },
    idempotency: idempotency && {
      keys: new InFlightKeys(watched(idempotency.store), clock),
      ttlMs: idempotency.ttlMs,
      maxBytes: idempotency.maxBytes,
      onStoreFailure: idempotency.onStoreFailure,
    },
  }
}

export const aCache: Check = value => {
  const { keyOf, ...kept } = partsOf(value)
  return typeof keyOf === 'function' && isKept(kept)
    ? undefined
    : 'a cache, such as responseCache({ ttlMs: 60_000 })'
}

export const anIdempotency: Check = value => {
  const { onStoreFailure, ...kept } = partsOf(value)
  return (onStoreFailure === 'closed' || onStoreFailure === 'open') && isKept(kept)
    ? undefined
    : 'the result of idempotency()'
}

function partsOf(value: unknown): Readonly<Record<string, unknown>> {
  const { store, ttlMs, maxBytes, keyOf, onStoreFailure } = (value ?? {}) as Readonly<Record<string, unknown>>
  return { store, ttlMs, maxBytes, keyOf, onStoreFailure }
}

function isKept({ store, ttlMs, maxBytes }: Readonly<Record<string, unknown>>): boolean {
  return (
    aStore(store) === undefined && milliseconds(ttlMs) === undefined && wholeBytes(maxBytes) === undefined
  )
}
