import { figureTable, shortened } from '../soak/print-figures.ts'
import type { Account } from './books/account.ts'
import { outcomeOf, sightOf } from './books/ends.ts'
import type { Reconciliation } from './books/reconcile.ts'

/** A run's figures as lines of text, and what was different in its logs. */
export function printedRun({ figures, differences, accounts }: Reconciliation): string[] {
  return [
    ...figureTable(figures),
    '',
    'What clients saw, and what the ledger says:',
    ...pairsOf(accounts),
    '',
    ...shortened('DIFFERENCE', differences),
    differences.length === 0 ? 'No record is lost.' : `${differences.length} differences.`,
  ]
}

function pairsOf(accounts: readonly Account[]): string[] {
  const counts = new Map<string, number>()
  for (const account of accounts) {
    const near = account.killed ? ' (killed)' : account.doubtful ? ' (killed a moment later)' : ''
    const pair = `${sightOf(account)}${near}: ${outcomeOf(account)}`
    counts.set(pair, (counts.get(pair) ?? 0) + 1)
  }
  return [...counts]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([pair, count]) => `${`${count}`.padStart(7)}  ${pair}`)
}
