import type { MemoryLimitStore } from '@sluice/core/limits'
import type { LimitStore, SharedHealth } from '@sluice/core/store'
import { type Distribution, sampler } from './distribution.ts'
import type { History } from './history.ts'
import type { Scheduler } from './scheduler.ts'
import type { SimulatedProcess } from './simulated-process.ts'
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

/** Carries operations of a process to a store, where each takes effect after one way, and answers after the other. */
export class Link {
  readonly #process: SimulatedProcess
  readonly #scheduler: Scheduler
  readonly #latencyMs: () => number
  readonly #partitions: readonly Partition[]

  constructor(
    process: SimulatedProcess,
    { latencyMs = 0.3, partitions = [] }: StoreLink,
    random: () => number,
    scheduler: Scheduler,
  ) {
    this.#process = process
    this.#scheduler = scheduler
    this.#latencyMs = sampler(latencyMs, random)
    this.#partitions = partitions.filter(
      ({ gateways }) => gateways === undefined || gateways.includes(process.gateway),
    )
  }

  /** `operation` gets the milliseconds of both ways. */
  call<T>(operation: (ms: number) => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const [there, back] = [this.#latencyMs(), this.#latencyMs()]
      const answer = (run: () => void) =>
        this.#pass(back, reject, () => {
          if (this.#process.alive) run()
        })
      this.#pass(there, reject, () => {
        let value: T | Promise<T>
        try {
          value = operation(there + back)
        } catch (error) {
          answer(() => reject(error))
          return
        }
        if (!(value instanceof Promise)) answer(() => resolve(value))
        else
          value.then(
            result => answer(() => resolve(result)),
            error => answer(() => reject(error)),
          )
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
    if (partition?.kind === 'refused' && this.#process.alive) {
      refuse(new Error(`Gateway ${this.#process.gateway} cannot reach the store.`))
    }
    return partition !== undefined
  }
}

/** Returns the limit store as one process reaches it over its link. */
export function linkedLimitStore(
  store: MemoryLimitStore,
  { gateway }: SimulatedProcess,
  link: Link,
  scheduler: Scheduler,
  history: History,
): LimitStore {
  return {
    admit: claim =>
      link.call(ms => {
        const decision = store.admit(claim)
        history.record({ type: 'claim', at: scheduler.now, ms, gateway, claim, decision })
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

/** Returns the shared health of targets as one process reaches it over its link. */
export function linkedHealth(store: SharedHealth, link: Link): SharedHealth {
  return {
    read: ids => link.call(() => store.read(ids)),
    write: changes => link.call(() => store.write(changes)),
    acquireProbe: (id, holder, ms) => link.call(() => store.acquireProbe(id, holder, ms)),
    releaseProbe: (id, holder) => link.call(() => store.releaseProbe(id, holder)),
  }
}
