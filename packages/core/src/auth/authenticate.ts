import type { Authenticator } from '../contracts/authenticator.ts'
import type { Principal } from '../contracts/principal.ts'
import type { AuthFailure } from '../errors/auth-failure.ts'
import { GatewayError } from '../errors/errors.ts'
import { isPromise } from '../primitives/is-promise.ts'
import { memberOf } from '../primitives/own-members.ts'
import { checkPrincipalMembers } from './principal-members.ts'

/**
 * Returns the API key or token of a request, or `undefined`: that of `Authorization: Bearer ...` (RFC 6750, but it may contain
 * spaces), else that of `x-api-key`. With both, the first one counts and the other is not tried.
 */
export function bearerToken({ headers }: Pick<Request, 'headers'>): string | undefined {
  const authorization = headers.get('authorization')
  if (authorization !== null && authorization.slice(0, 7).toLowerCase() === 'bearer ') {
    const token = authorization.slice(7).trim()
    if (token !== '') return token
  }
  // Trimmed, as hosts may pass on headers as they came.
  return headers.get('x-api-key')?.trim() || undefined
}

/**
 * Returns the principal of a request. Throws `GatewayError` (401) if there is none, and `TypeError` for an invalid one, such as a
 * `ConfigurationError` for an invalid member.
 *
 * @param report - called with the reason of a failure.
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
      'authenticate returned an invalid principal: expected undefined, or an object with an id (a non-empty string) and optionally a source (a string without spaces or control characters).',
    )
  }
  checkPrincipalMembers(principal)
  return principal
}

/** Accepts only an object with an id: no other truthy value authenticates a caller. */
function isPrincipal(value: unknown): value is Principal {
  if (typeof value !== 'object' || value === null || !('id' in value)) return false
  if (typeof value.id !== 'string' || value.id === '') return false
  const source = memberOf(value as { source?: unknown }, 'source')
  return source === undefined || isPrincipalSource(source)
}

/** Returns whether a value can be the `source` of a principal: a non-empty string without spaces or control characters. */
export function isPrincipalSource(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !/[\s\p{Cc}]/u.test(value)
}
