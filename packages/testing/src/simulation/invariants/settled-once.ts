import type { Claim, Settlement } from '@sluice/core/store'
import type { HistoryRecord } from '../history.ts'
import type { Invariant } from '../invariant.ts'
import type { Partition } from '../store-link.ts'
import { ViolationList } from './violation-list.ts'

/** How long settled claims are remembered at least, to notice a second settlement, in milliseconds. */
const historyMs = 150_000
/** How close to a partition or to a crash the answer to a claim may be lost, in milliseconds. */
const lostMs = 1_000

/**
 * The limit store gets a settlement of each claim that it allowed, at least once and always with the same amounts, so that it
 * takes effect once; and it holds no claim at the end.
 *
 * @param partitions of the limit store. A gateway does not know that a claim was allowed whose answer was lost: the store
 * releases it by itself, and so it does with those of a process that crashed.
 */
export function settledOnce(partitions: readonly Partition[] = []): Invariant {
  const violations = new ViolationList('settled once')
  const open = new Map<string, { readonly at: number; readonly gateway: number }>()
  /** What claims were settled with, those of the last `historyMs` and those before. */
  let [settled, settledBefore] = [new Map<string, string>(), new Map<string, string>()]
  let settledSince = 0
  /** Open claims of processes that crashed: a settlement may be on its way. */
  const orphaned = new Set<string>()
  const crashedAt = new Map<number, number>()
  const mayBeLost = (at: number) => partitions.some(({ fromMs, toMs }) => fromMs - lostMs <= at && at < toMs)
  return {
    name: 'settled once',
    requestBegan: ({ request }) => violations.sent(request),
    record(record: HistoryRecord) {
      if (record.type === 'claim') {
        const { claim, decision, at, gateway } = record
        if (!decision.allowed || !needsSettlement(claim)) return
        if (at < (crashedAt.get(gateway) ?? Number.NEGATIVE_INFINITY) + lostMs) orphaned.add(claim.id)
        else open.set(claim.id, { at, gateway })
      } else if (record.type === 'crash') {
        crashedAt.set(record.gateway, record.at)
        for (const [id, { gateway }] of open) {
          if (gateway !== record.gateway) continue
          open.delete(id)
          orphaned.add(id)
        }
      } else if (record.type === 'settlement') {
        const { at, settlement } = record
        const charged = settlement.charged.join(' ')
        if (at - settledSince >= historyMs) {
          settledBefore = settled
          settled = new Map()
          settledSince = at
        }
        const earlier = settled.get(settlement.id) ?? settledBefore.get(settlement.id)
        if (earlier !== undefined && earlier !== charged) {
          violations.add(at, `A claim was settled with ${earlier}, and again with ${charged}.`)
        } else if (
          earlier === undefined &&
          !open.delete(settlement.id) &&
          !orphaned.delete(settlement.id) &&
          !isRefund(settlement)
        ) {
          violations.add(at, `A claim was settled with ${charged} that the store had not allowed.`)
        }
        settled.set(settlement.id, charged)
      }
    },
    violations({ now, activeClaims }) {
      for (const { at, gateway } of open.values()) {
        if (!mayBeLost(at))
          violations.add(now, `Gateway ${gateway} never settled a claim of ${Math.round(at)} ms.`)
      }
      if (activeClaims > 0) violations.add(now, `The limit store still holds ${activeClaims} claims.`)
      return violations.list
    },
  }
}

/** A gateway takes back a claim without an answer: the store may have allowed it. */
function isRefund({ charged }: Settlement): boolean {
  return charged.every(amount => amount === 0)
}

function needsSettlement({ counters }: Claim): boolean {
  return counters.some(counter => counter.kind !== 'rate' || counter.floor !== undefined)
}
