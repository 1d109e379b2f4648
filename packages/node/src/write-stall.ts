import type { ServerResponse } from 'node:http'
import { stallTimer } from './stall-timer.ts'

/** The default of `writeStallMs`, in milliseconds. */
export const defaultWriteStallMs = 60_000

/**
 * Closes the connection of a response that its client has not received completely within `ms` milliseconds, counted from the
 * response's turn on the connection. Returns a function that cancels this.
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
