import type { LimitStore } from '@sluice/core'

/**
 * Returns the store to test. `now` returns milliseconds since 1970: the store has to use it as its only clock, also for calendar
 * windows. If it is absent, the store uses its own clock.
 */
export type MakeLimitStore = (options: { readonly now?: () => number }) => LimitStore | Promise<LimitStore>

/** One test of `limitStoreConformance`. */
export interface LimitStoreCase {
  readonly name: string
  /** Whether the case gives the store a clock. */
  readonly clocked: boolean
  /** Rejects with an `AssertionError` if the store breaks the contract. */
  run(make: MakeLimitStore): Promise<void>
}

/** A case in the store's own time. */
export function inItsOwnTime(name: string, body: (store: LimitStore) => Promise<void>): LimitStoreCase {
  return { name, clocked: false, run: async make => body(await make({})) }
}

/** A clock that stands still until it is moved. */
export interface HeldClock {
  /** Milliseconds since 1970. */
  at: number
}

/** A case by a clock that begins at a moment (`2026-11-18T12:00:00Z`, a Wednesday, where none is named). */
export function byTheClock(
  name: string,
  body: (store: LimitStore, clock: HeldClock) => Promise<void>,
  from = '2026-11-18T12:00:00Z',
): LimitStoreCase {
  return {
    name,
    clocked: true,
    run: async make => {
      const clock: HeldClock = { at: Date.parse(from) }
      await body(await make({ now: () => clock.at }), clock)
    },
  }
}
