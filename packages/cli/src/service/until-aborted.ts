/** Resolves with the result of `work`, or with `undefined` as soon as the signal aborts, whatever `work` does then. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  let stop = () => {}
  const aborted = new Promise<undefined>(resolve => {
    stop = () => resolve(undefined)
  })
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  // Without it a failure after the abort would be an unhandled rejection.
  work.catch(() => {})
  try {
    return await Promise.race([aborted, work])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
