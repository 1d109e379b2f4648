import { Lifetime } from '../../http/lifetime.ts'

/** How many mirrored calls of one gateway run at once. */
export const maxShadows = 100

/** Lifetimes that `close` waits for. */
interface Running {
  readonly size: number
  add(lifetime: Lifetime): void
  delete(lifetime: Lifetime): void
}

/** The mirrored calls of a gateway, which may outlive their requests. `close` waits for them, and then aborts them. */
export class RunningShadows {
  readonly #running: Running
  readonly #began: () => void
  readonly #over: () => void

  /** `began` and `over` are called for each call: the options that it began with are in use meanwhile. */
  constructor(running: Running, began: () => void = () => {}, over: () => void = () => {}) {
    this.#running = running
    this.#began = began
    this.#over = over
  }

  /** Returns the lifetime of a call, to pass to `end`, or `undefined` if there are too many. */
  begin(): Lifetime | undefined {
    if (this.#running.size >= maxShadows) return undefined
    const lifetime = new Lifetime(new AbortController().signal)
    this.#running.add(lifetime)
    this.#began()
    return lifetime
  }

  end(lifetime: Lifetime): void {
    lifetime.release()
    this.#running.delete(lifetime)
    this.#over()
  }
}
