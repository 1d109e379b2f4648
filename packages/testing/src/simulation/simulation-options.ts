import type { Clock, GatewayOptions, LimitStore, Target } from '@sluice/core'
import type { BatchedLedger } from '@sluice/core/ledger'
import type { SharedHealth } from '@sluice/core/store'
import type { HistoryListener } from './history.ts'
import type { Invariant } from './invariant.ts'
import type { Crash } from './simulated-process.ts'
import type { StoreLink } from './store-link.ts'
import type { Traffic } from './traffic.ts'
import type { UpstreamModel } from './upstream-model.ts'

/** What one process of a gateway is made of in a simulation, in place of what it has otherwise. */
export interface GatewayEnvironment {
  /** The number of the gateway, from 0. */
  readonly index: number
  /** The clock of the gateway. */
  readonly clock: Clock
  /** The clock of what all gateways share, such as a store of yours: without skew, and it outlives a crash. */
  readonly storeClock: Clock
  /** Random numbers of this gateway, determined by the seed. */
  readonly random: () => number
  /** Returns ids of 32 hexadecimal digits, determined by the seed. */
  readonly generateId: () => string
  /** The limit store that all gateways share, over the link of this one. */
  readonly limitStore: LimitStore
  /** The health of targets that all gateways share, over the link of this one: for the option `sharedHealth`. */
  readonly sharedHealth: SharedHealth
  /** The ledger of this gateway, over its link to the database that all share: for the option `ledger`. */
  readonly ledger: BatchedLedger
  /** Returns a target whose calls go to the modelled upstream with the name of its provider. */
  readonly simulated: (target: Target) => Target
}

/** Options of `simulate`. */
export interface SimulationOptions {
  /** Determines all random numbers, and so the whole history: a whole number. Default 1. */
  readonly seed?: number
  /** Number of gateways behind one load balancer, which chooses at random. Default 1. */
  readonly gateways?: number
  /**
   * Returns the options of a gateway. The simulation adds its clock, random numbers and ids. Limiters and authenticators that
   * you create take `clock` of the environment. Called for each gateway, and once more after each of its crashes.
   */
  readonly createOptions: (environment: GatewayEnvironment) => GatewayOptions
  /** The models of upstreams, by the names of providers. A provider that is not listed has the default model. */
  readonly upstreams?: Readonly<Record<string, UpstreamModel>>
  readonly stores?: {
    /** The link to the limit store. */
    readonly limits?: StoreLink
    /** The link to the database of the ledger. */
    readonly ledger?: StoreLink
    /** The link to the store of shared health. */
    readonly health?: StoreLink
  }
  /** Crashes of gateways. Those after the end of the traffic do not happen. Default: none. */
  readonly crashes?: readonly Crash[]
  /** How much the clock of a gateway is wrong at most, in milliseconds, early or late. Default 0. */
  readonly skewMs?: number
  readonly traffic: Traffic
  /** The date at the beginning, in milliseconds since 1970. Default: 2026-01-01, 00:00 UTC. */
  readonly startAt?: number
  /** What must hold. Each simulation needs new ones. Default: none. */
  readonly invariants?: readonly Invariant[]
  /** Further listeners to the history, such as `simulationReport()`. */
  readonly listeners?: readonly HistoryListener[]
  /** Called with each line of the history, a JSON object. */
  readonly onLine?: (line: string) => void
  /** Ends the simulation early: it rejects with the reason. */
  readonly signal?: AbortSignal
}
