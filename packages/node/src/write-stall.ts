import type { ServerResponse } from 'node:http'
import { stallTimer } from './stall-timer.ts'

/** The default of `writeStallMs`: how long a client may take nothing of what is written to it. */
export const defaultWriteStallMs = 60_000

/**
 * Destroys a response that is not all with its client within `ms`, which begin with its turn on the connection.
 * Returns what takes that back.
 */
export function cutOffAfter(res: ServerResponse, ms: number): () => void {
  let stop = () => {}
  const begin = () => {
    stop = stallTimer(ms, () => res.destroy())
  }
  const cancel = () => {
    stop()
    res.off('socket', begin).off('close', cancel)
  }
  // Behind another answer on its connection (pipelining) it waits for that one, not for the client.
  if (res.socket === null && !res.writableFinished) res.once('socket', begin)
  else begin()
  res.once('close', cancel)
  return cancel
}

/** The same for a response that has ended; most are with their client already. */
export function endWithin(res: ServerResponse, ms: number): void {
  if (res.writableLength > 0 && !res.destroyed) cutOffAfter(res, ms)
}
