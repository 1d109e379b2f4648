/** How much of everything a soak does. */
export interface SoakPlan {
  /** Of mixed traffic. The hostile inputs come after it. */
  readonly seconds: number
  readonly liveStreams: number
  /** New requests a second, good and faulty. */
  readonly perSecond: number
  /** Clients that leave, in each phase. */
  readonly aborts: number
  readonly warmUpSeconds: number
  /** Between two measurements of memory. */
  readonly sampleSeconds: number
  /** Of the hostile inputs, up to 1. */
  readonly hostile: number
}

/** The soak of so many minutes. */
export function planOf(minutes: number): SoakPlan {
  if (!(minutes > 0)) throw new TypeError(`soak: got ${minutes} minutes, expected a number above 0.`)
  const seconds = minutes * 60
  return {
    seconds,
    liveStreams: 1_000,
    perSecond: 100,
    aborts: Math.max(400, Math.round(170 * minutes)),
    warmUpSeconds: 15,
    sampleSeconds: Math.min(20, Math.max(5, seconds / 20)),
    hostile: 1,
  }
}

/** A slice of it that every run of the tests can afford. */
export const quickPlan: SoakPlan = {
  seconds: 5,
  liveStreams: 50,
  perSecond: 40,
  aborts: 20,
  warmUpSeconds: 1,
  sampleSeconds: 2,
  hostile: 0.05,
}
