import type { BegunCall, HistoryRecord } from '../history.ts'
import type { Invariant } from '../invariant.ts'
import { attemptKey } from './attempt-key.ts'
import { TargetNames } from './target-names.ts'
import { ViolationList } from './violation-list.ts'

/** Of so many failures in a row the circuit breaker counts at most so many of one principal. */
const countedPerKey = 3

/** Probes of a target with an open circuit, as the options of gateways allow them. */
export interface HerdExpectations {
  /** The option `failures` of the circuit breaker: so many failures in a row open it. Default 5. */
  readonly failures?: number
  /** Calls of a gateway within a second that may test an open target: a probe, and a last resort. Default 2. */
  readonly perSecond?: number
  /** Whether gateways share the health of targets: one may call a target that has answered another. Default `false`. */
  readonly shared?: boolean
}

interface TargetState {
  /** Failures since the last success, by key. */
  readonly failures: Map<string, number>
  /** Since when the circuit must be open; `undefined`: it may be closed. */
  openSince: number | undefined
  /** When the latest calls began that tested it. */
  recent: number[]
}

/**
 * A gateway only tests a target that keeps failing, and does so until the target answers: neither during an outage nor right after
 * it do all requests go to it at once.
 */
export function noHerd(expectations: HerdExpectations = {}): Invariant {
  const { failures: mostFailures = 5, perSecond = 2, shared = false } = expectations
  const violations = new ViolationList('no herd')
  const targets = new Map<string, TargetState>()
  /** By request and attempt of a client: its key, and the targets that were called. */
  const attempts = new Map<number | string, { readonly key: string; readonly called: string[] }>()
  const names = new TargetNames()
  /** When each target answered a gateway last, where gateways share that. */
  const answeredAt = new Map<string, number>()
  /** Returns the state of a target that has failed since its last answer. */
  const failingTarget = (record: BegunCall, name: string, now: number) => {
    const known = targets.get(name)
    if (known === undefined || !shared) return known
    const { openSince = now } = known
    const isClosed = (answeredAt.get(`${record.provider}/${record.model}`) ?? 0) > openSince
    return isClosed ? undefined : known
  }
  return {
    name: 'no herd',
    requestBegan: record => {
      violations.sent(record.request)
      attempts.set(attemptKey(record), { key: record.key, called: [] })
    },
    callBegan(record) {
      const name = names.of(record)
      attempts.get(attemptKey(record))?.called.push(name)
      const target = failingTarget(record, name, record.at)
      if (target?.openSince === undefined) return
      target.recent = [...target.recent.filter(at => record.at - at < 1_000), record.at]
      if (target.recent.length <= perSecond) return
      const { gateway, provider, model } = record
      violations.add(
        record.at,
        `Gateway ${gateway} made ${target.recent.length} calls within a second to ${provider}/${model}, which fails since ${Math.round(target.openSince)} ms.`,
      )
    },
    callAnswered(record, at) {
      targets.delete(names.of(record))
      if (shared) answeredAt.set(`${record.provider}/${record.model}`, at)
    },
    record(record: HistoryRecord) {
      if (record.type === 'request') attempts.delete(attemptKey(record))
      // The next process does not know which targets fail.
      if (record.type === 'crash') {
        for (const name of targets.keys()) if (name.startsWith(`${record.gateway}/`)) targets.delete(name)
      }
      if (record.type !== 'call') return
      const name = names.of(record)
      const known = failingTarget(record, name, record.at + record.ms)
      // An answer that began before the outage is a success too: it ends a row of failures that has not opened the circuit.
      if (record.end === 'completed' && known?.openSince === undefined) targets.delete(name)
      if (!isFailure(record.end, record.status)) return
      const target = known ?? { failures: new Map(), openSince: undefined, recent: [] }
      targets.set(name, target)
      const attempt = attempts.get(attemptKey(record))
      // Of a request that is retried, only the first failure counts.
      const isRetry = (attempt?.called ?? []).filter(each => each === name).length > 1
      if (attempt === undefined || isRetry) return
      const { key } = attempt
      target.failures.set(key, (target.failures.get(key) ?? 0) + 1)
      if (target.openSince !== undefined || target.failures.size < 2) return
      const counted = [...target.failures.values()].reduce(
        (sum, count) => sum + Math.min(count, countedPerKey),
        0,
      )
      if (counted >= mostFailures) target.openSince = record.at + record.ms
    },
    violations: () => violations.list,
  }
}

function isFailure(end: string, status: number): boolean {
  return end === 'unreachable' || (end === 'refused' && status >= 500)
}
