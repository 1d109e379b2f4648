/** A timer that is later than this was held up by the process, not by what is waited for. */
export const stallMs = 250
/** What came while the process stood still is read within this. */
export const graceMs = 50

/**
 * Calls `expired` after `ms`, which is at most what a timer takes. Where this process itself stood still, as when
 * the machine slept, what came meanwhile is heard first. Returns what takes the deadline back.
 */
export function deadline(ms: number, expired: () => void): () => void {
  const dueAt = performance.now() + ms
  let timer = setTimeout(() => {
    if (performance.now() - dueAt > stallMs) timer = setTimeout(expired, graceMs)
    else expired()
  }, ms)
  return () => clearTimeout(timer)
}

/** What a promise resolves to, or `undefined` when it takes longer than `ms`. */
export function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const takeBack = deadline(ms, () => resolve(undefined))
    promise.then(
      value => {
        takeBack()
        resolve(value)
      },
      error => {
        takeBack()
        reject(error)
      },
    )
  })
}
