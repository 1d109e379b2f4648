import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate as turn } from 'node:timers/promises'
import { getHeapCodeStatistics } from 'node:v8'
import { now } from '../process/clock.ts'
import type { Holdings, LoopDelay, MemorySample } from '../process/messages.ts'

/**
 * Memory after a forced collection. The second one takes what the first one's finalizers let go. Compiled code is not
 * counted: the engine goes on compiling the same functions anew for minutes, as it learns what they are given.
 */
export async function memory(): Promise<MemorySample> {
  if (globalThis.gc === undefined) throw new Error('The gateway has to run with --expose-gc.')
  globalThis.gc()
  await turn()
  globalThis.gc()
  const { heapUsed, external, rss } = process.memoryUsage()
  const { code_and_metadata_size, bytecode_and_metadata_size } = getHeapCodeStatistics()
  return { at: now(), used: heapUsed + external - code_and_metadata_size - bytecode_and_metadata_size, rss }
}

const schedule = '/proc/self/schedstat'
const descriptorFolder = '/proc/self/fd'

export function holdings(): Holdings {
  const resources: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)
  const descriptors = existsSync(descriptorFolder) ? readdirSync(descriptorFolder).length : undefined
  return { resources, listeners, descriptors }
}

const resolution = 1
const monitor = monitorEventLoopDelay({ resolution })
monitor.enable()

let began = { at: now(), waited: waitedMs() }

/** Begins a new measurement of the event loop's delay. */
export function beginDelay(): null {
  monitor.reset()
  began = { at: now(), waited: waitedMs() }
  return null
}

/** What has been measured since. The monitor counts its own interval; it is taken off. */
export function delaySoFar(): LoopDelay {
  const ms = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolution)
  const waited = waitedMs()
  const starved =
    waited === undefined || began.waited === undefined
      ? undefined
      : (waited - began.waited) / (now() - began.at)
  return { p50: ms(monitor.percentile(50)), p99: ms(monitor.percentile(99)), max: ms(monitor.max), starved }
}

/** How long this thread has stood in the queue for a processor since it began. */
function waitedMs(): number | undefined {
  if (!existsSync(schedule)) return undefined
  const [, waited] = readFileSync(schedule, 'utf8').split(' ')
  return Number(waited) / 1e6
}
