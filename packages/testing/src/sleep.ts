/** Sleepers by their signal. Each signal has one listener for all of them. */
const asleep = new WeakMap<AbortSignal, Set<() => void>>()

/** Waits `ms` milliseconds, or until `signal` aborts; never rejects and leaves no timer behind. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise(resolve => {
    const sleepers = sleepersOf(signal)
    const wake = () => {
      clearTimeout(timer)
      sleepers.delete(wake)
      resolve()
    }
    const timer = setTimeout(wake, ms)
    sleepers.add(wake)
  })
}

function sleepersOf(signal: AbortSignal): Set<() => void> {
  const known = asleep.get(signal)
  if (known !== undefined) return known
  const sleepers = new Set<() => void>()
  asleep.set(signal, sleepers)
  const wakeAll = () => {
    for (const wake of sleepers) wake()
  }
  signal.addEventListener('abort', wakeAll, { once: true })
  return sleepers
}
