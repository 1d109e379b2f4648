import type { LedgerRepository } from '@sluice/core/ledger'
import type { MemoryLimitStore } from '@sluice/core/limits'
import type { LimitStore } from '@sluice/core/store'
import { type Distribution, sampler } from './distribution.ts'
import type { History } from './history.ts'
import type { Scheduler } from './scheduler.ts'
import { rangeAt, type TimeRange } from './time-range.ts'

/** A period in which gateways cannot reach a store. */
export interface Partition extends TimeRange {
  /** The gateways that are cut off, by their numbers from 0. Default: all. */
  readonly gateways?: readonly number[]
  /** `silent`: packets are lost, and nothing answers. `refused`: connections are refused at once. Default `silent`. */
  readonly kind?: 'silent' | 'refused'
}

/** The connection between gateways and a store. */
export interface StoreLink {
  /** Milliseconds of one way. Default 0.3. */
  readonly latencyMs?: Distribution
  readonly partitions?: readonly Partition[]
}

/** Carries operations of one gateway to a store, which takes effect after one way, and answers after the other. */
class Link {
  readonly #gateway: number
  readonly #scheduler: Scheduler
  readonly #latencyMs: () => number
  readonly #partitions: readonly Partition[]

  constructor(
    gateway: number,
    { latencyMs = 0.3, partitions = [] }: StoreLink,
    random: () => number,
    scheduler: Scheduler,
  ) {
    this.#gateway = gateway
    this.#scheduler = scheduler
    this.#latencyMs = sampler(latencyMs, random)
    this.#partitions = partitions.filter(
      ({ gateways }) => gateways === undefined || gateways.includes(gateway),
    )
  }

  call<T>(operation: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const [there, back] = [this.#latencyMs(), this.#latencyMs()]
      this.#pass(there, reject, () => {
        let value: T
        try {
          value = operation()
        } catch (error) {
          this.#pass(back, reject, () => reject(error))
          return
        }
        this.#pass(back, reject, () => resolve(value))
      })
    })
  }

  /** A packet that is sent or would arrive while the link is cut is lost. */
  #pass(ms: number, refuse: (error: Error) => void, arrived: () => void): void {
    if (this.#isCut(refuse)) return
    this.#scheduler.after(ms, () => {
      if (!this.#isCut(refuse)) arrived()
    })
  }

  #isCut(refuse: (error: Error) => void): boolean {
    const partition = rangeAt(this.#partitions, this.#scheduler.now)
    if (partition?.kind === 'refused') refuse(new Error(`Gateway ${this.#gateway} cannot reach the store.`))
    return partition !== undefined
  }
}

/** Returns the limit store as one gateway reaches it over its link. */
export function linkedLimitStore(
  store: MemoryLimitStore,
  gateway: number,
  options: StoreLink,
  random: () => number,
  scheduler: Scheduler,
  history: History,
): LimitStore {
  const link = new Link(gateway, options, random, scheduler)
  return {
    admit: claim =>
      link.call(() => {
        const decision = store.admit(claim)
        history.record({ type: 'claim', at: scheduler.now, gateway, claim, decision })
        return decision
      }),
    settle: settlement =>
      link.call(() => {
        store.settle(settlement)
        history.record({ type: 'settlement', at: scheduler.now, gateway, settlement })
      }),
    renew: (claims, ttlMs) => link.call(() => store.renew(claims, ttlMs)),
  }
}

/**
 * The database of the ledger: the rows of open requests, and the ids of closed ones. It behaves as the real ones do: the first
 * closing of a record counts, and a closing without an entry is a complete record.
 */
export class LedgerDatabase {
  readonly #open = new Set<string>()
  readonly #closed = new Set<string>()
  readonly #scheduler: Scheduler
  readonly #history: History

  constructor(scheduler: Scheduler, history: History) {
    this.#scheduler = scheduler
    this.#history = history
  }

  /** Number of records that have no closing. */
  get open(): number {
    return this.#open.size
  }

  /** Returns the database as one gateway reaches it over its link. */
  linked(gateway: number, options: StoreLink, random: () => number): LedgerRepository {
    const link = new Link(gateway, options, random, this.#scheduler)
    return {
      write: ({ entries, closings, cancelled = [] }) =>
        link.call(() => {
          for (const { id } of entries) if (!this.#closed.has(id)) this.#open.add(id)
          for (const id of cancelled) this.#open.delete(id)
          for (const closing of closings) {
            const { id } = closing.entry
            const again = this.#closed.has(id)
            this.#open.delete(id)
            this.#closed.add(id)
            this.#history.record({ type: 'ledger', at: this.#scheduler.now, gateway, closing, again })
          }
        }),
      // Every gateway of a simulation lives: none leaves an orphan.
      closeOrphans: () => link.call(() => 0),
      usage: () => Promise.reject(new Error('The simulated ledger stores no sums.')),
    }
  }
}
