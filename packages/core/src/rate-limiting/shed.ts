import { GatewayError } from '../errors/errors.ts'
import { retryHeaders } from '../errors/retry-headers.ts'

/** What a service has to do already. */
export interface Load {
  /**
   * How many requests are being answered, whatever they ask for; without the one that is decided on, and without those
   * whose body is being received.
   */
  readonly inFlight: number
}

/**
 * Whether there is room for one more: the reason to refuse it, for your log, or nothing. Asked for each chat completion
 * before anything is done for it, and again when a body has arrived that had to be waited for: so it has to be cheap, and
 * it cannot wait.
 *
 * Where it throws, or gives what is neither a text nor nothing, the request is let in, and a `warning` tells so once.
 */
export interface LoadShedder {
  (load: Load): string | undefined
  /** Frees what it holds. Told by a gateway that asks no more; another one may go on asking. */
  close?(): void
}

/** Throws 503 where there is no room. `random` keeps those that are refused from coming back all at once. */
export function shed(shedder: LoadShedder, load: Load, random: () => number): void {
  const reason = shedder(load)
  if (reason === undefined) return
  throw new GatewayError('service_overloaded', { headers: retryHeaders(random), cause: reason })
}
