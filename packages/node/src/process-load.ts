import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8'

/** How busy a process is. */
export interface ProcessLoad {
  /** How late the event loop was, in milliseconds: 99 of 100 looks since the last reading were less late. */
  readonly lagMs: number
  /** How much of the heap that V8 may have for what lives longer is in use: a process ends at 1. */
  readonly heapShare: number
}

/** Reads the load of a process; `stop` frees what that takes. */
export interface LoadMeter {
  /** Since the last reading. */
  read(): ProcessLoad
  stop(): void
}

/** How often the event loop is looked at, in milliseconds. A pause counts once, however long it was. */
const lookMs = 10

/**
 * What V8 counts into the limit of its heap for young objects, in bytes: three times 16 MiB, unless
 * `--max-semi-space-size` says otherwise. Old ones, of which a process dies, cannot have it.
 */
const youngBytes = 50_331_648

/** The load of this process. */
export function processLoad(): LoadMeter {
  const delays = monitorEventLoopDelay({ resolution: lookMs })
  delays.enable()
  return {
    read() {
      // Of nanoseconds, in which the wait that was asked for is counted.
      const lagMs = delays.percentile(99) / 1e6 - lookMs
      delays.reset()
      return { lagMs: Math.max(0, lagMs), heapShare: heapShare() }
    },
    stop() {
      delays.disable()
    },
  }
}

function heapShare(): number {
  let used = 0
  for (const { space_name, space_used_size } of getHeapSpaceStatistics()) {
    if (!space_name.startsWith('new_')) used += space_used_size
  }
  const { heap_size_limit } = getHeapStatistics()
  // At least half of it, where young objects were given less.
  return used / Math.max(heap_size_limit - youngBytes, heap_size_limit / 2)
}
