import type { HistoryListener } from './history.ts'

/** Something that did not hold. */
export interface Violation {
  /** The name of the invariant. */
  readonly invariant: string
  /** When it was noticed, in milliseconds since the beginning. */
  readonly at: number
  readonly message: string
  /** Number of requests of clients that had been sent by then. */
  readonly requests: number
}

/** The state of a simulation at its end. */
export interface SimulationEnd {
  readonly now: number
  /** Claims that the limit store still holds. */
  readonly activeClaims: number
  /** Records of the ledger's database that were not closed. */
  readonly openRecords: number
}

/** What must hold in a simulation, checked from outside: by what clients, upstreams and stores saw. */
export interface Invariant extends HistoryListener {
  readonly name: string
  /** Returns what did not hold, at most 100 of it. */
  violations(end: SimulationEnd): readonly Violation[]
}
