import { setTimeout as timer } from 'node:timers/promises'

/** Waits `ms` milliseconds, or until `signal` aborts; never rejects and leaves no timer behind. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await timer(ms, undefined, { signal }).catch(() => {})
}
