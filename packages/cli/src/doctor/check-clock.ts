import type { ClockSample } from './check-upstreams.ts'
import { error, type Finding, ok, warning } from './finding.ts'

/** `Date` headers have whole seconds, and the network takes its time. */
const acceptedMs = 30_000
/** Tokens and signatures are rejected from here on. */
const wrongMs = 300_000

const fix = 'Synchronize the clock by NTP; on Linux: timedatectl set-ntp true'

/** Checks the clock of this machine against the one of an upstream, or of Redis. */
export function checkClock(samples: readonly ClockSample[]): Finding | undefined {
  const [first] = samples
  if (first === undefined) return undefined
  // One upstream can be wrong itself: the nearest counts.
  const nearest = samples.reduce((best, each) => (difference(each) < difference(best) ? each : best), first)
  const seconds = Math.round(difference(nearest) / 1_000)
  const direction = nearest.ours > nearest.theirs ? 'ahead of' : 'behind'
  const message = `${seconds} seconds ${direction} ${nearest.host}.`
  if (difference(nearest) >= wrongMs) return error('clock', message, fix)
  if (difference(nearest) >= acceptedMs) return warning('clock', message, fix)
  return ok('clock', `within ${acceptedMs / 1_000} seconds of ${nearest.host}`)
}

function difference({ theirs, ours }: ClockSample): number {
  return Math.abs(ours - theirs)
}
