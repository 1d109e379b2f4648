import type { Load, LoadShedder } from '../contracts/load-shedder.ts'
import { GatewayError } from '../errors/errors.ts'
import { retryHeaders } from '../errors/retry-headers.ts'

/** Throws 503 where there is no room. `random` keeps those that are refused from coming back all at once. */
export function shed(shedder: LoadShedder, load: Load, random: () => number): void {
  const reason = shedder(load)
  if (reason === undefined) return
  throw new GatewayError('service_overloaded', { headers: retryHeaders(random), cause: reason })
}
