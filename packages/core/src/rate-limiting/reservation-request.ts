import type { Draft } from '../contracts/draft.ts'
import type { Counter } from '../contracts/limit-store.ts'
import type { LimitContext } from '../contracts/limiter.ts'
import { GatewayError } from '../errors/errors.ts'
import type { Usage } from '../protocol/chat.ts'
import { generates } from '../usage/operations.ts'
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

/** Everything that a request reserves. */
export interface ReservationRequest {
  readonly counts: readonly PlannedCount[]
  /** One per count, in the same order. */
  readonly counters: readonly Counter[]
  /** What is reserved in token limits and budgets. */
  readonly tokens: ReservedAmount
  readonly money: ReservedAmount
  /**
   * The completion limit per choice used for the reservation; `undefined` if no tokens or money are reserved, or nothing is
   * generated.
   */
  readonly maxOutputTokens: number | undefined
  /** The reserved prompt tokens; `undefined` if there are none. */
  readonly promptTokens: number | undefined
  /** Whether an enforced budget applies. */
  readonly spends: boolean
}

const one: ReservedAmount = { amount: 1, floor: 1 }

/**
 * Returns what a request reserves. Throws 403 if an enforced budget applies to a model without a price.
 *
 * @param maxOutputTokens - the completion limit of a request that sets none.
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
  /** `null` if there is no price. */
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
    maxOutputTokens: reserves && generates(draft.operation) ? reservation?.maxOutputTokens : undefined,
    promptTokens: reserves ? reservation?.promptTokens : undefined,
    spends,
  }
}

function counterOf(key: string, rule: CompiledRule, reserved: ReservedAmount): Counter {
  const { kind, limit, dryRun, windowMs, per } = rule
  // Any amount above the limit is refused alike.
  const amount = Math.min(reserved.amount, limit + 1)
  const floor = Math.min(reserved.floor, amount)
  if (kind === 'tokens') return { kind: 'rate', key, limit, dryRun, windowMs, amount, floor }
  if (per === undefined || per === 'second' || per === 'minute') throw new TypeError(`A budget per ${per}.`)
  return { kind: 'sum', key, limit, dryRun, window: per, amount, floor }
}

/** Returns what is reserved in one of the counts. */
export function reservedOf({ tokens, money }: ReservationRequest, { kind }: CompiledRule): ReservedAmount {
  if (kind === 'tokens') return tokens
  return kind === 'budget' ? money : one
}

/**
 * Returns the final charge of each count: the usage, or the reservation if the usage is unknown, or nothing if no model
 * answered.
 */
export function chargesOf(
  request: ReservationRequest,
  usage: Usage | undefined,
  cost: number | null,
): number[] {
  return request.counts.map(({ rule }) => {
    const { kind } = rule
    if (kind === 'requests') return 1
    if (kind === 'concurrent' || usage === undefined) return 0
    if (kind === 'tokens') return isWhole(usage.total_tokens) ? usage.total_tokens : request.tokens.amount
    return cost !== null && cost >= 0 && Number.isFinite(cost) ? nanoDollars(cost) : request.money.amount
  })
}

function isWhole(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
