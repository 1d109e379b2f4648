import type { Clock, Timer } from '../../clock/clock.ts'
import type { EndReason } from '../../errors/abort-reasons.ts'
import { LifeEnded } from '../../errors/abort-reasons.ts'
import type { Lifetime } from '../../http/lifetime.ts'

/**
 * Waits until a time in monotonic milliseconds, and never resolves before it. Rejects with `LifeEnded` as soon as the
 * lifetime ends.
 */
export function sleepUntil(until: number, lifetime: Lifetime, clock: Clock): Promise<void> {
  return new Promise((resolve, reject) => {
    let timer: Timer | undefined
    const ended = (reason: EndReason) => {
      timer?.cancel()
      reject(new LifeEnded(reason))
    }
    const wake = () => {
      const left = until - clock.monotonic()
      // Timers may fire a little early.
      if (left > 0) timer = clock.setTimer(Math.ceil(left), wake)
      else {
        lifetime.offEnd(ended)
        resolve()
      }
    }
    lifetime.onEnd(ended)
    if (lifetime.ended === undefined) wake()
  })
}
