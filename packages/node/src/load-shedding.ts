import type { LoadShedder } from '@sluice/core'
import {
  ConfigurationError,
  type ConfigurationIssue,
  configurationIssue,
  unknownOption,
} from '@sluice/core/adapter'
import { ownMembers } from './own-members.ts'
import { type LoadMeter, processLoad } from './process-load.ts'

/** Options of `loadShedding()`: when a process counts as overloaded. */
export interface LoadSheddingOptions {
  /** How many requests may be answered at once. Default: as many as come. */
  readonly maxInFlight?: number | undefined
  /**
   * How late the event loop may be, in milliseconds: the 99th percentile between two readings. Default 200. Of readings
   * two seconds apart one pause alone, of up to a second, is not enough.
   */
  readonly maxLagMs?: number | undefined
  /** How much of V8's heap for what lives longer may be in use, above 0 and up to 1. Default 0.85. */
  readonly maxHeapShare?: number | undefined
  /**
   * How much of the memory of its container or machine may be allocated, above 0 and up to 1: the heap, array buffers, and
   * all else that JavaScript holds. Default 0.85.
   */
  readonly maxMemoryShare?: number | undefined
  /** How much of that memory may be resident, above 0 and up to 1. Default 0.95. */
  readonly maxRssShare?: number | undefined
  /** How often the process is read, in milliseconds. Default 2,000. */
  readonly sampleMs?: number | undefined
  /** What is read. Default: this process. */
  readonly meter?: (() => LoadMeter) | undefined
}

/** What has been too much is enough when it has come down to this part of its bound: it would flap otherwise. */
const recoveryRatio = 0.9

const maxTimerMs = 2_147_483_647

/**
 * Refuses requests while this process is overloaded: as many are answered as may be, its event loop is late, or its
 * heap or memory is nearly full. `createGateway({ loadShedder: loadShedding({ maxInFlight: 500 }) })`.
 *
 * The process is read by a timer, not for each request. What a reading finds above its bound is refused for from then
 * on, until a reading finds it at 90 % of the bound or below; `maxInFlight` holds from one request to the next. For memory,
 * a request is let in where no other is in flight. Reading
 * begins with the first request and ends with `close`, which the gateway calls; it does not keep a process alive.
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
      // Memory that no request frees, such as what an allocator keeps, would refuse all of them for good.
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

/** The reason to refuse for a share above its bound; `before` is that of the last reading. */
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
