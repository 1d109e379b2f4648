import type { HistoryRecord } from '../history.ts'
import type { Invariant } from '../invariant.ts'
import { LatencyHistogram } from '../latency-histogram.ts'
import type { TimeRange } from '../time-range.ts'
import { ViolationList } from './violation-list.ts'

/** Which clients stay within their limits, and which do not. */
export interface FairnessExpectations {
  /** Groups of clients that stay within their limits. */
  readonly quiet: readonly string[]
  /** Groups of clients that send more than they may. */
  readonly noisy: readonly string[]
  /** When each gateway counts by itself, because the limit store is partitioned: then shares of limits are small. */
  readonly except?: readonly TimeRange[]
}

/** How much worse the quiet clients may fare, as a share of their requests. */
const tolerance = 0.01
/** How long a partition has an effect, in milliseconds: a window of a minute, and the recovery of the store. */
const afterMs = 70_000
/** Below so many admitted requests of a group, shares and percentiles mean little. */
const minRequests = 1_000

/**
 * Clients within their limits do not suffer from those beyond theirs: they get no 429, fail no more often, and wait no longer
 * for the first byte, by the 99th percentile.
 */
export function fairShares({ quiet, noisy, except = [] }: FairnessExpectations): Invariant {
  const violations = new ViolationList('fair shares')
  const sums = () => ({ requests: 0, failures: 0, firstMs: new LatencyHistogram() })
  const crashedAt = new Map<number, number>()
  const [quietSums, noisySums] = [sums(), sums()]
  return {
    name: 'fair shares',
    requestBegan: ({ request }) => violations.sent(request),
    record(record: HistoryRecord) {
      if (record.type === 'crash') crashedAt.set(record.gateway, record.at)
      // Where no gateway runs, none shares anything.
      if (record.type !== 'request' || record.gateway < 0) return
      const isQuiet = quiet.includes(record.clients)
      if (!isQuiet && !noisy.includes(record.clients)) return
      if (isQuiet && record.status === 429 && !except.some(isNear(record.at))) {
        violations.add(
          record.at,
          `${record.clients} got a 429 (${record.code}), although the key ${record.key} is within its limits.`,
        )
      }
      const into = isQuiet ? quietSums : noisySums
      // A 429 of the gateway is what noisy clients have to expect: what is compared is what it admits.
      if (record.status === 429) return
      // Nor does a crash choose whom it hits.
      const sinceCrash = record.at + record.ms - (crashedAt.get(record.gateway) ?? Number.NEGATIVE_INFINITY)
      // As near as sums of fractions are.
      if (record.end === 'failed' && Math.abs(sinceCrash) < 0.001) return
      into.requests++
      if (record.end === 'failed') into.failures++
      if (record.firstMs !== undefined) into.firstMs.add(record.firstMs)
    },
    violations({ now }) {
      if (Math.min(quietSums.requests, noisySums.requests) < minRequests) return violations.list
      const [quietShare, noisyShare] = [quietSums, noisySums].map(
        ({ failures, requests }) => failures / requests,
      )
      if (quietShare! > noisyShare! + tolerance) {
        violations.add(now, `Of the quiet clients ${quietShare} failed, of the noisy ones ${noisyShare}.`)
      }
      const [quietMs, noisyMs] = [quietSums, noisySums].map(({ firstMs }) => firstMs.percentile(0.99))
      if (quietMs! > noisyMs! * 1.5) {
        violations.add(now, `The quiet clients waited ${quietMs} ms (p99), the noisy ones ${noisyMs} ms.`)
      }
      return violations.list
    },
  }
}

function isNear(at: number): (range: TimeRange) => boolean {
  return ({ fromMs, toMs }) => fromMs <= at && at < toMs + afterMs
}
