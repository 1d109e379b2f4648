import type { Clock } from './clock.ts'

/**
 * Settles as the promise does, or after `ms` milliseconds with what `expired` returns or throws.
 *
 * @param late - called with a value that arrives after the timeout. Its errors are ignored.
 */
export function withTimeout<T, Expired>(
  clock: Clock,
  ms: number,
  promise: PromiseLike<T>,
  expired: () => Expired,
  late?: (value: T) => unknown,
): Promise<T | Expired> {
  return new Promise((resolve, reject) => {
    let over = false
    const timer = clock.setTimer(ms, () => {
      over = true
      try {
        resolve(expired())
      } catch (error) {
        reject(error)
      }
    })
    promise.then(
      value => {
        timer.cancel()
        if (!over) resolve(value)
        else if (late !== undefined)
          void Promise.resolve(value)
            .then(late)
            .catch(() => {})
      },
      error => {
        timer.cancel()
        reject(error)
      },
    )
  })
}
