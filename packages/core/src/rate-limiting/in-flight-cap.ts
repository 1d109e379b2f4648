import type { LoadShedder } from '../contracts/load-shedder.ts'
import { configurationError } from '../errors/configuration-error.ts'

/**
 * Refuses a request where so many are being answered already. Throws `ConfigurationError` for what is no whole number from 1.
 */
export function inFlightCap(most: number): LoadShedder {
  if (!(Number.isSafeInteger(most) && most >= 1)) {
    throw configurationError('inFlightCap()', [], most, 'a whole number from 1')
  }
  return ({ inFlight }) => (inFlight < most ? undefined : `${inFlight} requests in flight, ${most} may be`)
}
