/** What was opened, to be closed in the opposite order. */
export class Closing {
  readonly #steps: (() => Promise<unknown>)[] = []

  add(step: () => Promise<unknown>): void {
    this.#steps.push(step)
  }

  /** Closes all of it, whatever fails on the way; then rejects with the first failure. */
  async run(): Promise<void> {
    const failures: unknown[] = []
    for (const step of this.#steps.splice(0).reverse()) {
      await step().catch((error: unknown) => failures.push(error))
    }
    if (failures.length > 0) throw failures[0]
  }
}
