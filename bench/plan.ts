import type { Cores } from './cores.ts'
import type { Runtime } from './subject.ts'
import type { Upstream } from './upstream.ts'

/** How much is measured. */
export interface Sizes {
  readonly rounds: number
  /** Of each load in a round. */
  readonly seconds: number
  /** How many requests each server has had before the first round: enough for the engine to have made its code. */
  readonly warmUp: { readonly small: number; readonly streams: number; readonly large: number }
  readonly aborts: number
  readonly idleStreams: number
  readonly idleSeconds: number
  readonly redisRequests: number
  readonly imports: number
}

/** What every measure is told. */
export interface Plan extends Sizes {
  readonly runtime: Runtime
  /** The major version of the Node that is measured. */
  readonly major: number
  readonly upstream: Upstream
  readonly cores: Cores
  readonly peers: boolean
}

export const usual: Sizes = {
  rounds: 7,
  seconds: 2,
  warmUp: { small: 15_000, streams: 300, large: 100 },
  aborts: 200,
  idleStreams: 1_000,
  idleSeconds: 20,
  redisRequests: 1_000,
  imports: 10,
}

/** Shows that it runs; its figures are worth nothing. */
export const quick: Sizes = {
  rounds: 1,
  seconds: 0.1,
  warmUp: { small: 50, streams: 2, large: 2 },
  aborts: 10,
  idleStreams: 20,
  idleSeconds: 1,
  redisRequests: 20,
  imports: 1,
}
