import { setTimeout as sleep } from 'node:timers/promises'

const tickMs = 10

/** Begins jobs at a steady pace, as long as no more than `most` run at once. */
export class Load {
  readonly #perTick: number
  readonly #next: () => (() => Promise<void>) | undefined
  readonly #most: number
  readonly #running = new Set<Promise<void>>()
  #timer: ReturnType<typeof setInterval> | undefined
  #due = 0

  /** `next` gives the next job, or `undefined` when there is none any more. */
  constructor(perSecond: number, next: () => (() => Promise<void>) | undefined, most = 64) {
    this.#perTick = (perSecond * tickMs) / 1_000
    this.#next = next
    this.#most = most
  }

  start(): void {
    this.#timer ??= setInterval(() => {
      this.#due = Math.min(this.#due + this.#perTick, this.#most)
      while (this.#due >= 1 && this.#running.size < this.#most && this.#begin()) this.#due--
    }, tickMs)
  }

  /** Begins no more, and resolves when all that run have ended. */
  async pause(): Promise<void> {
    clearInterval(this.#timer)
    this.#timer = undefined
    await Promise.all(this.#running)
  }

  /** Does all that is left, as fast as it goes. */
  async finish(most = 16): Promise<void> {
    await this.pause()
    while (this.#begin()) {
      while (this.#running.size >= most) await Promise.race(this.#running)
      await sleep(1)
    }
    await Promise.all(this.#running)
  }

  #begin(): boolean {
    const job = this.#next()
    if (job === undefined) return false
    const running = job().finally(() => this.#running.delete(running))
    this.#running.add(running)
    return true
  }
}
