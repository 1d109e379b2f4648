/** Values that are told under a name, and those who wait for them; either may come first. */
export class Mailbox<T> {
  readonly #what: string
  readonly #come = new Map<string, T>()
  readonly #waiting = new Map<string, (value: T) => void>()

  constructor(what: string) {
    this.#what = what
  }

  put(id: string, value: T): void {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) this.#come.set(id, value)
    else waiting(value)
  }

  /** Takes the value out. Rejects when it has not come within `timeout` milliseconds. */
  take(id: string, timeout = 60_000): Promise<T> {
    const come = this.#come.get(id)
    this.#come.delete(id)
    if (come !== undefined) return Promise.resolve(come)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id)
        reject(new Error(`${this.#what} did not come within ${timeout} ms`))
      }, timeout)
      this.#waiting.set(id, value => {
        clearTimeout(timer)
        this.#waiting.delete(id)
        resolve(value)
      })
    })
  }

  /** Whether the value has come and was not taken. */
  has(id: string): boolean {
    return this.#come.has(id)
  }
}
