import { modelPatterns } from '../auth/authorize.ts'
import type { Clock } from '../clock/clock.ts'
import { withTimeout } from '../clock/with-timeout.ts'
import type { Authenticator } from '../contracts/authenticator.ts'
import type { Authorizer } from '../contracts/authorizer.ts'
import type { LimitStore } from '../contracts/limit-store.ts'
import type { Lease, Limiter } from '../contracts/limiter.ts'
import type { LimitRuleData } from '../contracts/principal.ts'
import type { Route } from '../contracts/route.ts'
import { ConfigurationError, type ConfigurationIssue, quoted } from '../errors/configuration-error.ts'
import { GatewayError } from '../errors/errors.ts'
import { isPromise } from '../primitives/is-promise.ts'
import { memberOf } from '../primitives/own-members.ts'
import { hasLimits } from '../rate-limiting/limit.ts'
import { limits } from '../rate-limiting/limits.ts'
import type { GatewayOptions } from './config.ts'

/** The user-defined functions of the request pipeline. */
export interface Policies<Host> {
  readonly authenticate: Authenticator<Host>
  readonly route: Route
  readonly authorize: Authorizer
  readonly limiter: Limiter
}

/**
 * Guards the policies of a gateway: each of them times out after `ms`. `authenticate` and the limiter do so with a 503, because
 * callers and limits are in a store that does not respond.
 *
 * @param counts - where rules are counted that name no store.
 */
export function guardPolicies<Host>(
  options: GatewayOptions<Host>,
  ms: number,
  clock: Clock,
  counts?: LimitStore,
): Policies<Host> {
  const { authenticate, route, authorize = modelPatterns } = options
  const limit = limiterOf(options.limits, options, counts, options.clock && clock)
  const limitMs = ms + (limit.maxWaitMs ?? 0)
  return {
    authenticate: (request, host, report) =>
      withPolicyTimeout(
        clock,
        'authenticate',
        authenticate(request, host, report),
        ms,
        undefined,
        authenticationUnavailable,
      ),
    route: Object.assign<Route, Pick<Route, 'list' | 'targets' | 'targetsOf' | 'waysOf'>>(
      (draft, context) => withPolicyTimeout(clock, 'route', route(draft, context), ms),
      {
        ...(route.list && { list: () => route.list!() }),
        ...(route.targets && { targets: () => route.targets!() }),
        ...(route.targetsOf && { targetsOf: model => route.targetsOf!(model) }),
        ...(route.waysOf && { waysOf: model => route.waysOf!(model) }),
      },
    ),
    authorize: (principal, model) => withPolicyTimeout(clock, 'authorize', authorize(principal, model), ms),
    limiter: {
      enforcesPrincipalLimits: limit.enforcesPrincipalLimits === true,
      admit: (principal, draft, context) =>
        withPolicyTimeout(
          clock,
          'limits',
          limit.admit(principal, draft, context),
          limitMs,
          releaseLease,
          limiterUnavailable,
        ),
      appliesToAll: limit.appliesToAll !== false,
    },
  }
}

/** One issue for each rule of a gateway that cannot be used. */
export function configuredRuleIssues({
  limits: limit,
}: Pick<GatewayOptions, 'limits'>): ConfigurationIssue[] {
  const isList = Array.isArray(limit)
  const isRule = typeof limit === 'object' && limit !== null && 'kind' in limit
  if (!isList && !isRule) return []
  try {
    limiterOf(limit, {}, undefined)
    return []
  } catch (error) {
    if (!ConfigurationError.is(error)) throw error
    // The path of a rule begins with its index; a single rule has none.
    return error.issues.map(issue => ({ ...issue, path: ['limits', ...issue.path.slice(isList ? 0 : 1)] }))
  }
}

/** Returns an issue if a configured principal has limits that the limiter does not enforce. */
export function principalLimitIssues<Host>(options: GatewayOptions<Host>): ConfigurationIssue[] {
  const { limits: limit } = options
  if (limit === undefined || !isLimiter(limit) || limit.enforcesPrincipalLimits === true) return []
  const limited = memberOf(options.authenticate, 'principals')?.().find(hasLimits)
  if (limited === undefined) return []
  const expected = `limits(), or a limiter with enforcesPrincipalLimits: true, as ${quoted(limited.id)} has limits`
  return [
    { path: ['limits'], received: 'a limiter that does not enforce the limits of principals', expected },
  ]
}

/**
 * Returns the limiter. Rules are counted in this process. Without rules it enforces those of principals. Throws
 * `ConfigurationError` for invalid rules.
 */
function limiterOf(
  limit: GatewayOptions['limits'] = [],
  { observe, storeTimeoutMs }: Pick<GatewayOptions, 'observe' | 'storeTimeoutMs'>,
  store: LimitStore | undefined,
  clock?: Clock,
): Limiter {
  if (isLimiter(limit)) return limit
  return limits(isList(limit) ? limit : [limit], {
    ...(observe && { observe }),
    ...(storeTimeoutMs !== undefined && { storeTimeoutMs }),
    ...(store && { store }),
    ...(clock && { clock }),
  })
}

/** A list of rules is none, whatever another library has added to `Object.prototype`. */
function isLimiter(limit: NonNullable<GatewayOptions['limits']>): limit is Limiter {
  return !isList(limit) && memberOf(limit as Partial<Limiter>, 'admit') !== undefined
}

function isList(limit: NonNullable<GatewayOptions['limits']>): limit is readonly LimitRuleData[] {
  return Array.isArray(limit)
}

/** Releases a lease that arrives after its timeout. */
function releaseLease(lease: Lease): void | Promise<void> {
  return lease.settle(undefined, null)
}

/** It is no 401: clients keep a key that may be valid. */
function authenticationUnavailable(cause: Error): GatewayError {
  return new GatewayError('authentication_unavailable', { cause })
}

/** A limiter that does not respond is a store that does not respond: the request is refused, and may be retried. */
function limiterUnavailable(cause: Error): GatewayError {
  return new GatewayError('limiter_unavailable', { headers: { 'x-should-retry': 'true' }, cause })
}

/**
 * Rejects after `ms`. A value that is no promise costs no timer. `late` is called with a value that arrives after that.
 *
 * @param toError - returns the error to reject with, from the timeout. Default: the timeout itself.
 */
export function withPolicyTimeout<T>(
  clock: Clock,
  name: string,
  value: T | Promise<T>,
  ms: number,
  late?: (value: T) => void | Promise<void>,
  toError: (timeout: Error) => Error = timeout => timeout,
): T | Promise<T> {
  if (!isPromise(value)) return value
  const expired = () => {
    throw toError(new Error(`\`${name}\` timed out after ${ms} ms (\`timeouts.policyMs\`).`))
  }
  return withTimeout(clock, ms, value, expired, late)
}
