import { excessOfRate } from '../../stores/grants-oracle.ts'
import type { UpstreamRecords } from '../servers/upstreams.ts'
import type { CallRecord } from './records.ts'

/**
 * By how many requests a limit per second was exceeded, in any span of time; 0 where it never was. A call was admitted
 * between its sending and its arrival at an upstream.
 */
export function overAdmissions(
  calls: readonly CallRecord[],
  upstream: UpstreamRecords,
  perSecond: number,
): number {
  const grants = calls.flatMap(({ call, sentAt }) => {
    const [first] = upstream.get(call.mark) ?? []
    return first === undefined ? [] : [{ asked: sentAt, told: first.arrivedAt, settling: first.arrivedAt }]
  })
  // Two processes read one clock to the microsecond: more digits are no admission.
  return Math.max(0, Math.ceil(excessOfRate(grants, perSecond, 1_000) - 0.001))
}

/**
 * How many requests processes may admit on their own, which count a limit per second without its store: each its share, at
 * most that of the documented `onStoreFailure: 'local'`, for so many seconds, and a burst of one share.
 */
export function localAdmissions(perSecond: number, instances: number, seconds: readonly number[]): number {
  const share = Math.max(1, Math.floor(perSecond / instances))
  return seconds.reduce((sum, each) => sum + Math.ceil(share * (each + 1)), 0)
}

/** How many admissions a replica does not know that is promoted: those of the time that it was behind. */
export function lostAdmissions(perSecond: number, lagMs: number): number {
  return Math.ceil((perSecond * lagMs) / 1_000)
}
