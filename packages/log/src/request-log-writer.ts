import type { EndEvent, StoreEvent } from '@sluice/core'
import type { LoggedRequest, RequestLogRepository } from '@sluice/core/store'
import type { LogClock } from './log-clock.ts'
import { loggedRequest } from './logged-request.ts'

/**
 * Why rows were lost. `full`: the queue had reached `maxPending` or `maxPendingBytes`. `rejected`: the database refused the row
 * alone, 5 times in a row. `closed`: the log was closed before they were written.
 */
export type RequestLogLossReason = 'full' | 'rejected' | 'closed'

/** Rows that the log has lost since the last report. */
export interface RequestLogLoss {
  readonly reason: RequestLogLossReason
  readonly rows: number
}

/** Counts of a request log since it was created. */
export interface RequestLogStats {
  readonly written: number
  readonly lost: number
  /** Rows that wait for the database. */
  readonly pending: number
}

export interface RequestLogWriterOptions {
  readonly repository: RequestLogRepository
  readonly clock: LogClock
  readonly maxPending: number
  readonly maxPendingBytes: number
  readonly timeoutMs: number
  readonly errorMessages: boolean
  /** Called when the database begins to fail, and when it works again. */
  readonly changed: (state: StoreEvent['state'], error: unknown) => void
  readonly lost: (loss: RequestLogLoss) => void
}

interface PendingRow {
  readonly row: LoggedRequest
  readonly bytes: number
}

/** Rows are written so long after the first of them, in ms. */
const gatherMs = 50
const maxBatch = 100
/** Events that become rows without a break, as some 5 µs of the event loop go to each. */
const maxConverted = 200
/** Wait before the database is retried, in ms: each is longer, up to the maximum. */
const firstRetryMs = 250
const maxRetryMs = 5_000
/** A call that has not settled for so long is given up, in ms. Until then there is no other: each may hold a connection. */
const abandonedMs = 60_000
const maxRejections = 5
const lossReportMs = 1_000
/** Longest wait of `flush`, in ms. */
const flushMs = 5_000

/**
 * Writes the rows of requests beside them, one batch at a time. On the path of a request an event is added to a list, and nothing
 * else. While the database fails, rows wait in a bounded queue; those beyond it are counted as lost.
 */
export class RequestLogWriter {
  readonly #options: RequestLogWriterOptions
  /** Not yet rows. */
  #events: EndEvent[] = []
  #rows: PendingRow[] = []
  #bytes = 0
  #written = 0
  #lost = 0
  readonly #losses = new Map<RequestLogLossReason, number>()
  #cancelReport: (() => void) | undefined
  #cancelWake: (() => void) | undefined
  #writing = false
  #waitsForRetry = false
  #failing = false
  #retryMs = firstRetryMs
  #batchSize = maxBatch
  #rejections = 0
  #closed = false
  #idle: (() => void)[] = []

  constructor(options: RequestLogWriterOptions) {
    this.#options = options
  }

  get stats(): RequestLogStats {
    return { written: this.#written, lost: this.#lost, pending: this.#pending }
  }

  get #pending(): number {
    return this.#events.length + this.#rows.length
  }

