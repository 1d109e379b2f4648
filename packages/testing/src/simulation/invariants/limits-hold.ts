import type { HistoryRecord } from '../history.ts'
import type { Invariant } from '../invariant.ts'
import type { Partition } from '../store-link.ts'
import type { TimeRange } from '../time-range.ts'
import { attemptKey } from './attempt-key.ts'
import { ViolationList } from './violation-list.ts'

/** The limits of one key, as the configuration of the gateways has them. */
export interface ExpectedLimits {
  /** The id of the key. */
  readonly key: string
  readonly requests?: { readonly limit: number; readonly windowMs: number }
  readonly concurrent?: number
  /** US dollars, in a window that is longer than the simulation. */
  readonly budget?: number
}

/** What the limits depend on. */
export interface LimitExpectations {
  readonly limits: readonly ExpectedLimits[]
  /** The partitions of the limit store. In them each gateway counts its share by itself, for all kinds but budgets. */
  readonly partitions?: readonly Partition[]
  /** Number of gateways. */
  readonly gateways: number
  /** The option `instances` of the limiter: the share of a gateway is `limit / instances`, at least 1. Default 4. */
  readonly instances?: number
  /** How long a gateway waits for a decision, in milliseconds: after that it counts the request by itself. Default 50. */
  readonly storeTimeoutMs?: number
}

/** From the decision of a limit to the first call of an upstream, at most, in milliseconds. */
const decisionMs = 1_000
/** After a partition, until gateways use the store again, at most, in milliseconds. */
const recoveryMs = 10_000
/** How long a request can run that a store has forgotten meanwhile, in milliseconds. */
const runningMs = 120_000

/**
 * Requests per key stay within their limits, by the first call that upstreams got of each; concurrent calls of a key stay within
 * theirs; and the ledger has charged no more than a budget allows.
 */
export function limitsHold(expectations: LimitExpectations): Invariant {
  const { limits, partitions = [], gateways, instances = 4, storeTimeoutMs = 50 } = expectations
  const violations = new ViolationList('limits')
  const keys = new Map<string, KeyUse>()
  for (const expected of limits)
    keys.set(expected.key, new KeyUse(expected, partitions, gateways, instances, violations))
  /** By request and attempt: the key, and the number of calls. */
  const attempts = new Map<
    number | string,
    { readonly use: KeyUse; readonly sentAt: number; calls: number; called: boolean }
  >()
  return {
    name: 'limits',
    requestBegan(record) {
      violations.sent(record.request)
      const use = keys.get(record.key)
      if (use !== undefined)
        attempts.set(attemptKey(record), { use, sentAt: record.at, calls: 0, called: false })
    },
    callBegan(record) {
      const attempt = attempts.get(attemptKey(record))
      if (attempt === undefined) return
      if (!attempt.called) attempt.use.admitted(Math.min(record.at, attempt.sentAt + decisionMs))
      attempt.called = true
      if (attempt.calls++ === 0) attempt.use.began(record.at)
    },
    record(record: HistoryRecord) {
      if (record.type === 'call') {
        const attempt = attempts.get(attemptKey(record))
        if (attempt !== undefined && --attempt.calls === 0) attempt.use.ended()
      } else if (record.type === 'request') {
        const attempt = attempts.get(attemptKey(record))
        if (attempt?.calls === 0) attempts.delete(attemptKey(record))
      } else if (record.type === 'claim' && record.ms >= storeTimeoutMs) {
        for (const use of keys.values()) use.decidedLate(record.at)
      } else if (record.type === 'crash') {
        for (const use of keys.values()) use.crashed(record.at)
      } else if (record.type === 'ledger' && !record.again) {
        const { entry, charge } = record.closing
        // No limit counts a discarded call.
        if ((entry.kind ?? 'request') === 'request')
          keys.get(entry.principal)?.charged(record.at, charge?.cost ?? 0)
      }
    },
    violations: () => violations.list,
  }
}

/** What one key uses of its limits. */
class KeyUse {
  readonly #expected: ExpectedLimits
  readonly #partitions: readonly TimeRange[]
  #isolated: number
  readonly #instances: number
  readonly #violations: ViolationList
  /** The level of a leaky bucket of requests, and when it was that. */
  #level = 0
  #levelAt = 0
  #isLenient = false
  /** When decisions came too late for their gateway, which may have admitted the request. */
  #late: number[] = []
  #active = 0
  #spent = 0
  #highest = 0

  constructor(
    expected: ExpectedLimits,
    partitions: readonly Partition[],
    gateways: number,
    instances: number,
    violations: ViolationList,
  ) {
    this.#expected = expected
    this.#partitions = partitions
    this.#isolated = Math.max(0, ...partitions.map(({ gateways: cut }) => cut?.length ?? gateways))
    this.#instances = instances
    this.#violations = violations
  }

  admitted(at: number): void {
    const { requests, key } = this.#expected
    if (requests === undefined) return
    const { limit, windowMs } = requests
    const isLenient = this.#isIn(at, windowMs + recoveryMs)
    const local = isLenient ? this.#localShare(limit) : 0
    const most = limit * (1 + decisionMs / windowMs) + this.#lateSince(at - windowMs)
    // Where gateways counted by themselves, the store does not know of it afterwards.
    if (this.#isLenient && !isLenient) this.#level = Math.min(this.#level, most)
    this.#isLenient = isLenient
    const rate = (limit + local) / windowMs
    this.#level = Math.max(0, this.#level - Math.max(0, at - this.#levelAt) * rate) + 1
    this.#levelAt = Math.max(this.#levelAt, at)
    if (this.#level > most + local + 1e-6) {
      this.#violations.add(
        at,
        `The key ${key} was admitted more often than ${limit} times per ${windowMs} ms.`,
      )
      this.#level = most + local
    }
  }

  began(at: number): void {
    this.#active++
    const { concurrent, key } = this.#expected
    // Reservations that could not be renewed have expired in the store while their requests still ran.
    if (concurrent === undefined || this.#isIn(at, runningMs)) return
    if (this.#active > concurrent + this.#lateSince(at - runningMs)) {
      this.#violations.add(
        at,
        `The key ${key} had ${this.#active} concurrent requests, its limit is ${concurrent}.`,
      )
    }
  }

  decidedLate(at: number): void {
    this.#late = [...this.#late.filter(late => late >= at - runningMs), at]
  }

  #lateSince(at: number): number {
    return this.#late.filter(late => late >= at).length
  }

  ended(): void {
    this.#active--
  }

  /** In a partition the next process counts its share from 0. */
  crashed(at: number): void {
    const { windowMs = 0 } = this.#expected.requests ?? {}
    if (this.#isIn(at, windowMs + recoveryMs)) this.#isolated++
  }

  charged(at: number, cost: number): void {
    const { budget, key } = this.#expected
    if (budget === undefined) return
    this.#spent += cost
    this.#highest = Math.max(this.#highest, cost)
    // The last request may cost more than was reserved for it.
    if (this.#spent > budget + this.#highest) {
      this.#violations.add(at, `The key ${key} has spent ${this.#spent.toFixed(4)} of ${budget} US dollars.`)
    }
  }

  #isIn(at: number, afterMs: number): boolean {
    return this.#partitions.some(({ fromMs, toMs }) => fromMs - decisionMs <= at && at < toMs + afterMs)
  }

  #localShare(limit: number): number {
    return this.#isolated * Math.max(1, limit / this.#instances)
  }
}
