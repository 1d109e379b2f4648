import type { Counter } from '@sluice/core/store'
import type { HistoryRecord } from '../history.ts'
import type { Invariant } from '../invariant.ts'
import { ViolationList } from './violation-list.ts'

/** The rounding of one charge: budgets count billionths of a US dollar. */
const roundingUsd = 1e-9

/** What one key was charged, in US dollars. */
interface KeySums {
  /** What its budget was settled with. */
  counted: number
  /** What the ledger charged for its requests. */
  charged: number
  charges: number
  highest: number
  /** Claims that the limit store allowed and that were not settled yet. */
  readonly open: Set<string>
  /** Records that the ledger closed as lost. */
  readonly lost: Set<string>
}

/**
 * The settlements of a key's budget add up to what the ledger charges its requests. What a crash ends can be in one of the two only: it may
 * differ by the highest charge for each of them.
 *
 * @param keys - the ids of keys with one budget of their own.
 */
export function budgetsAgree(keys: readonly string[]): Invariant {
  const violations = new ViolationList('budgets agree')
  const sumsOf = new Map(
    keys.map((key): [string, KeySums] => [
      key,
      { counted: 0, charged: 0, charges: 0, highest: 0, open: new Set(), lost: new Set() },
    ]),
  )
  return {
    name: 'budgets agree',
    requestBegan: ({ request }) => violations.sent(request),
    record(record: HistoryRecord) {
      if (record.type === 'claim') {
        if (!record.decision.allowed) return
        const { counters, id } = record.claim
        sumsOf.get(principalOf(counters.find(isBudget)))?.open.add(id)
      } else if (record.type === 'settlement') {
        const { id, counters, charged } = record.settlement
        const index = counters.findIndex(isBudget)
        const own = sumsOf.get(principalOf(counters[index]))
        // Only its first settlement has an effect.
        if (own?.open.delete(id)) own.counted += charged[index]! * roundingUsd
      } else if (record.type === 'ledger' && !record.again) {
        const { entry, charge } = record.closing
        const own = sumsOf.get(entry.principal)
        // No limit counts a discarded call.
        if (own === undefined || (entry.kind ?? 'request') !== 'request') return
        const cost = charge?.cost ?? 0
        own.charged += cost
        own.charges++
        own.highest = Math.max(own.highest, cost)
        own.lost.delete(entry.id)
      } else if (record.type === 'lost') sumsOf.get(record.entry.principal)?.lost.add(record.entry.id)
    },
    violations({ now }) {
      for (const [key, { counted, charged, charges, highest, open, lost }] of sumsOf) {
        const unsure = (open.size + lost.size) * highest + charges * roundingUsd
        if (Math.abs(counted - charged) <= unsure) continue
        const [ledger, budget] = [charged, counted].map(usd => usd.toFixed(4))
        violations.add(
          now,
          `The ledger charged the key ${key} ${ledger} US dollars, its budget counted ${budget}.`,
        )
      }
      return violations.list
    },
  }
}

function isBudget({ kind }: Counter): boolean {
  return kind === 'sum'
}

/** Returns the id of the principal that a counter is of: its key has it behind the source and a space, as escaped text. */
function principalOf(counter: Counter | undefined): string {
  const [, text = ''] = /(?:^|:)key=([^:]*)/.exec(counter?.key ?? '') ?? []
  const plain = text.replace(/~([0-9a-f]{4})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
  return plain.slice(plain.indexOf(' ') + 1)
}
