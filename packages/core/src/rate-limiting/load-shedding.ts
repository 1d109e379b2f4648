import type { LoadShedder, LoadSnapshot } from '../contracts/load-shedder.ts'
import { configurationError } from '../errors/configuration-error.ts'
import { GatewayError } from '../errors/errors.ts'
import { spreadRetryAfterHeaders } from '../errors/retry-headers.ts'

/** Throws 503 where there is no room. `random` keeps those that are refused from coming back all at once. */
export function shedLoad(shedder: LoadShedder, load: LoadSnapshot, random: () => number): void {
  const reason = shedder(load)
  if (reason === undefined) return
  throw new GatewayError('service_overloaded', { headers: spreadRetryAfterHeaders(random), cause: reason })
}

/**
 * Refuses a request where so many are being answered already. Throws `ConfigurationError` for what is no whole number from 1.
 */
export function inFlightCap(most: number): LoadShedder {
  if (!(Number.isSafeInteger(most) && most >= 1)) {
    throw configurationError('inFlightCap()', [], most, 'a whole number from 1')
  }
  return ({ inFlight }) => (inFlight < most ? undefined : `${inFlight} requests in flight, ${most} may be`)
}
