import { seededRandom } from '../../../../packages/core/src/primitives/seeded-random.ts'

/** How a gateway is stopped again and again under load. */
export interface StopPlan {
  readonly rounds: number
  /** Clients that keep their connection. */
  readonly keeping: number
  /** Clients that make a new one for each request. */
  readonly connecting: number
  /** Clients that make a new one every millisecond or so, whatever became of those before. */
  readonly storming: number
  /** From the beginning of the load to the signal, in milliseconds. */
  readonly busyMs: readonly [least: number, most: number]
  readonly random: () => number
}

/** Two stops. All clients wait for their answers, so that nobody connects at the moment at which the listener closes. */
export const quickStopPlan: StopPlan = {
  rounds: 2,
  keeping: 20,
  connecting: 20,
  storming: 0,
  busyMs: [200, 400],
  random: seededRandom(1),
}

export const fullStopPlan = (rounds: number, seed: number): StopPlan => ({
  rounds,
  keeping: 40,
  connecting: 40,
  storming: 1,
  busyMs: [200, 600],
  random: seededRandom(seed),
})
