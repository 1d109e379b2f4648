/** A JSON Schema for which the local provider can make no value. The message says where and why. */
export class Unsatisfiable extends Error {
  /** Whether another attempt may still find one. */
  readonly final: boolean

  constructor(path: string, reason: string, final = false) {
    super(`In context=(${path.slice(0, 200)}), ${reason}.`)
    this.name = 'Unsatisfiable'
    this.final = final
  }
}

/** Bounds the work that one schema can cause. */
export class Budget {
  #left: number

  constructor(steps: number) {
    this.#left = steps
  }

  /** Takes a step, or several. Throws `Unsatisfiable` when none are left. */
  spend(path: string, steps = 1): void {
    this.#left -= steps
    if (this.#left < 0)
      throw new Unsatisfiable(path, 'the schema takes more work than the local provider does for one', true)
  }
}

/** Whether a failure leaves other attempts to be made. */
export function canTryOn(error: unknown): boolean {
  return error instanceof Unsatisfiable && !error.final
}
