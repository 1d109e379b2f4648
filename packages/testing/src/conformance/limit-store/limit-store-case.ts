import type { LimitStore } from '@sluice/core'

/**
 * Returns the store to test. `now` returns milliseconds since 1970: the store must use it as its only clock, also for calendar
 * windows. If it is absent, the store uses its own clock.
 */
export type MakeLimitStore = (options: { readonly now?: () => number }) => LimitStore | Promise<LimitStore>

/** One test of `limitStoreConformance`. */
export interface LimitStoreCase {
  readonly name: string
  /** Whether the case passes a clock to the store. */
  readonly clocked: boolean
  /** Rejects with an `AssertionError` if the store breaks the contract. */
  run(make: MakeLimitStore): Promise<void>
}

/** Returns a case that uses the store's own clock. */
export function inItsOwnTime(name: string, body: (store: LimitStore) => Promise<void>): LimitStoreCase {
  return { name, clocked: false, run: async make => body(await make({})) }
}

/** A manual clock. */
export interface ManualClock {
  /** Milliseconds since 1970. */
  at: number
}

/** Returns a case with a manual clock. Default start: `2026-11-18T12:00:00Z`, a Wednesday. */
export function byTheClock(
  name: string,
  body: (store: LimitStore, clock: ManualClock) => Promise<void>,
  from = '2026-11-18T12:00:00Z',
): LimitStoreCase {
  return {
    name,
    clocked: true,
    run: async make => {
      const clock: ManualClock = { at: Date.parse(from) }
      await body(await make({ now: () => clock.at }), clock)
    },
  }
}
