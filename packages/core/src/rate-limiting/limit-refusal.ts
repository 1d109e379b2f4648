import { duration } from '../clock/duration.ts'
import type { LimitDecision } from '../contracts/limit-store.ts'
import type { LimitKind } from '../contracts/principal.ts'
import { GatewayError } from '../errors/errors.ts'
import { memberOf } from '../primitives/own-members.ts'
import type { StandingCount } from './limit-headers.ts'

const units: Readonly<Record<string, string>> = { second: 'S', minute: 'M', hour: 'H', day: 'D' }
/** How long to wait for a lease: nobody knows when an answer ends. */
const unknownWaitMs = 1_000

/** Whether a store refuses because it can hold no more counts. */
export function isFull(verdict: LimitDecision): boolean {
  return memberOf(verdict, 'full') === true
}

/**
 * The refusal of a request for which there is no room. Of several counts without room it tells the one with the longest
 * wait: who waits that long gets in. A budget that is used up is told before all others.
 */
export function rateLimitError(
  standing: readonly StandingCount[],
  headers: Readonly<Record<string, string>>,
): GatewayError {
  const refusing = standing.filter(({ state }) => state.over)
  const budget = longestOf(refusing.filter(({ count }) => count.rule.kind === 'budget'))
  if (budget !== undefined) return budgetRefusal(budget, headers)
  const longest = longestOf(refusing)
  if (longest === undefined) {
    return new GatewayError('rate_limit_exceeded', { headers: { ...headers, ...retryAfter(unknownWaitMs) } })
  }
  const { reserved } = longest
  const { rule } = longest.count
  const refusal = rule.kind === 'tokens' ? 'tokens_rate_limit_exceeded' : 'rate_limit_exceeded'
  if (rule.kind === 'tokens' && reserved.amount > rule.limit) {
    return new GatewayError(refusal, {
      message: `Request too large on ${nameOf(longest)}: Limit ${rule.limit}, Requested ${reserved.amount}. The input or output tokens must be reduced in order to run successfully.`,
      headers: { ...headers, 'x-should-retry': 'false' },
    })
  }
  const waitMs = Math.max(1, Math.ceil(waitOf(longest)))
  const used = Math.max(0, rule.limit - longest.state.remaining)
  return new GatewayError(refusal, {
    message: `Rate limit reached on ${nameOf(longest)}: Limit ${rule.limit}, Used ${used}, Requested ${reserved.amount}. Please try again in ${duration(waitMs)}.`,
    headers: { ...headers, ...retryAfter(waitMs) },
  })
}

/** The refusal of a request that needs a count of its own where the store can keep no more. */
export function limitStoreFullError(headers: Readonly<Record<string, string>>): GatewayError {
  return new GatewayError('limit_store_full', {
    headers,
    cause: new Error(
      'The limit store keeps as many counts as it may, and all of them are in use. Raise maxKeys of memoryLimitStore(), keep counts in Redis, or count by what callers cannot invent.',
    ),
  })
}

/** Tells nothing of what others have spent. */
function budgetRefusal(
  { count: { rule }, reserved, state }: StandingCount,
  headers: Readonly<Record<string, string>>,
): GatewayError {
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
    headers: { ...headers, 'x-should-retry': 'false' },
  })
}

/** Clients obey `retry-after` up to a minute and ignore it beyond: a longer wait is told by the text and the reset. */
function retryAfter(waitMs: number): Readonly<Record<string, string>> {
  if (waitMs > 60_000) return { 'x-should-retry': 'false' }
  return { 'retry-after': String(Math.ceil(waitMs / 1_000)), 'retry-after-ms': String(waitMs) }
}

function longestOf(counts: readonly StandingCount[]): StandingCount | undefined {
  let longest: StandingCount | undefined
  for (const count of counts) {
    if (longest === undefined || waitOf(count) > waitOf(longest)) longest = count
  }
  return longest
}

function waitOf({ count: { rule }, reserved, state }: StandingCount): number {
  if (rule.kind === 'concurrent') return unknownWaitMs
  if (Number.isFinite(state.waitMs)) return state.waitMs
  // A store that is away counts a share of the limit, in which there may be no room for what the limit has room for.
  return reserved.amount > rule.limit || rule.kind === 'budget' ? Number.POSITIVE_INFINITY : unknownWaitMs
}

function nameOf({ count: { rule } }: StandingCount): string {
  if (rule.kind === 'concurrent') return 'concurrent requests'
  return `${rule.kind} per ${rule.per} (${initialOf(rule.kind)}P${units[rule.per ?? ''] ?? ''})`
}

function initialOf(kind: LimitKind): string {
  return kind === 'tokens' ? 'T' : 'R'
}
