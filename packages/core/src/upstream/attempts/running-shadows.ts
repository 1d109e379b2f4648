import { Lifetime } from '../../http/lifetime.ts'

/** So many shadows of one gateway are asked at once. */
export const maxShadows = 100

/** What runs, and has to be waited for. */
interface Running {
  readonly size: number
  add(lifetime: Lifetime): void
  delete(lifetime: Lifetime): void
}

/** Calls that go on beside their requests, and after them: the end of the gateway waits for them, and cuts them off. */
export class RunningShadows {
  readonly #running: Running
  readonly #began: () => void
  readonly #over: () => void

  /** `began` and `over` are called for each life: what it was begun with is in use meanwhile. */
  constructor(running: Running, began: () => void = () => {}, over: () => void = () => {}) {
    this.#running = running
    this.#began = began
    this.#over = over
  }

  /** A life that `end` has to be told of; `undefined` where there are too many. */
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
