import type { Authenticator } from '../contracts/authenticator.ts'
import { configurationError } from '../errors/configuration-error.ts'
import { GatewayError } from '../errors/errors.ts'
import { memberOf } from '../primitives/own-members.ts'

/**
 * Combines authenticators: the first one that identifies the caller decides. `firstOf(apiKeys(keys), jwt({ ... }))`.
 *
 * If one fails, the next one is called. If none identifies the caller, it throws the error of the first one that failed, so
 * that an outage is not reported as a wrong key. A `GatewayError` below 500 other than a 401, such as a 403, is thrown at
 * once.
 *
 * Throws `ConfigurationError` without authenticators.
 */
export function firstOf<Host = unknown>(
  ...authenticators: readonly Authenticator<Host>[]
): Authenticator<Host> {
  if (authenticators.length === 0 || authenticators.some(each => typeof each !== 'function')) {
    const expected = 'one authenticator or more, such as firstOf(apiKeys(keys), another)'
    throw configurationError('firstOf()', [], authenticators, expected)
  }
  const authenticateFirst: Authenticator<Host> = async (request, host, report) => {
    const thrown: unknown[] = []
    for (const authenticate of authenticators) {
      try {
        const principal = await authenticate(request, host, report)
        if (principal) return principal
      } catch (error) {
        if (GatewayError.is(error) && error.status < 500 && error.status !== 401) throw error
        thrown.push(error)
      }
    }
    const failures = thrown.filter(error => !(GatewayError.is(error) && error.status === 401))
    if (thrown.length > 0) throw [...failures, ...thrown][0]
    return undefined
  }
  return Object.assign(authenticateFirst, {
    principals: () => authenticators.flatMap(each => memberOf(each, 'principals')?.() ?? []),
  })
}
