import { memoryCacheStore } from '../caching/memory-cache-store.ts'
import type { MemoryStoreName, ProcessStores, SizeOptions } from '../contracts/process-stores.ts'
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

/** The same for the same name, in whatever order its sizes are. */
function once<T>(create: (sizes: SizeOptions) => T): (name: MemoryStoreName) => T {
  const made = new Map<string, T>()
  return ({ ordinal, sizes }) => {
    const sorted = Object.entries(sizes).sort(([one], [other]) => (one < other ? -1 : 1))
    const key = JSON.stringify([ordinal, sorted])
    const known = made.get(key) ?? create(sizes)
    made.set(key, known)
    return known
  }
}
