import type { ServerResponse } from 'node:http'

/** The default of `writeStallMs`: how long a client may take nothing of what is written to it. */
export const defaultWriteStallMs = 60_000

/** Destroys a response that is not all with its client within `ms`. */
export function cutOffAfter(res: ServerResponse, ms: number): void {
  const timer = setTimeout(() => res.destroy(), ms)
  res.once('close', () => clearTimeout(timer))
}

/** The same for a response that has ended; most are with their client already. */
export function endWithin(res: ServerResponse, ms: number): void {
  if (res.writableLength > 0 && !res.destroyed) cutOffAfter(res, ms)
}
