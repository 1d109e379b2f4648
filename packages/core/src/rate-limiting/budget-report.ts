import type { Draft } from '../contracts/draft.ts'
import type { BudgetEvent, Observer } from '../contracts/events.ts'
import type { CounterState, LimitDecision } from '../contracts/limit-store.ts'
import type { BudgetWindow, Principal } from '../contracts/principal.ts'
import { endUser } from '../primitives/end-user.ts'
import { memberOf } from '../primitives/own-members.ts'
import { type CompiledRule, tagText } from './compiled-rules.ts'
import type { ReservationRequest } from './reservation-request.ts'

/** Reports the budgets of a request: once it is charged (one amount per count), or at once where it was refused. */
export type BudgetReport = (charged?: readonly number[]) => void

const nanosPerDollar = 1e9

/** Returns how to report the budgets that a request counts against; `undefined` if their store did not decide. */
export function budgetReport(
  { counts, counters }: ReservationRequest,
  decision: LimitDecision,
  principal: Principal,
  draft: Draft,
  entry: string,
  observe: Observer,
): BudgetReport | undefined {
  if (decision.local === true) return undefined
  return charged => {
    for (const [index, { key, rule }] of counts.entries()) {
      const [counter, state] = [counters[index], decision.counters[index]]
      if (rule.kind !== 'budget' || counter?.kind !== 'sum' || state === undefined) continue
      // One that is larger than the budget tells nothing about what is left of it.
      const isTooLarge = counter.amount > rule.limit
      const refused = charged === undefined && state.over && !rule.dryRun && !isTooLarge
      if (charged === undefined && !refused) continue
      observe({
        type: 'budget',
        rule: rule.text,
        counter: key,
        subject: subjectOf(rule, principal, draft, entry),
        window: rule.per as BudgetWindow,
        limit: rule.limit / nanosPerDollar,
        spent: spentOf(rule, state, counter.amount, charged?.[index]) / nanosPerDollar,
        refused,
        dryRun: rule.dryRun,
      })
    }
  }
}

/** In billionths of a dollar. A claim that was not taken, as it was over the limit, is no part of the state. */
function spentOf(
  { limit, dryRun }: CompiledRule,
  { remaining, over }: CounterState,
  reserved: number,
  charged: number | undefined,
): number {
  const sum = limit - remaining
  if (charged === undefined) return sum
  return Math.max(0, over && dryRun ? sum : sum - reserved + charged)
}

/** Who spends from a budget: what its scopes name. A function names nothing. */
function subjectOf(
  { scopes }: CompiledRule,
  principal: Principal,
  draft: Draft,
  entry: string,
): BudgetEvent['subject'] {
  const subject: Record<string, string> = {}
  for (const scope of scopes) {
    if (typeof scope === 'function') continue
    if (scope === 'key' || scope === 'user') {
      subject.key = principal.id
      const source = memberOf(principal, 'source')
      if (source !== undefined) subject.source = source
    }
    const value =
      scope === 'user'
        ? endUser(draft.outline.user)
        : scope === 'model'
          ? entry
          : scope.startsWith('tag:')
            ? tagText(principal, scope.slice('tag:'.length))
            : undefined
    if (value !== undefined) subject[scope] = value
  }
  return subject
}
