import type { StateConfig } from './config.ts'

/** Returns the timeout of an operation of the database: its own, or that of `state` if that is longer. */
export function databaseTimeoutMs(state: StateConfig | undefined, ownMs: number): number {
  return Math.max(ownMs, state?.storeTimeoutMs ?? 0)
}
