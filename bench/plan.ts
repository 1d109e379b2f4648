import type { Cores } from './cores.ts'
import type { Runtime } from './subject.ts'
import type { Turns } from './turns.ts'
import type { Upstream } from './upstream.ts'

/** How much is measured. */
export interface Sizes {
  readonly rounds: number
  /** Of each load in a round. */
  readonly seconds: number
  /** How many requests each server has had before its steady state is measured: more make it no faster. */
  readonly warmUp: {
    readonly small: number
    readonly streams: number
    readonly large: number
    readonly peers: number
  }
  /** How many requests a new process has had before its warm-up is measured, and over how many that is. */
  readonly earlyRequests: number
  /** How many new processes of each server that is measured with. */
  readonly earlyRounds: number
  readonly aborts: number
  readonly idleStreams: number
  readonly silentStreams: number
  readonly idleSeconds: number
  readonly redisRequests: number
  readonly storedRequests: number
  /** After which PostgreSQL's idle connections have published what they did: `PGSTAT_IDLE_INTERVAL` is 10 s. */
  readonly statisticsMs: number
  readonly imports: number
  readonly peerStreams: number
}

/** What every measure is told. */
export interface Plan extends Sizes, Turns {
  readonly runtime: Runtime
  /** The major version of the Node that is measured. */
  readonly major: number
  readonly upstream: Upstream
  readonly cores: Cores
  readonly peers: boolean
}

export const usual: Sizes = {
  rounds: 12,
  seconds: 0.5,
  warmUp: { small: 40_000, streams: 600, large: 400, peers: 20_000 },
  earlyRequests: 2_000,
  earlyRounds: 5,
  aborts: 200,
  idleStreams: 1_000,
  silentStreams: 300,
  idleSeconds: 10,
  redisRequests: 1_000,
  storedRequests: 10_000,
  statisticsMs: 11_000,
  imports: 10,
  // LiteLLM keeps 500 connections to a host.
  peerStreams: 400,
}

/** Shows that it runs; its figures are worth nothing. */
export const quick: Sizes = {
  rounds: 1,
  seconds: 0.1,
  warmUp: { small: 50, streams: 2, large: 2, peers: 40 },
  earlyRequests: 50,
  earlyRounds: 1,
  aborts: 10,
  idleStreams: 20,
  silentStreams: 20,
  idleSeconds: 1,
  redisRequests: 20,
  storedRequests: 20,
  statisticsMs: 100,
  imports: 1,
  peerStreams: 20,
}
