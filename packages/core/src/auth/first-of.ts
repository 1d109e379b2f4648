import type { Authenticator } from '../contracts/authenticator.ts'
import { configurationError } from '../errors/configuration-error.ts'
import { GatewayError } from '../errors/errors.ts'
import { memberOf } from '../primitives/own-members.ts'

/**
 * Asks one authenticator after the other until one knows the caller: `firstOf(apiKeys(keys), jwt({ ... }))`. One that
 * fails does not stop the next one; where none knows the caller, what the first of them threw is thrown, as one who
 * cannot be asked may have known: an outage is no wrong key. One that throws a refusal of the caller, such as a 403, has
 * answered, and nobody else is asked; a 401 says no more than that it does not know the caller.
 *
 * Throws `ConfigurationError` where there is nobody to ask.
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