  /** On the path of a request. */
  add(event: EndEvent): void {
    if (this.#closed) this.#lose('closed', 1)
    else if (this.#pending >= this.#options.maxPending) this.#lose('full', 1)
    else {
      this.#events.push(event)
      if (this.#cancelWake === undefined) this.#wakeIn(gatherMs)
    }
  }

  /** Resolves when everything is written, or after 5 seconds. */
  flush(): Promise<void> {
    if (this.#pending === 0) return Promise.resolve()
    this.#waitsForRetry = false
    this.#wakeIn(0)
    return new Promise(resolve => {
      const cancel = this.#options.clock.setTimer(flushMs, resolve)
      this.#idle.push(() => {
        cancel()
        resolve()
      })
    })
  }

  /** Flushes and stops. What is not written is lost. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.flush()
    this.#cancelWake?.()
    this.#cancelWake = undefined
    if (this.#pending > 0) this.#lose('closed', this.#pending)
    this.#events = []
    this.#rows = []
    this.#bytes = 0
    this.#report()
  }

  #wakeIn(ms: number): void {
    this.#cancelWake?.()
    this.#cancelWake = this.#options.clock.setTimer(ms, () => {
      this.#cancelWake = undefined
      this.#wake()
    })
  }

  #wake(): void {
    this.#convert()
    if (!this.#writing && !this.#waitsForRetry) void this.#write()
    // While a batch is written, or the database fails, further events become rows: an error may hold on to much.
    if (this.#events.length > 0 && this.#cancelWake === undefined) this.#wakeIn(gatherMs)
  }

  #convert(): void {
    const { maxPendingBytes, errorMessages } = this.#options
    for (const event of this.#events.splice(0, maxConverted)) {
      const row = loggedRequest(event, errorMessages)
      const bytes = JSON.stringify(row).length
      if (this.#bytes + bytes > maxPendingBytes) {
        this.#lose('full', 1)
        continue
      }
      this.#rows.push({ row, bytes })
      this.#bytes += bytes
    }
  }

  async #write(): Promise<void> {
    this.#writing = true
    for (;;) {
      if (this.#rows.length === 0) this.#convert()
      const batch = this.#rows.slice(0, this.#batchSize)
      if (batch.length === 0) break
      try {
        await this.#insert(batch.map(({ row }) => row))
      } catch (error) {
        this.#failed(error, batch)
        break
      }
      this.#succeeded(batch)
    }
    this.#writing = false
    if (this.#pending === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }

  /** Rejects with the error of the database. A call that takes longer than `timeoutMs` is reported, and waited for. */
  #insert(rows: readonly LoggedRequest[]): Promise<void> {
    const { repository, clock, timeoutMs } = this.#options
    return new Promise((resolve, reject) => {
      const timers = [
        clock.setTimer(timeoutMs, () => {
          this.#changeState('failing', new Error(`The request log timed out after ${timeoutMs} ms.`))
        }),
        clock.setTimer(Math.max(abandonedMs, timeoutMs), () => {
          reject(new Error('The request log did not respond.'))
        }),
      ]
      const settle = (run: () => void) => {
        for (const cancel of timers) cancel()
        run()
      }
      void (async () => repository.insert(rows))().then(
        () => settle(resolve),
        (error: unknown) => settle(() => reject(error)),
      )
    })
  }

  #succeeded(batch: readonly PendingRow[]): void {
    this.#remove(batch)
    this.#written += batch.length
    this.#retryMs = firstRetryMs
    this.#rejections = 0
    this.#batchSize = Math.min(this.#batchSize * 2, maxBatch)
    this.#changeState('working', undefined)
  }

  /** The next batch is smaller: one row that the database refuses must not hold up all others. */
  #failed(error: unknown, batch: readonly PendingRow[]): void {
    this.#changeState('failing', error)
    if (batch.length === 1) this.#rejections += 1
    this.#batchSize = Math.max(Math.floor(batch.length / 2), 1)
    if (this.#rejections >= maxRejections) {
      this.#rejections = 0
      this.#remove(batch)
      this.#lose('rejected', batch.length)
    }
    this.#waitsForRetry = true
    this.#options.clock.setTimer(this.#retryMs, () => {
      this.#waitsForRetry = false
      if (!this.#writing) void this.#write()
    })
    this.#retryMs = Math.min(this.#retryMs * 2, maxRetryMs)
  }

  #remove(batch: readonly PendingRow[]): void {
    // After `close` the queue may have been given up.
    if (this.#rows[0] !== batch[0]) return
    this.#rows.splice(0, batch.length)
    for (const { bytes } of batch) this.#bytes -= bytes
  }

  #changeState(state: StoreEvent['state'], error: unknown): void {
    const failing = state === 'failing'
    if (failing === this.#failing) return
    this.#failing = failing
    this.#options.changed(state, error)
  }

  #lose(reason: RequestLogLossReason, rows: number): void {
    this.#lost += rows
    this.#losses.set(reason, (this.#losses.get(reason) ?? 0) + rows)
    this.#cancelReport ??= this.#options.clock.setTimer(lossReportMs, () => this.#report())
  }

  #report(): void {
    this.#cancelReport?.()
    this.#cancelReport = undefined
    const losses = [...this.#losses]
    this.#losses.clear()
    for (const [reason, rows] of losses) this.#options.lost({ reason, rows })
  }
}
