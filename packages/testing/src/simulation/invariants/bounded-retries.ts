import type { HistoryRecord } from '../history.ts'
import type { Invariant } from '../invariant.ts'
import { attemptKey } from './attempt-key.ts'
import { TargetNames } from './target-names.ts'
import { ViolationList } from './violation-list.ts'

/** How often a gateway may call upstreams, as its options say. */
export interface RetryExpectations {
  /** Default 3. */
  readonly maxAttempts?: number
  /** The retry budget of a target: a share of its requests. Default 0.2. */
  readonly budget?: number
  /** Number of retries that are always allowed. Default 3. */
  readonly minBudget?: number
}

/** A target that was not called for so long is idle, and its retry budget begins again, in milliseconds. */
const idleMs = 10_000

/**
 * No request makes more calls than `maxAttempts`, and each gateway retries at a target no more often than the retry budget allows.
 */
export function boundedRetries(expectations: RetryExpectations = {}): Invariant {
  const { maxAttempts = 3, budget = 0.2, minBudget = 3 } = expectations
  const violations = new ViolationList('bounded retries')
  /** By request and attempt of a client: the targets that were called for it. */
  const called = new Map<number | string, string[]>()
  const targets = new Map<
    string,
    { firsts: number; retries: number; starts: number; active: number; idleSince: number }
  >()
  const names = new TargetNames()
  return {
    name: 'bounded retries',
    requestBegan: record => {
      violations.sent(record.request)
      called.set(attemptKey(record), [])
    },
    callBegan(record) {
      const name = names.of(record)
      const target = targets.get(name) ?? {
        firsts: 0,
        retries: 0,
        starts: 1,
        active: 0,
        idleSince: record.at,
      }
      targets.set(name, target)
      if (target.active++ === 0 && record.at - target.idleSince >= idleMs) target.starts++
      const calls = called.get(attemptKey(record))
      if (calls === undefined) return
      if (calls.includes(name)) target.retries++
      else target.firsts++
      calls.push(name)
      if (calls.length > maxAttempts) {
        violations.add(record.at, `Request ${record.request}.${record.attempt} made ${calls.length} calls.`)
      }
      // One more `minBudget` can be lent to principals without a retry.
      if (target.retries > budget * target.firsts + minBudget * (target.starts + 1)) {
        violations.add(record.at, `${name} had ${target.retries} retries of ${target.firsts} requests.`)
      }
    },
    record(record: HistoryRecord) {
      if (record.type === 'request') called.delete(attemptKey(record))
      // The next process has retry budgets of its own.
      if (record.type === 'crash') {
        for (const name of targets.keys()) if (name.startsWith(`${record.gateway}/`)) targets.delete(name)
      }
      if (record.type !== 'call') return
      const target = targets.get(names.of(record))!
      target.active--
      target.idleSince = record.at + record.ms
    },
    violations: () => violations.list,
  }
}
