import type { AlertStore } from '@sluice/core/store'
import type { AlertsClock } from './alerts-clock.ts'

/** A store of alerts whose operations reject after a timeout. */
export class TimedStore {
  readonly #store: AlertStore
  readonly #clock: AlertsClock
  readonly #timeoutMs: number

  constructor(store: AlertStore, clock: AlertsClock, timeoutMs: number) {
    this.#store = store
    this.#clock = clock
    this.#timeoutMs = timeoutMs
  }

  add(...args: Parameters<AlertStore['add']>) {
    return this.#within(async () => this.#store.add(...args))
  }

  replace(...args: Parameters<AlertStore['replace']>) {
    return this.#within(async () => this.#store.replace(...args))
  }

  async #within<T>(operation: () => Promise<T>): Promise<T> {
    let cancel = () => {}
    const late = new Promise<never>((_, reject) => {
      cancel = this.#clock.setTimer(this.#timeoutMs, () =>
        reject(new Error(`The store of alerts did not respond within ${this.#timeoutMs} ms.`)),
      )
    })
    try {
      return await Promise.race([operation(), late])
    } finally {
      cancel()
    }
  }
}
