import { seededRandom } from './hash.ts'
import { maxTimerMs, validateOptions } from './options.ts'

/** The response speed of `local()`. */
export interface LocalPace {
  /** Milliseconds before the first token. Default 0. */
  readonly firstTokenMs?: number
  /** Milliseconds between tokens. Default 0: as fast as the client reads. */
  readonly tokenMs?: number
  /** The random part of each delay, as a share of it from 0 to 1. The same request has the same delays. Default 0. */
  readonly jitter?: number
}

const delay = { max: maxTimerMs / 2 }
const bounds = { firstTokenMs: delay, tokenMs: delay, jitter: { max: 1 } }

/** Throws `TypeError` or `RangeError` for an invalid speed. */
export function validatePace(pace: LocalPace): void {
  validateOptions('pace', pace, 'firstTokenMs tokenMs jitter', bounds)
}

/** Returns the delay before each piece of an answer in milliseconds; the first piece is 0. */
export function delaysOf(pace: LocalPace, seed: number): (piece: number) => number {
  const { firstTokenMs = 0, tokenMs = 0, jitter = 0 } = pace
  const random = jitter === 0 ? () => 0.5 : seededRandom(seed)
  return piece => (piece === 0 ? firstTokenMs : tokenMs) * (1 + jitter * (2 * random() - 1))
}

/** Waits some milliseconds, or with `Infinity` until the abort. Rejects with the signal's reason, and leaves no timer. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const timer = ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(finish, Math.min(ms, maxTimerMs))
    signal.addEventListener('abort', abort, { once: true })
    function finish(): void {
      signal.removeEventListener('abort', abort)
      resolve()
    }
    function abort(): void {
      clearTimeout(timer)
      reject(signal.reason)
    }
  })
}
