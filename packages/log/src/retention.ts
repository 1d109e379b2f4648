import type { RequestLogCapacity, RequestLogRepository } from '@sluice/core/store'
import type { LogClock } from './log-clock.ts'

/** How long rows are stored, and how many. */
export interface RequestLogRetention extends RequestLogCapacity {
  /** Rows that are older are deleted, in milliseconds. Default 30 days; `null`: no maximum age. */
  readonly maxAgeMs?: number | null | undefined
}

export const defaultMaxAgeMs = 30 * 86_400_000

/** A table whose rows are deleted. `excessBefore` is needed for `maxRows` and `maxBytes` only. */
type RetainedRows = Pick<RequestLogRepository, 'deleteBefore'> &
  Partial<Pick<RequestLogRepository, 'excessBefore'>>

/** The first deletion is soon after the start, as a process may not live until the next one. */
const firstMs = 10_000
const intervalMs = 600_000

/** Deletes rows that are too old or too many, while the process runs. Several processes may do so for one database. */
export class Retention {
  readonly #repository: RetainedRows
  readonly #limits: RequestLogRetention
  readonly #clock: LogClock
  readonly #failed: (error: unknown) => void
  #cancel: () => void
  #running: Promise<number> | undefined
  #stopped = false

  constructor(
    repository: RetainedRows,
    limits: RequestLogRetention,
    clock: LogClock,
    failed: (error: unknown) => void,
  ) {
    this.#repository = repository
    this.#limits = limits
    this.#clock = clock
    this.#failed = failed
    this.#cancel = clock.setTimer(firstMs, () => this.#sweep())
  }

  /** Deletes now, and resolves to the number of deleted rows. */
  run(): Promise<number> {
    this.#running ??= this.#delete().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  stop(): void {
    this.#stopped = true
    this.#cancel()
  }

  #sweep(): void {
    void this.run()
      .catch(this.#failed)
      .then(() => {
        if (!this.#stopped) this.#cancel = this.#clock.setTimer(intervalMs, () => this.#sweep())
      })
  }

  async #delete(): Promise<number> {
    const { maxAgeMs, maxRows, maxBytes } = this.#limits
    let deleted = 0
    if (maxAgeMs !== null) {
      deleted += await this.#repository.deleteBefore(this.#clock.now() - (maxAgeMs ?? defaultMaxAgeMs))
    }
    if (maxRows !== undefined || maxBytes !== undefined) {
      const before = await this.#repository.excessBefore?.({ maxRows, maxBytes })
      if (before !== undefined) deleted += await this.#repository.deleteBefore(before)
    }
    return deleted
  }
}
