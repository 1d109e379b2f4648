import type { CallOptions } from '../contracts/call-options.ts'
import type { Limiter } from '../contracts/limiter.ts'
import type { LimitRuleData } from '../contracts/principal.ts'
import { type OptionChecks, optionIssues } from '../errors/check-options.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { aCount, aCountFromNone, aShare, aShareOfSome, aSpan } from '../errors/number-checks.ts'
import { memberOf } from '../primitives/own-members.ts'
import { limits as limitsOf } from '../rate-limiting/limits.ts'
import {
  type CombinedRoute,
  combinedRoute,
  linkRoute,
  type ModelEntry,
  type NamesIn,
} from './combined-route.ts'
import { mappedStep } from './linked-route.ts'

/** Call options as `withCallOptions` takes them: limits may be rules, which are counted in this process. */
export interface GivenCallOptions extends Omit<CallOptions, 'limits'> {
  /** Rules such as `[requests(500).per('minute')]`, or `limits(rules, { store })` to count them over processes. */
  readonly limits?: Limiter | LimitRuleData | readonly LimitRuleData[] | undefined
}

/**
 * Calls the targets of an entry with options of their own: `withCallOptions(a, { timeouts: { firstByteMs: 2_000 }, retry: false })`.
 * They replace those of the gateway, member by member; around another `withCallOptions` the outer one replaces members of the inner
 * one. With `limits` a target is skipped while they are exceeded, before its vendor answers 429.
 *
 * Throws `ConfigurationError` for an invalid entry or option.
 */
export function withCallOptions<const Entry extends ModelEntry>(
  entry: Entry,
  given: GivenCallOptions,
): CombinedRoute<NamesIn<Entry>> {
  const issues = optionIssues(given, checks, { optional: ['retry', 'breaker'] })
  if (issues.length > 0) throw new ConfigurationError('withCallOptions()', issues)
  const { limits: rules, ...options } = given
  const own: CallOptions = rules === undefined ? options : { ...options, limits: limiterOf(rules) }
  return combinedRoute([linkRoute(entry, { source: 'withCallOptions()', path: ['entry'] })], ([step]) =>
    mappedStep(step!, candidates =>
      candidates.map(candidate => ({ ...candidate, callOptions: merged(candidate.callOptions, own) })),
    ),
  )
}

const checks: OptionChecks = {
  timeouts: { queueMs: aSpan, firstByteMs: aSpan, responseMs: aSpan, idleMs: aSpan, totalMs: aSpan },
  maxAttempts: aCount,
  retry: { baseMs: aSpan, maxMs: aSpan, maxRetryAfterMs: aSpan, budget: aShare, minBudget: aCountFromNone },
  breaker: {
    failures: aCount,
    errorRate: aShareOfSome,
    minCalls: aCount,
    windowMs: aSpan,
    openMs: aSpan,
    maxOpenMs: aSpan,
    cooldownMs: aSpan,
  },
  limits: value =>
    typeof value === 'object' && value !== null
      ? undefined
      : "rules, such as requests(500).per('minute'), or a limiter",
}

function limiterOf(rules: NonNullable<GivenCallOptions['limits']>): Limiter {
  if (Array.isArray(rules)) return limitsOf(rules as readonly LimitRuleData[])
  const limiter = rules as Limiter
  return memberOf(limiter, 'admit') === undefined ? limitsOf([rules as LimitRuleData]) : limiter
}

function merged(inner: CallOptions = {}, outer: CallOptions): CallOptions {
  const members = (name: 'timeouts' | 'retry' | 'breaker') => {
    const [one, other] = [inner[name], outer[name]]
    if (other === undefined || other === false || one === undefined || one === false) return other ?? one
    return { ...one, ...other }
  }
  const [timeouts, retry, breaker] = [members('timeouts'), members('retry'), members('breaker')]
  const limits = outer.limits ?? inner.limits
  const maxAttempts = outer.maxAttempts ?? inner.maxAttempts
  return {
    ...(timeouts !== undefined && { timeouts }),
    ...(maxAttempts !== undefined && { maxAttempts }),
    ...(retry !== undefined && { retry }),
    ...(breaker !== undefined && { breaker }),
    ...(limits !== undefined && { limits }),
  } as CallOptions
}
