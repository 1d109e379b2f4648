import { GatewayError } from '../../errors.ts'
import type { Usage } from '../../protocol/chat.ts'
import type { Principal } from '../../stages/authenticate.ts'
import type { LimitContext } from '../../stages/limit.ts'
import type { Draft } from '../../stages/read.ts'
import { keyOf, type PlannedRule } from './limit-plan.ts'
import type { Counter } from './limit-store.ts'
import { nanoDollars } from './nano-dollars.ts'
import {
  type Reservation,
  type ReservedAmount,
  reservationOf,
  reservedMoney,
  reservedTokens,
} from './reservation.ts'

/** One count that a request asks of, and the tightest rule that says so. */
export interface AskedCount {
  readonly key: string
  readonly rule: PlannedRule
  readonly reserved: ReservedAmount
}

/** All that a request asks for. */
export interface AskedRoom {
  readonly counts: readonly AskedCount[]
  /** One for each count, in their order. */
  readonly counters: readonly Counter[]
  /** The bound of one choice that tokens or money are reserved for; `undefined` where none are. */
  readonly maxOutputTokens: number | undefined
  /** Whether a budget that may refuse is asked. */
  readonly spends: boolean
}

const one: ReservedAmount = { amount: 1, floor: 1 }

/** Who asks for what, and what is known beside that. */
export interface Asking {
  readonly principal: Principal
  readonly draft: Draft
  readonly context: LimitContext
  /** The completion bound of a request that names none. */
  readonly maxOutputTokens: number
}

/**
 * What a request asks of all its counts. Rules with the same count are one, with the least of their limits. Throws 403
 * where a budget has to be asked for a model without a price.
 */
export function askedRoom(rules: readonly PlannedRule[], asking: Asking): AskedRoom {
  const { principal, draft, context } = asking
  const counts: AskedCount[] = []
  const counters: Counter[] = []
  let reservation: Reservation | undefined
  let money: ReservedAmount | undefined
  let bounded = false
  let spends = false
  for (const rule of rules) {
    const key = keyOf(rule, principal, draft)
    if (key === undefined) continue
    const same = placeOf(key, counts)
    if (same !== -1) {
      const { rule: other, reserved } = counts[same] as AskedCount
      if (rule.limit >= other.limit) continue
      counts[same] = { key, rule, reserved }
      counters[same] = counterOf(key, rule, reserved)
      continue
    }
    let reserved = one
    if (rule.kind === 'tokens' || rule.kind === 'budget') {
      reservation ??= reservationOf(draft, asking.maxOutputTokens)
      if (rule.kind === 'tokens') reserved = reservedTokens(reservation)
      else {
        money ??= reservedMoney(reservation, context)
        if (money === undefined) {
          if (rule.shadow) continue
          throw new GatewayError('model_not_priced')
        }
        reserved = money
        if (!rule.shadow) spends = true
      }
      bounded = true
    }
    counts.push({ key, rule, reserved })
    counters.push(counterOf(key, rule, reserved))
  }
  const maxOutputTokens = bounded ? reservation?.maxOutputTokens : undefined
  return { counts, counters, maxOutputTokens, spends }
}

function placeOf(key: string, counts: readonly AskedCount[]): number {
  for (let at = 0; at < counts.length; at++) if (counts[at]?.key === key) return at
  return -1
}

function counterOf(key: string, rule: PlannedRule, reserved: ReservedAmount): Counter {
  const { kind, limit, shadow, windowMs, per } = rule
  if (kind === 'concurrent') return { kind: 'lease', key, limit, shadow }
  if (kind === 'requests') return { kind: 'rate', key, limit, shadow, windowMs, amount: 1 }
  // More than the whole limit is too much, however much more it is.
  const amount = Math.min(reserved.amount, limit + 1)
  const floor = Math.min(reserved.floor, amount)
  if (kind === 'tokens') return { kind: 'rate', key, limit, shadow, windowMs, amount, floor }
  if (per === undefined || per === 'second' || per === 'minute') throw new TypeError(`A budget per ${per}.`)
  return { kind: 'sum', key, limit, shadow, window: per, amount, floor }
}

/**
 * What each count is charged in the end: what was used, or what was reserved where nobody can say what that was; and
 * nothing where no model answered.
 */
export function chargesOf({ counts }: AskedRoom, usage: Usage | undefined, cost: number | null): number[] {
  return counts.map(({ rule: { kind }, reserved }) => {
    if (kind === 'requests') return 1
    if (kind === 'concurrent' || usage === undefined) return 0
    if (kind === 'tokens') return isWhole(usage.total_tokens) ? usage.total_tokens : reserved.amount
    return cost !== null && cost >= 0 && Number.isFinite(cost) ? nanoDollars(cost) : reserved.amount
  })
}

function isWhole(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
