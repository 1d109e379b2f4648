import type { RequestRow } from '../../src/api.ts'
import { count } from '../format/count.ts'
import { money } from '../format/money.ts'

/** The cost of a request; one without tokens has none. */
export function costText({ cost, promptTokens }: RequestRow): string {
  if (cost !== null) return money(cost)
  return promptTokens === undefined ? '–' : 'unknown price'
}

/** Prompt and completion tokens: `12 in, 3 out`. */
export function tokensText({ promptTokens, completionTokens }: RequestRow): string {
  if (promptTokens === undefined) return '–'
  return `${count(promptTokens)} in, ${count(completionTokens)} out`
}
