import type { LimitRuleData } from '../contracts/limit-rule.ts'
import type { AuthFailure } from '../errors/auth-failure.ts'
import { GatewayError } from '../errors/errors.ts'
import { isPromise } from '../primitives/is-promise.ts'
import { memberOf } from '../primitives/own-members.ts'

export { principalKey } from '../primitives/principal-key.ts'

/** Who is asking. */
export interface Principal {
  readonly id: string
  /**
   * Who vouches for the `id`, such as `api_keys` or a token's issuer; no spaces. Principals with the same `id` and
   * different sources share no limits, cached responses or idempotency keys. Default: none.
   */
  readonly source?: string
  /** Patterns of the models that the principal may use (`*` stands for any text); absent means all. */
  readonly models?: readonly string[]
  /** Such as `{ team: 'search' }`: for limits that are shared, and for the sums of the ledger. */
  readonly tags?: Readonly<Record<string, string>>
  /** Rules for this principal, beside those of the gateway's `limit`. They hold also where the gateway has none. */
  readonly limits?: readonly LimitRuleData[]
}

/**
 * Says who is asking, or `undefined` for nobody.
 *
 * `host` is the host framework's own request where there is one: Express's `req`, Koa's `ctx`. It is
 * `undefined` when `gateway.fetch` is called directly.
 *
 * `report` takes the reason for an `undefined`. It is for events and logs: it does not change the answer, so that a caller
 * cannot tell an expired key from an unknown one. Of several reports the most specific counts.
 */
export interface Authenticator<Host = unknown> {
  (
    request: Request,
    host: Host | undefined,
    report?: (failure: AuthFailure) => void,
  ): Principal | undefined | Promise<Principal | undefined>
  /** The principals that are known beforehand, such as those of a list of keys. */
  principals?(): readonly Principal[]
}

/** The token of an `Authorization: Bearer ...` header (RFC 6750; the token may hold spaces), or `undefined`. */
export function bearerToken(request: Request): string | undefined {
  const header = request.headers.get('authorization')
  if (header === null || header.slice(0, 7).toLowerCase() !== 'bearer ') return undefined
  const token = header.slice(7).trim()
  return token === '' ? undefined : token
}

/**
 * Who is asking? Throws 401, and `TypeError` for an answer that is no principal.
 *
 * @param report - takes why nobody is.
 */
export function authenticate<Host>(
  request: Request,
  host: Host | undefined,
  authenticator: Authenticator<Host>,
  report?: (failure: AuthFailure) => void,
): Principal | Promise<Principal> {
  const answer = authenticator(request, host, report)
  return isPromise(answer)
    ? Promise.resolve(answer).then(principal => principalFrom(request, principal))
    : principalFrom(request, answer)
}

function principalFrom(request: Request, principal: unknown): Principal {
  if (principal === undefined || principal === null || principal === false) {
    throw new GatewayError(bearerToken(request) === undefined ? 'missing_api_key' : 'invalid_api_key')
  }
  if (!isPrincipal(principal)) {
    throw new TypeError(
      'authenticate returned no principal: expected undefined, or an object with an id (a non-empty string) and optionally a source (a string without spaces).',
    )
  }
  return principal
}

/** A caller is let in by what says who it is, and by nothing else that is truthy. */
function isPrincipal(value: unknown): value is Principal {
  if (typeof value !== 'object' || value === null || !('id' in value)) return false
  if (typeof value.id !== 'string' || value.id === '') return false
  const source = memberOf(value as { source?: unknown }, 'source')
  return source === undefined || isPrincipalSource(source)
}

/** Whether a value can be the `source` of a principal: a string that is not empty, without spaces. */
export function isPrincipalSource(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !/\s/.test(value)
}
