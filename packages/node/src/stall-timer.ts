/** A timer that is later than this was held up by the process itself. */
const heldUpMs = 250
/** What came while the process stood still is heard within this. */
const graceMs = 50

/**
 * Calls `expired` after `ms`. Where this process itself stood still, as when the machine slept, what came meanwhile is
 * heard first. Returns what takes it back.
 */
export function stallTimer(ms: number, expired: () => void): () => void {
  const dueAt = performance.now() + ms
  let timer = setTimeout(() => {
    if (performance.now() - dueAt > heldUpMs) timer = setTimeout(expired, graceMs)
    else expired()
  }, ms)
  return () => clearTimeout(timer)
}
