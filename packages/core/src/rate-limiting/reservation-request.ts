import type { Draft } from '../contracts/draft.ts'
import type { Counter } from '../contracts/limit-store.ts'
import type { LimitContext } from '../contracts/limiter.ts'
import { GatewayError } from '../errors/errors.ts'
import type { Usage } from '../protocol/chat.ts'
import {
  nanoDollars,
  type Reservation,
  type ReservedAmount,
  reservationOf,
  reservedMoney,
  reservedTokens,
} from '../usage/reservation.ts'
import type { CompiledRule } from './compiled-rules.ts'
import type { PlannedCount } from './counter-resolver.ts'

/** All that a request asks for. */
export interface ReservationRequest {
  readonly counts: readonly PlannedCount[]
  /** One for each count, in their order. */
  readonly counters: readonly Counter[]
  /** What is reserved of counts of tokens, and of budgets. */
  readonly tokens: ReservedAmount
  readonly money: ReservedAmount
  /** The bound of one choice that tokens or money are reserved for; `undefined` where none are. */
  readonly maxOutputTokens: number | undefined
  /** The prompt tokens that are reserved; `undefined` where none are. */
  readonly promptTokens: number | undefined
  /** Whether a budget that may refuse is asked. */
  readonly spends: boolean
}

const one: ReservedAmount = { amount: 1, floor: 1 }

/**
 * What a request asks of its counts. Throws 403 where a budget has to be asked for a model without a price.
 *
 * @param maxOutputTokens - the completion bound of a request that names none.
 */
export function reservationRequest(
  counts: readonly PlannedCount[],
  draft: Draft,
  context: LimitContext,
  maxOutputTokens: number,
): ReservationRequest {
  const counters: Counter[] = []
  let reservation: Reservation | undefined
  let tokens: ReservedAmount | undefined
  /** `null`: there is no price. */
  let money: ReservedAmount | null | undefined
  let spends = false
  for (const { key, rule, counter } of counts) {
    if (counter !== undefined) {
      counters.push(counter)
      continue
    }
    reservation ??= reservationOf(draft, maxOutputTokens)
    if (rule.kind === 'tokens') {
      tokens ??= reservedTokens(reservation)
      counters.push(counterOf(key, rule, tokens))
      continue
    }
    if (money === undefined) money = reservedMoney(reservation, context) ?? null
    if (money !== null) counters.push(counterOf(key, rule, money))
    else if (!rule.dryRun && !rule.allowsUnpriced) throw new GatewayError('model_not_priced')
    if (!rule.dryRun && money !== null) spends = true
  }
  const reserves = tokens !== undefined || (money !== undefined && money !== null)
  return {
    counts: money === null ? counts.filter(({ rule }) => rule.kind !== 'budget') : counts,
    counters,
    tokens: tokens ?? one,
    money: money ?? one,
    maxOutputTokens: reserves ? reservation?.maxOutputTokens : undefined,
    promptTokens: reserves ? reservation?.promptTokens : undefined,
    spends,
  }
}

function counterOf(key: string, rule: CompiledRule, reserved: ReservedAmount): Counter {
  const { kind, limit, dryRun, windowMs, per } = rule
  // More than the whole limit is too much, however much more it is.
  const amount = Math.min(reserved.amount, limit + 1)
  const floor = Math.min(reserved.floor, amount)
  if (kind === 'tokens') return { kind: 'rate', key, limit, dryRun, windowMs, amount, floor }
  if (per === undefined || per === 'second' || per === 'minute') throw new TypeError(`A budget per ${per}.`)
  return { kind: 'sum', key, limit, dryRun, window: per, amount, floor }
}

/** What is reserved of one of the counts. */
export function reservedOf({ tokens, money }: ReservationRequest, { kind }: CompiledRule): ReservedAmount {
  if (kind === 'tokens') return tokens
  return kind === 'budget' ? money : one
}

/**
 * What each count is charged in the end: what was used, or what was reserved where nobody can say what that was; and
 * nothing where no model answered.
 */
export function chargesOf(room: ReservationRequest, usage: Usage | undefined, cost: number | null): number[] {
  return room.counts.map(({ rule }) => {
    const { kind } = rule
    if (kind === 'requests') return 1
    if (kind === 'concurrent' || usage === undefined) return 0
    if (kind === 'tokens') return isWhole(usage.total_tokens) ? usage.total_tokens : room.tokens.amount
    return cost !== null && cost >= 0 && Number.isFinite(cost) ? nanoDollars(cost) : room.money.amount
  })
}

function isWhole(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
