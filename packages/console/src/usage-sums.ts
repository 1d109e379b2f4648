import type { UsageSums } from './api.ts'

/** The sums alone, of what may have more; zeros of nothing. */
export function usageSums(row: UsageSums | undefined): UsageSums {
  const { requests = 0, promptTokens = 0, completionTokens = 0, cost = 0, unpriced = 0 } = row ?? {}
  return { requests, promptTokens, completionTokens, cost, unpriced }
}
