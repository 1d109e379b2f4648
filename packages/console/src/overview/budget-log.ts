import type { BudgetEvent, GatewayEvent } from '@sluice/core'
import { windowAt } from '@sluice/core/store'
import type { BudgetRow } from '../api.ts'
import { truncateText } from '../recent/truncate-text.ts'

/** The budgets that requests were charged to. */
export interface BudgetLog {
  observe(event: GatewayEvent): void
  /** Those whose window is not over, the one of which most is spent first. */
  list(): readonly BudgetRow[]
  snapshot(): BudgetsSnapshot
  /** Adds what another log has: of the same budget, the later row stays. */
  addSnapshot(snapshot: BudgetsSnapshot): void
}

/** Rows by their counters. */
export type BudgetsSnapshot = readonly (readonly [string, BudgetRow])[]

/** Callers can name end users, who may have budgets, without end. Of more, the one of which least is spent is forgotten. */
const maxBudgets = 500

/** Keeps what the last request said of each budget. `now` is milliseconds since 1970. */
export function budgetLog(now: () => number): BudgetLog {
  const budgets = new Map<string, BudgetRow>()

  const note = (event: BudgetEvent): void => {
    add(event.counter, budgetRow(event, now()))
  }
  const add = (added: string, row: BudgetRow): void => {
    budgets.set(added, row)
    if (budgets.size <= maxBudgets) return
    let least: readonly [counter: string, share: number] | undefined
    for (const [counter, row] of budgets) {
      const share = isOver(row, now()) ? -1 : shareOf(row)
      if (least === undefined || share < least[1]) least = [counter, share]
    }
    if (least !== undefined) budgets.delete(least[0])
  }
  return {
    observe(event) {
      if (event.type === 'budget') note(event)
    },
    snapshot: () => [...budgets],
    addSnapshot(snapshot) {
      for (const [counter, row] of snapshot) {
        if ((budgets.get(counter)?.at ?? Number.NEGATIVE_INFINITY) < row.at) add(counter, row)
      }
    },
    list: () =>
      [...budgets.values()]
        .filter(row => !isOver(row, now()))
        .sort((one, other) => shareOf(other) - shareOf(one) || other.limit - one.limit),
  }
}

function budgetRow(
  { rule, subject, window, limit, spent, refused, dryRun }: BudgetEvent,
  at: number,
): BudgetRow {
  return {
    rule: truncateText(rule),
    subject: Object.fromEntries(
      Object.entries(subject).map(([scope, name]) => [truncateText(scope), truncateText(name)]),
    ),
    window,
    limit,
    spent,
    refused,
    dryRun,
    at,
  }
}

/** A limit of 0 is spent from the start. */
function shareOf({ spent, limit }: BudgetRow): number {
  return limit > 0 ? spent / limit : 1
}

function isOver({ window, at }: BudgetRow, now: number): boolean {
  return windowAt(window, at * 1_000) !== windowAt(window, now * 1_000)
}
