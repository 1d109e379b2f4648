import type { LoadShedder, LoadSnapshot } from '../contracts/load-shedder.ts'
import { configurationError } from '../errors/configuration-error.ts'
import { GatewayError } from '../errors/errors.ts'
import { spreadRetryAfterHeaders } from '../errors/retry-headers.ts'

/** Throws `GatewayError` (503) if the request is rejected. `random` spreads the retries of rejected clients. */
export function shedLoad(shedder: LoadShedder, load: LoadSnapshot, random: () => number): void {
  const reason = shedder(load)
  if (reason === undefined) return
  throw new GatewayError('service_overloaded', { headers: spreadRetryAfterHeaders(random), cause: reason })
}

/** Rejects requests while `max` are in flight. Throws `ConfigurationError` unless `max` is an integer of at least 1. */
export function inFlightCap(max: number): LoadShedder {
  if (!(Number.isSafeInteger(max) && max >= 1)) {
    throw configurationError('inFlightCap()', [], max, 'a whole number from 1')
  }
  return ({ inFlight }) => (inFlight < max ? undefined : `${inFlight} requests in flight`)
}
