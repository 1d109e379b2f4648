import type { Clock } from '@sluice/core'
import type { Scheduler } from './scheduler.ts'

/**
 * A gateway whose process ends without notice: what it does is lost, and so is what it has in memory. One that is down already
 * does not crash again.
 */
export interface Crash {
  /** The number of the gateway, from 0. */
  readonly gateway: number
  readonly atMs: number
  /** Milliseconds until a new process of it runs. Default 5,000. */
  readonly downMs?: number
}

/** The process of a gateway, from its start to its crash. After that nothing reaches it, and so none of its code runs. */
export class SimulatedProcess {
  readonly gateway: number
  /** Its clock: the one of the simulation, with the skew of its machine. */
  readonly clock: Clock
  #alive = true
  readonly #crashed = new Set<() => void>()
  readonly #mayCrash: boolean

  /** @param mayCrash whether it ever crashes; to be ready for that costs some time for each request */
  constructor(gateway: number, skewMs: number, mayCrash: boolean, scheduler: Scheduler) {
    this.gateway = gateway
    this.#mayCrash = mayCrash
    const { now, monotonic, setTimer } = scheduler.clock
    const setOwnTimer: Clock['setTimer'] = (ms, run) =>
      setTimer(ms, () => {
        if (this.#alive) run()
      })
    this.clock = { now: () => now() + skewMs, monotonic, setTimer: mayCrash ? setOwnTimer : setTimer }
  }

  get alive(): boolean {
    return this.#alive
  }

  /** Calls a function when the process crashes, until it is removed by `offCrash`. */
  onCrash(listener: () => void): void {
    if (this.#mayCrash) this.#crashed.add(listener)
  }

  offCrash(listener: () => void): void {
    if (this.#mayCrash) this.#crashed.delete(listener)
  }

  crash(): void {
    this.#alive = false
    for (const listener of this.#crashed) listener()
    this.#crashed.clear()
  }

  /** Settles as a promise of the process does, and rejects if the process crashes before. */
  untilCrash<T>(promise: Promise<T>): Promise<T> {
    if (!this.#mayCrash) return promise
    return new Promise((resolve, reject) => {
      const crashed = () => reject(new ProcessCrashed())
      this.onCrash(crashed)
      const settled = () => this.offCrash(crashed)
      promise.then(
        value => {
          settled()
          resolve(value)
        },
        error => {
          settled()
          reject(error)
        },
      )
    })
  }
}

/** The process crashed that was to answer. */
export class ProcessCrashed extends Error {
  constructor() {
    super('The simulated process crashed.')
    this.name = 'ProcessCrashed'
  }
}
