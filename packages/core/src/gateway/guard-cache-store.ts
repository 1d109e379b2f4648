import type { Clock } from '../clock/clock.ts'
import type { AddResult, CacheStore, GuardedCacheStore, StoreOutcome } from '../contracts/cache-store.ts'
import type { StoreBreaker } from '../stores/store-breaker.ts'
import { StoreClient } from '../stores/store-client.ts'

const probed = { owner: 'probe', name: 'probe' }

/**
 * Puts a circuit breaker before a store. Once the store has failed often it is not called until it works again, which is
 * probed outside of requests.
 *
 * @param timeoutMs - how long an operation may take: a request waits for it.
 */
export function guardCacheStore(
  store: CacheStore,
  breaker: StoreBreaker,
  clock: Clock,
  timeoutMs: number,
): GuardedCacheStore {
  const calls = new StoreClient({
    name: 'store of answers',
    timeoutMs,
    timeoutOption: 'storeTimeoutMs',
    clock,
    breaker,
    failsFast: true,
  })
  const ask = async <T>(
    run: () => T | Promise<T>,
    late?: (value: T) => unknown,
  ): Promise<StoreOutcome<T>> => {
    if (calls.probeAt !== undefined) void calls.callOrProbe(async () => store.get(probed))
    return calls.call(
      // Also where the call throws synchronously.
      async () => run(),
      late && (outcome => outcome.ok && late(outcome.value)),
    )
  }
  const addResult = (found: unknown): AddResult => {
    if (found === 'added' || found === 'full') return found
    const existing = typeof found === 'object' && found !== null && 'existing' in found && found.existing
    if (typeof existing === 'string') return { existing }
    throw new TypeError(
      "The cache store returned an invalid result of add(), expected 'added', 'full' or { existing }.",
    )
  }
  const textOrNothing = (text: unknown) => {
    if (text === undefined || typeof text === 'string') return text
    throw new TypeError(`The cache store returned ${typeof text}, expected a string or undefined.`)
  }
  return {
    get: key => ask(async () => textOrNothing(await store.get(key))),
    set: (key, text, lifetime) => ask(() => store.set(key, text, lifetime)),
    add: (key, text, lifetime) =>
      ask(
        async () => addResult(await store.add(key, text, lifetime)),
        found =>
          (found === 'added' || (found !== 'full' && found.existing === text)) &&
          ask(() => store.replace(key, text, undefined, lifetime)),
      ),
    replace: (key, expected, text, lifetime) =>
      ask(async () => (await store.replace(key, expected, text, lifetime)) === true),
  }
}
