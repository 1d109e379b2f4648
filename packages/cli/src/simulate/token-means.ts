import type { LoggedRequest } from '@sluice/core/store'

/** What a logged request says of its tokens. */
export type TokenRow = Pick<
  LoggedRequest,
  'principal' | 'model' | 'outcome' | 'promptTokens' | 'completionTokens'
>

/** The tokens of a request, both at least 1. */
export interface TokenCounts {
  readonly promptTokens: number
  readonly completionTokens: number
}

type TokenName = keyof TokenCounts

/** The medians of a traffic file that names no distribution. */
const defaults: TokenCounts = { promptTokens: 400, completionTokens: 200 }

/** What rows have in common whose mean is used. The first with counts applies. */
const groupings: readonly ((row: TokenRow) => string)[] = [
  ({ principal, model }) => JSON.stringify([principal, model]),
  ({ model }) => JSON.stringify([model]),
  () => '',
]

/**
 * Returns a function that returns the tokens of a row. The log has no counts of a request that no vendor accepted, such as one
 * that a limit rejected: it gets the mean of the rows with its key and model, else with its model, else of all.
 */
export function tokenCounts(rows: readonly TokenRow[]): (row: TokenRow) => TokenCounts {
  const means = {
    promptTokens: meansOf(rows, 'promptTokens'),
    completionTokens: meansOf(rows, 'completionTokens'),
  }
  const countOf = (row: TokenRow, name: TokenName) =>
    Math.max(1, loggedCount(row, name) ?? Math.round(means[name](row) ?? defaults[name]))
  return row => ({
    promptTokens: countOf(row, 'promptTokens'),
    completionTokens: countOf(row, 'completionTokens'),
  })
}

/** Returns a note on the requests without token counts; `undefined` if there are none. */
export function estimatedTokensNote(rows: readonly TokenRow[]): string | undefined {
  const isCounted = (row: TokenRow) =>
    loggedCount(row, 'promptTokens') !== undefined && loggedCount(row, 'completionTokens') !== undefined
  const missing = rows.filter(row => !isCounted(row)).length
  if (missing === 0) return undefined
  const subject = `${missing} of ${rows.length} requests ${missing === 1 ? 'has' : 'have'} no token counts`
  return missing === rows.length
    ? `${subject}. Missing counts are ${defaults.promptTokens} prompt tokens and ${defaults.completionTokens} completion tokens.`
    : `${subject}, such as those that a limit rejected. Missing counts are the mean of the requests with the same key and model, else with the same model, else of all.`
}

/** Returns `undefined` for a missing count, and for the 0 of a failed request. */
function loggedCount(row: TokenRow, name: TokenName): number | undefined {
  const count = row[name]
  return typeof count === 'number' && (count > 0 || row.outcome === 'completed') ? count : undefined
}

function meansOf(rows: readonly TokenRow[], name: TokenName): (row: TokenRow) => number | undefined {
  const sums = groupings.map(() => new Map<string, { count: number; sum: number }>())
  for (const row of rows) {
    const count = loggedCount(row, name)
    if (count === undefined) continue
    for (const [index, groupOf] of groupings.entries()) {
      const group = groupOf(row)
      const { count: before, sum } = sums[index]!.get(group) ?? { count: 0, sum: 0 }
      sums[index]!.set(group, { count: before + 1, sum: sum + count })
    }
  }
  return row => {
    for (const [index, groupOf] of groupings.entries()) {
      const found = sums[index]!.get(groupOf(row))
      if (found !== undefined) return found.sum / found.count
    }
    return undefined
  }
}
