import type { About, Overview } from '../../src/api.ts'

/** Where the figures of a period come from. */
export interface OverviewSources {
  /** Requests, tokens and cost. */
  readonly usage: 'memory' | 'ledger'
  /** Errors, latency and the latest failures. */
  readonly outcomes: 'memory' | 'log'
}

/** What this process has of the whole period is the newest and complete. Of a longer one the databases have more. */
export function sourcesFor(
  { from, since }: Pick<Overview, 'from' | 'since'>,
  { ledger, log }: Pick<About, 'ledger' | 'log'>,
): OverviewSources {
  const isWhole = since <= from
  return {
    usage: !isWhole && ledger ? 'ledger' : 'memory',
    outcomes: !isWhole && log ? 'log' : 'memory',
  }
}
