import type { BudgetRow, KeyBudget } from '../../src/api.ts'
import { isKey } from '../../src/keys/is-key.ts'

/** A budget as the overview shows it. */
export interface BudgetLine {
  readonly rule: string | undefined
  /** The id of the caller that it is of; `undefined` if several share it. */
  readonly key: string | undefined
  readonly source: string | undefined
  /** The name of the key, if it came with the budget. */
  readonly name: string | undefined
  /** Its scopes besides the caller: `team search`, `no team`. */
  readonly others: readonly string[]
  readonly window: BudgetRow['window']
  readonly limit: number
  /** `null`: not known. */
  readonly spent: number | null
  /** 1: all of it. */
  readonly share: number
  readonly refused: boolean
  readonly dryRun: boolean
}

const maxShown = 8

/** A budget that this process charged. */
function budgetLine({ subject, rule, window, limit, spent, refused, dryRun }: BudgetRow): BudgetLine {
  const { key, source, ...scopes } = subject
  const others = Object.entries(scopes).map(([scope, name]) => `${scope.replace(/^tag:/, '')} ${name}`)
  // Callers without a tag share a budget by that tag.
  const missing = tagsOf(rule).filter(tag => !Object.hasOwn(scopes, `tag:${tag}`))
  return {
    rule,
    key,
    source,
    name: undefined,
    others: [...others, ...missing.map(tag => `no ${tag}`)],
    window,
    limit,
    spent,
    share: shareOf(spent, limit),
    refused,
    dryRun,
  }
}

/** A budget of a stored key, which this process charged nothing to. */
function keyBudgetLine({ key, name, window, limit, spent, dryRun }: KeyBudget): BudgetLine {
  return {
    rule: undefined,
    key,
    source: undefined,
    name,
    others: [],
    window,
    limit,
    spent,
    share: shareOf(spent ?? 0, limit),
    refused: false,
    dryRun,
  }
}

/** Those of which most is spent, each once: a budget of a key may have been charged since it was loaded. */
export function firstBudgets(
  charged: readonly BudgetRow[],
  ofKeys: readonly KeyBudget[],
): { readonly lines: readonly BudgetLine[]; readonly hidden: number } {
  const uncharged = ofKeys.filter(
    ({ key, window, limit }) =>
      !charged.some(
        ({ subject, ...row }) =>
          isKey(subject) && subject.key === key && row.window === window && row.limit === limit,
      ),
  )
  const lines = [...charged.map(budgetLine), ...uncharged.map(keyBudgetLine)].sort(
    (one, other) => other.share - one.share || other.limit - one.limit,
  )
  return { lines: lines.slice(0, maxShown), hidden: Math.max(0, lines.length - maxShown) }
}

/** A limit of 0 is spent from the start. */
function shareOf(spent: number, limit: number): number {
  return limit > 0 ? spent / limit : 1
}

/** The tags that a rule counts by: `team` of `budget(5, 'usd').per('day').by('tag:team')`. */
function tagsOf(rule: string): readonly string[] {
  const [, scopes = ''] = /\.by\(([^)]*)\)/.exec(rule) ?? []
  return [...scopes.matchAll(/'tag:([^']+)'/g)].map(([, tag]) => tag!)
}
