import { GatewayError } from '../errors.ts'

/** What a service has to do already. */
export interface Load {
  /** How many requests are being answered, whatever they ask for; without the one that is decided on. */
  readonly inFlight: number
}

/**
 * Whether there is room for one more: the reason to refuse it, for your log, or nothing. Asked for each chat completion
 * before anything is done for it, so it has to be cheap, and it cannot wait.
 *
 * Where it throws, or gives what is neither a text nor nothing, the request is let in, and a `warning` tells so once.
 */
export interface LoadShedder {
  (load: Load): string | undefined
  /** Frees what it holds. Told by a gateway that asks no more; another one may go on asking. */
  close?(): void
}

/** From when on a client that was refused may come again, and over how long the clients are spread. Milliseconds. */
const soonest = 1_000
const spread = 4_000

/** Throws 503 where there is no room. `random` keeps those that are refused from coming back all at once. */
export function shed(shedder: LoadShedder, load: Load, random: () => number): void {
  const reason = shedder(load)
  if (reason === undefined) return
  const ms = soonest + Math.floor(random() * spread)
  throw new GatewayError('service_overloaded', {
    headers: { 'retry-after': String(Math.ceil(ms / 1000)), 'retry-after-ms': String(ms) },
    cause: reason,
  })
}
