import { totalmem } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8'

/** A measurement of the load of a process. */
export interface ProcessLoad {
  /** Delay of the event loop, in milliseconds: the 99th percentile since the last measurement. */
  readonly lagMs: number
  /** Share of V8's old generation (long-lived objects) that is in use. At 1 the process ends for lack of memory. */
  readonly heapShare: number
  /**
   * Share of the memory of the container, or of the machine, that JavaScript has allocated: the heap, and external memory such
   * as array buffers.
   */
  readonly memoryShare: number
  /**
   * Share of that memory that is resident (RSS). It may stay high after memory was freed, because allocators do not return all
   * of it to the system.
   */
  readonly rssShare: number
}

/** Measures the load of a process. */
export interface LoadMeter {
  /** Returns the load since the last measurement. */
  read(): ProcessLoad
  /** Releases the resources of the meter. */
  stop(): void
}

/** How often the event loop is looked at, in milliseconds. A pause counts once, however long it was. */
const lookMs = 10

/**
 * What V8 counts into the limit of its heap for young objects, in MiB, by its first number; 48 for all before. Old ones,
 * of which a process dies, cannot have it.
 */
const youngOf: Readonly<Record<string, number>> = { 13: 192, 14: 96 }

/** The load of this process. */
export function processLoad(): LoadMeter {
  const oldLimit = oldLimitOf(getHeapStatistics().heap_size_limit)
  const memoryLimit = memoryLimitOf(process.constrainedMemory(), totalmem())
  const delays = monitorEventLoopDelay({ resolution: lookMs })
  delays.enable()
  return {
    read() {
      // Of nanoseconds, in which the wait that was asked for is counted.
      const lagMs = delays.percentile(99) / 1e6 - lookMs
      delays.reset()
      const { rss, heapTotal, external } = process.memoryUsage()
      return {
        lagMs: Math.max(0, lagMs),
        heapShare: oldBytes() / oldLimit,
        memoryShare: (heapTotal + external) / memoryLimit,
        rssShare: rss / memoryLimit,
      }
    },
    stop() {
      delays.disable()
    },
  }
}

/** What objects that live longer take. */
function oldBytes(): number {
  let used = 0
  for (const { space_name, space_used_size } of getHeapSpaceStatistics()) {
    if (!space_name.startsWith('new_')) used += space_used_size
  }
  return used
}

/** What a process may use, given the bound of its container, which is 0 where there is none or it is not known. */
function memoryLimitOf(container: number, machine: number): number {
  return container > 0 ? Math.min(container, machine) : machine
}

/** Returns the size limit of the old generation, in bytes: of the process's flags, else V8's default. */
function oldLimitOf(heapLimit: number): number {
  const flags = [process.env.NODE_OPTIONS ?? '', ...process.execArgv].join(' ')
  const told = [...flags.matchAll(/--max[-_]old[-_]space[-_]size[= ](\d+)/g)].at(-1)?.[1]
  if (told !== undefined && Number(told) > 0) return Number(told) * mebibyte
  const young = (youngOf[process.versions.v8.split('.')[0] ?? ''] ?? 48) * mebibyte
  // On a small machine young objects are given less.
  return Math.max(heapLimit - young, heapLimit / 2)
}

const mebibyte = 1_048_576
