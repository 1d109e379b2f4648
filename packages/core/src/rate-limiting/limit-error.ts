import { duration } from '../clock/duration.ts'
import type { LimitDecision } from '../contracts/limit-store.ts'
import type { LimitKind } from '../contracts/principal.ts'
import { GatewayError } from '../errors/errors.ts'
import { noRetryHeaders, retryAfterHeaders } from '../errors/retry-headers.ts'
import { memberOf } from '../primitives/own-members.ts'
import type { ReservedAmount } from '../usage/reservation.ts'
import type { EnforcedCount } from './limit-state.ts'

const units: Readonly<Record<string, string>> = { second: 'S', minute: 'M', hour: 'H', day: 'D' }
/** The wait for a concurrency limit, in ms: the end of a response is unknown. */
const unknownWaitMs = 1_000

/** Whether a store rejects because it has the maximum number of counts. */
export function isFull(decision: LimitDecision): boolean {
  return memberOf(decision, 'full') === true
}

/**
 * Returns the error of a request that exceeds its limits. Of several limits it reports the one with the longest wait: a
 * client that waits so long is admitted. A budget that is used up goes first.
 */
export function rateLimitError(counts: readonly EnforcedCount[]): GatewayError {
  const exceeded = counts.filter(({ state }) => state.over)
  const budget = longestOf(exceeded.filter(({ count }) => count.rule.kind === 'budget'))
  if (budget !== undefined) return budgetError(budget)
  const longest = longestOf(exceeded)
  if (longest === undefined) {
    return new GatewayError('rate_limit_exceeded', { headers: retryAfter(unknownWaitMs) })
  }
  const { reserved } = longest
  const { rule } = longest.count
  const reason = rule.kind === 'tokens' ? 'tokens_rate_limit_exceeded' : 'rate_limit_exceeded'
  if (rule.kind === 'tokens' && reserved.amount > rule.limit) {
    return new GatewayError(reason, {
      message: `Request too large on ${nameOf(longest)}: Limit ${rule.limit}, Requested ${reserved.amount}${partsOf(reserved)}. The input or output tokens must be reduced in order to run successfully.`,
      headers: noRetryHeaders,
    })
  }
  const waitMs = Math.max(1, Math.ceil(waitOf(longest)))
  const used = Math.max(0, rule.limit - longest.state.remaining)
  return new GatewayError(reason, {
    message: `Rate limit reached on ${nameOf(longest)}: Limit ${rule.limit}, Used ${used}, Requested ${reserved.amount}. Please try again in ${duration(waitMs)}.`,
    headers: retryAfter(waitMs),
  })
}

/** Returns how much of reserved tokens is for the output: a request that sets no maximum reserves a default that it does not know. */
function partsOf({ amount, floor }: ReservedAmount): string {
  return amount > floor ? ` (${floor} for the input, ${amount - floor} for the output)` : ''
}

/** Returns the error of a request that needs a new count while the store is full. */
export function limitStoreFullError(): GatewayError {
  return new GatewayError('limit_store_full', {
    cause: new Error(
      'The limit store has the maximum number of counts, and all of them are in use. Raise maxKeys of memoryLimitStore(), store counts in Redis, or use scopes that callers cannot invent.',
    ),
  })
}

/** The message does not reveal what others have spent. */
function budgetError({ count: { rule }, reserved, state }: EnforcedCount): GatewayError {
  const budget = rule.per === 'ever' ? 'your budget' : `your budget for this ${rule.per}`
  const renewal = Number.isFinite(state.resetMs)
    ? `It is renewed in ${duration(Math.ceil(state.resetMs))}.`
    : 'It is not renewed.'
  const message =
    reserved.amount > rule.limit
      ? `Request too large: it can cost more than the whole of ${budget}. The input or output tokens must be reduced in order to run successfully.`
      : `You exceeded your current quota: what is left of ${budget} is less than this request can cost. ${renewal}`
  return new GatewayError('insufficient_quota', {
    message,
    headers: noRetryHeaders,
  })
}

/** Clients ignore a `retry-after` of more than a minute. The message and the reset header have a longer wait. */
function retryAfter(waitMs: number): Readonly<Record<string, string>> {
  return waitMs > 60_000 ? noRetryHeaders : retryAfterHeaders(waitMs)
}

function longestOf(counts: readonly EnforcedCount[]): EnforcedCount | undefined {
  let longest: EnforcedCount | undefined
  for (const count of counts) {
    if (longest === undefined || waitOf(count) > waitOf(longest)) longest = count
  }
  return longest
}

function waitOf({ count: { rule }, reserved, state }: EnforcedCount): number {
  if (rule.kind === 'concurrent') return unknownWaitMs
  if (Number.isFinite(state.waitMs)) return state.waitMs
  // While its store is unavailable a process counts a share of the limit, which may be too small for a request that the limit allows.
  return reserved.amount > rule.limit || rule.kind === 'budget' ? Number.POSITIVE_INFINITY : unknownWaitMs
}

function nameOf({ count: { rule } }: EnforcedCount): string {
  if (rule.kind === 'concurrent') return 'concurrent requests'
  return `${rule.kind} per ${rule.per} (${initialOf(rule.kind)}P${units[rule.per ?? ''] ?? ''})`
}

function initialOf(kind: LimitKind): string {
  return kind === 'tokens' ? 'T' : 'R'
}
