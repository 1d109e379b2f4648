import { memoryCacheStore } from '../caching/memory-cache-store.ts'
import type { ProcessStores, SizeOptions } from '../contracts/process-stores.ts'
import { memoryLimitStore } from '../rate-limiting/memory-limit-store.ts'
import { memoryHealth } from '../stores/memory-health.ts'
import { memoryResponseStore } from '../stores/memory-response-store.ts'
import { slotQueue } from '../upstream/concurrency-slots.ts'

/**
 * Creates the stores that processes share in the memory of one of them.
 *
 * @param processes - the number of processes.
 * @param now - returns milliseconds of a monotonic clock.
 */
export function memoryProcessStores(processes: number, now: () => number): ProcessStores {
  const slots = new Map<string, ReturnType<typeof slotQueue>>()
  return {
    processes,
    limits: once(memoryLimitStore),
    cache: once(memoryCacheStore),
    responses: once(memoryResponseStore),
    health: memoryHealth(now),
    slots(provider, size) {
      const key = JSON.stringify([provider, size])
      const known = slots.get(key) ?? slotQueue(size)
      slots.set(key, known)
      return known
    },
  }
}

/** The same for the same sizes, in whatever order they are. */
function once<T>(create: (options: SizeOptions) => T): (options: SizeOptions) => T {
  const made = new Map<string, T>()
  return options => {
    const key = JSON.stringify(Object.entries(options).sort(([one], [other]) => (one < other ? -1 : 1)))
    const known = made.get(key) ?? create(options)
    made.set(key, known)
    return known
  }
}
