import { longestWait } from './checked-number.ts'

/**
 * Waits some milliseconds; `Infinity` waits for the abort alone. Rejects with the signal's reason as soon as
 * it aborts, and leaves no timer behind.
 */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason)
      return
    }
    const timer = ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(finish, Math.min(ms, longestWait))
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
