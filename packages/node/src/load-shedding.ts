import type { LoadShedder } from '@sluice/core'
import {
  ConfigurationError,
  type ConfigurationIssue,
  configurationIssue,
  unknownOption,
} from '@sluice/core/adapter'
import { maxTimerMs } from './check-milliseconds.ts'
import { ownMembers } from './own-members.ts'
import { type LoadMeter, processLoad } from './process-load.ts'

/** Options of `loadShedding()`: the bounds above which a process counts as overloaded. */
export interface LoadSheddingOptions {
  /** Maximum number of requests in flight. Default: no maximum. */
  readonly maxInFlight?: number | undefined
  /**
   * Maximum delay of the event loop, in milliseconds: the 99th percentile since the last measurement. Default 200. With the
   * default `sampleMs`, a single pause of up to a second does not exceed it.
   */
  readonly maxLagMs?: number | undefined
  /** Maximum share of V8's old generation (long-lived objects) that is in use: above 0, at most 1. Default 0.85. */
  readonly maxHeapShare?: number | undefined
  /**
   * Maximum share of the memory of the container, or of the machine, that JavaScript has allocated: the heap, array buffers and
   * other external memory. Above 0, at most 1. Default 0.85.
   */
  readonly maxMemoryShare?: number | undefined
  /** Maximum share of that memory that is resident (RSS): above 0, at most 1. Default 0.95. */
  readonly maxRssShare?: number | undefined
  /** Interval between two measurements, in milliseconds. Default 2,000. */
  readonly sampleMs?: number | undefined
  /** Creates the meter that measures the load. Default: one of this process. */
  readonly meter?: (() => LoadMeter) | undefined
}

/** The share of a bound at which a process has recovered. Without this gap it would flap between two states. */
const recoveryRatio = 0.9

/**
 * Rejects requests while this process is overloaded: it has too many requests in flight, its event loop is delayed, or its
 * heap or memory is nearly full. `createGateway({ loadShedder: loadShedding({ maxInFlight: 500 }) })`.
 *
 * `maxInFlight` is compared at each request. All other values are measured by a timer: requests are rejected from the first
 * measurement above a bound until one at 90 % of it or below. Above a bound of memory, a request is still accepted if no other
 * is in flight. Measuring begins with the first request and ends with `close`, which the gateway calls. The timer does not keep
 * a process alive.
 *
 * Throws `ConfigurationError` for invalid options.
 */
export function loadShedding(given: LoadSheddingOptions = {}): LoadShedder & { close(): void } {
  const options = validateOptions(given)
  const { maxInFlight = Number.POSITIVE_INFINITY, maxLagMs = 200, maxHeapShare = 0.85 } = options
  const { maxMemoryShare = 0.85, maxRssShare = 0.95, sampleMs = 2_000, meter: made = processLoad } = options
  let reading: { readonly meter: LoadMeter; readonly timer: NodeJS.Timeout } | undefined
  let late: string | undefined
  let full: string | undefined
  let used: string | undefined
  let resident: string | undefined
  let failure: { readonly error: unknown } | undefined

  const read = (meter: LoadMeter) => {
    try {
      const { lagMs, heapShare, memoryShare, rssShare } = meter.read()
      late =
        lagMs > (late ? recoveryRatio : 1) * maxLagMs ? `event loop ${Math.round(lagMs)} ms late` : undefined
      full = above(heapShare, maxHeapShare, full, 'heap', 'in use')
      used = above(memoryShare, maxMemoryShare, used, 'memory', 'in use')
      resident = above(rssShare, maxRssShare, resident, 'memory', 'resident')
      failure = undefined
    } catch (error) {
      // The next request throws it: nobody could catch it in a timer.
      failure = { error }
    }
  }

  return Object.assign<LoadShedder, { close(): void }>(
    ({ inFlight }) => {
      if (reading === undefined) {
        const meter = made()
        reading = { meter, timer: setInterval(read, sampleMs, meter).unref() }
      }
      if (failure !== undefined) throw failure.error
      const reason = full ?? late
      if (reason !== undefined) return reason
      // Memory that no request frees, such as what an allocator keeps, would reject all requests forever.
      const memory = used ?? resident
      if (memory !== undefined && inFlight > 0) return memory
      return inFlight < maxInFlight ? undefined : `${inFlight} requests in flight`
    },
    {
      close() {
        clearInterval(reading?.timer)
        reading?.meter.stop()
        reading = late = full = used = resident = failure = undefined
      },
    },
  )
}

/** Returns the reason to reject for a share above its bound; `before` is that of the last measurement. */
function above(
  share: number,
  max: number,
  before: string | undefined,
  of: string,
  how: string,
): string | undefined {
  return share > (before === undefined ? 1 : recoveryRatio) * max
    ? `${of} ${Math.round(100 * share)} % ${how}`
    : undefined
}

function validateOptions(given: LoadSheddingOptions): LoadSheddingOptions {
  if (typeof given !== 'object' || given === null) {
    throw invalid([configurationIssue([], given, 'an object of options')])
  }
  const options = ownMembers(given)
  const { maxInFlight, maxLagMs, maxHeapShare, maxMemoryShare, maxRssShare, sampleMs, meter, ...others } =
    options
  const issues: ConfigurationIssue[] = Object.entries(others).map(([name, value]) =>
    unknownOption([name], value, known),
  )
  if (maxInFlight !== undefined && !(Number.isSafeInteger(maxInFlight) && maxInFlight >= 1)) {
    issues.push(configurationIssue(['maxInFlight'], maxInFlight, 'a whole number from 1'))
  }
  for (const [name, ms] of Object.entries({ maxLagMs, sampleMs })) {
    if (ms !== undefined && !(typeof ms === 'number' && ms > 0 && ms <= maxTimerMs)) {
      issues.push(configurationIssue([name], ms, `milliseconds above 0, at most ${maxTimerMs}`))
    }
  }
  for (const [name, share] of Object.entries({ maxHeapShare, maxMemoryShare, maxRssShare })) {
    if (share !== undefined && !(typeof share === 'number' && share > 0 && share <= 1)) {
      issues.push(configurationIssue([name], share, 'a number above 0, at most 1'))
    }
  }
  if (meter !== undefined && typeof meter !== 'function') {
    issues.push(configurationIssue(['meter'], meter, 'a function'))
  }
  if (issues.length > 0) throw invalid(issues)
  return options
}

const known: readonly string[] = [
  'maxInFlight',
  'maxLagMs',
  'maxHeapShare',
  'maxMemoryShare',
  'maxRssShare',
  'sampleMs',
  'meter',
] satisfies (keyof LoadSheddingOptions)[]

function invalid(issues: readonly ConfigurationIssue[]): ConfigurationError {
  return new ConfigurationError('loadShedding()', issues)
}
