import type { UpstreamError } from '../errors/upstream-error.ts'

/** How vendors say what the account still pays for: "You requested up to 65536 tokens, but can only afford 30104". */
const affordable = /\bcan only afford \d/i

/** How vendors say that a request alone is more than its account's rate. */
const aboveRate = /\brequest too large\b|\btokens must be reduced\b/i

/**
 * Whether an upstream refuses one request for its size, by a status that otherwise speaks of the account: a smaller one
 * may be answered at once.
 */
export function isTooLarge({ kind, status, code, vendorMessage }: UpstreamError): boolean {
  if (kind !== 'refused' || vendorMessage === undefined) return false
  if (status === 402) return affordable.test(vendorMessage)
  return status === 429 && code !== 'insufficient_quota' && aboveRate.test(vendorMessage)
}
