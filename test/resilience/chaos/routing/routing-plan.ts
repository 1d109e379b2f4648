/** How long three upstreams fail and recover, and how much is asked meanwhile. Times are in milliseconds. */
export interface RoutingPlan {
  readonly ms: number
  /** Between two requests to the gateway, and between two to each upstream alone. */
  readonly everyMs: number
  readonly aloneEveryMs: number
  /** How long the upstreams stay as they are: something between the two. */
  readonly spellMs: readonly [number, number]
  /** Every so many spells all of them fail. */
  readonly outageEvery: number
  /** How long an upstream that is slow takes to its first byte, and how long the gateway waits for one. */
  readonly slowMs: number
  readonly firstByteMs: number
  /** How long a breaker stays open the first time, and at most. */
  readonly openMs: number
  readonly maxOpenMs: number
  readonly seed: number
}

export function fullRoutingPlan(minutes: number, seed: number): RoutingPlan {
  if (!(minutes > 0)) throw new Error(`minutes: got ${minutes}, expected a number above 0.`)
  return {
    ms: minutes * 60_000,
    everyMs: 20,
    aloneEveryMs: 200,
    spellMs: [3_000, 12_000],
    outageEvery: 5,
    slowMs: 3_000,
    firstByteMs: 1_000,
    openMs: 1_000,
    maxOpenMs: 4_000,
    seed,
  }
}

/** For the tests: one outage, seconds long. */
export const quickRoutingPlan: RoutingPlan = {
  ...fullRoutingPlan(0.25, 3),
  everyMs: 25,
  spellMs: [2_500, 3_500],
  outageEvery: 3,
  slowMs: 1_500,
  firstByteMs: 400,
  openMs: 400,
  maxOpenMs: 1_600,
}
