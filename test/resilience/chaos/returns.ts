import { setTimeout as sleep } from 'node:timers/promises'

/** Stores that are still away when their round is over, and come back in the next one. */
export class Returns implements AsyncDisposable {
  #coming: { readonly store: string; readonly back: Promise<void> }[] = []

  /** Brings a store back after so many milliseconds. */
  after(ms: number, store: string, bringBack: () => Promise<void>): void {
    this.#coming.push({ store, back: sleep(ms).then(bringBack) })
  }

  /** Resolves when all are back: to which they were. */
  async all(): Promise<readonly string[]> {
    const coming = this.#coming
    this.#coming = []
    await Promise.all(coming.map(({ back }) => back))
    return coming.map(({ store }) => store)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.all()
  }
}
