/** SIGHUP of this process, from the moment that it is created. */
export class ReloadSignal {
  #reload: (() => unknown) | undefined
  #isPending = false
  readonly #listener = () => {
    if (this.#reload === undefined) this.#isPending = true
    else void this.#reload()
  }

  constructor() {
    process.on('SIGHUP', this.#listener)
  }

  /** Calls `reload` at each signal from now on, and once now if there were signals before. */
  connect(reload: () => unknown): void {
    this.#reload = reload
    if (this.#isPending) void reload()
  }

  close(): void {
    process.off('SIGHUP', this.#listener)
  }
}
