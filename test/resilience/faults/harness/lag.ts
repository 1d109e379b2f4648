import { monitorEventLoopDelay } from 'node:perf_hooks'
import { onTestFinished } from 'vitest'

/** How long the event loop was held up, in milliseconds beyond its usual pace. */
export interface Lag {
  most(): number
  percentile(p: number): number
}

const resolution = 10

/** Watches the event loop until the test ends. */
export function lagDuring(): Lag {
  const delays = monitorEventLoopDelay({ resolution })
  delays.enable()
  onTestFinished(() => void delays.disable())
  const beyond = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolution)
  return { most: () => beyond(delays.max), percentile: p => beyond(delays.percentile(p)) }
}
