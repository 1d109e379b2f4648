/** How much is done, and how long it takes. Times are in milliseconds; of two, something between them is taken. */
export interface ChaosPlan {
  readonly rounds: number
  /** Clients that ask at the same time. */
  readonly streams: number
  /** How many requests the gateway takes at once: what a dead process held is held until its time is over. */
  readonly concurrent: number
  /** How long an answer may take. Longer than the gateway drains: some are cut off by it. */
  readonly longMs: number
  /** From the start of a process to the signal, or to the outage of a store. */
  readonly busyMs: readonly [number, number]
  /** How long a store is away; `undefined` where none ever is. */
  readonly awayMs: readonly [number, number] | undefined
  readonly drainMs: number
  /** How long beyond that a process may take to end. */
  readonly stopMs: number
  readonly heartbeatMs: number
  readonly silentMs: number
  readonly leaseMs: number
  /** How long before a kill something may have ended that was not written yet. */
  readonly graceMs: number
  readonly seed: number
}

export function fullPlan(rounds: number, seed: number): ChaosPlan {
  if (!Number.isInteger(rounds) || rounds < 1) {
    throw new Error(`rounds: got ${rounds}, expected a whole number from 1.`)
  }
  return {
    rounds,
    streams: 100,
    concurrent: 150,
    longMs: 6_000,
    busyMs: [2_000, 5_000],
    awayMs: [500, 4_000],
    drainMs: 1_000,
    stopMs: 1_000,
    heartbeatMs: 500,
    silentMs: 2_000,
    leaseMs: 3_000,
    graceMs: 1_000,
    seed,
  }
}

/** For the tests: one process is stopped, one is killed. */
export const quickPlan: ChaosPlan = {
  ...fullPlan(2, 1),
  streams: 20,
  concurrent: 30,
  longMs: 1_500,
  busyMs: [2_000, 2_400],
  awayMs: undefined,
  drainMs: 300,
  // The machine may have much else to do.
  stopMs: 5_000,
  heartbeatMs: 250,
  silentMs: 1_000,
  leaseMs: 1_000,
}
