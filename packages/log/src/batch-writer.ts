import type { StoreEvent } from '@sluice/core'
import type { LogClock } from './log-clock.ts'

/**
 * Why rows were lost. `full`: the queue had reached `maxPending` or `maxPendingBytes`. `rejected`: the database refused the row
 * alone, 5 times in a row. `closed`: the log was closed before they were written. `redact_failed`: `redact` of bodies failed.
 */
export type RequestLogLossReason = 'full' | 'rejected' | 'closed' | 'redact_failed'

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

export interface BatchWriterOptions<Item, Row> {
  /** The name of the log in errors. */
  readonly name: string
  /** Writes a batch. It may be called again with the same rows. */
  readonly insert: (rows: readonly Row[]) => Promise<void>
  /** Makes the row of an item, or returns why it is lost. Called beside requests. */
  readonly convert: (item: Item) => { readonly row: Row; readonly bytes: number } | RequestLogLossReason
  /** The size of an item that waits to be converted. Default 0. */
  readonly sizeOf?: (item: Item) => number
  readonly clock: LogClock
  readonly maxPending: number
  readonly maxPendingBytes: number
  /** Maximum size of a batch, unless it has one row. Default: none. */
  readonly maxBatchBytes?: number
  /** Items that become rows without a break: converting them takes the event loop. */
  readonly maxConverted: number
  readonly timeoutMs: number
  /** Called when the database begins to fail, and when it works again. */
  readonly changed: (state: StoreEvent['state'], error: unknown) => void
  readonly lost: (loss: RequestLogLoss) => void
}

interface Sized<Value> {
  readonly value: Value
  readonly bytes: number
}

/** Rows are written so long after the first of them, in ms. */
const gatherMs = 50
const maxBatch = 100
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
 * Writes the rows of requests beside them, one batch at a time. On the path of a request an item is added to a list, and nothing
 * else. While the database fails, rows wait in a bounded queue; those beyond it are counted as lost.
 */
export class BatchWriter<Item, Row> {
  readonly #options: BatchWriterOptions<Item, Row>
  /** Not yet rows. */
  #items: Sized<Item>[] = []
  #rows: Sized<Row>[] = []
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

  constructor(options: BatchWriterOptions<Item, Row>) {
    this.#options = options
  }

  get stats(): RequestLogStats {
    return { written: this.#written, lost: this.#lost, pending: this.#pending }
  }

  get #pending(): number {
    return this.#items.length + this.#rows.length
  }

  /** On the path of a request. */
  add(item: Item): void {
    const { maxPending, maxPendingBytes, sizeOf } = this.#options
    const bytes = sizeOf?.(item) ?? 0
    if (this.#closed) this.#lose('closed', 1)
    else if (this.#pending >= maxPending || this.#bytes + bytes > maxPendingBytes) this.#lose('full', 1)
    else {
      this.#items.push({ value: item, bytes })
      this.#bytes += bytes
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
    this.#items = []
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
    // While a batch is written, or the database fails, further items become rows: an error may hold on to much.
    if (this.#items.length > 0 && this.#cancelWake === undefined) this.#wakeIn(gatherMs)
  }

  #convert(): void {
    const { maxPendingBytes, maxConverted, convert } = this.#options
    for (const { value, bytes: waiting } of this.#items.splice(0, maxConverted)) {
      this.#bytes -= waiting
      const converted = convert(value)
      if (typeof converted === 'string') {
        this.#lose(converted, 1)
        continue
      }
      const { row, bytes } = converted
      if (this.#bytes + bytes > maxPendingBytes) {
        this.#lose('full', 1)
        continue
      }
      this.#rows.push({ value: row, bytes })
      this.#bytes += bytes
    }
  }

  /** Returns the first rows that fit into a batch, at least one. */
  #nextBatch(): readonly Sized<Row>[] {
    const { maxBatchBytes = Number.POSITIVE_INFINITY } = this.#options
    let bytes = 0
    const rest = this.#rows.findIndex((row, index) => {
      bytes += row.bytes
      return index > 0 && bytes > maxBatchBytes
    })
    return this.#rows.slice(0, rest === -1 ? this.#batchSize : Math.min(rest, this.#batchSize))
  }

  async #write(): Promise<void> {
    this.#writing = true
    for (;;) {
      if (this.#rows.length === 0) this.#convert()
      const batch = this.#nextBatch()
      if (batch.length === 0) break
      try {
        await this.#insert(batch.map(({ value }) => value))
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
  #insert(rows: readonly Row[]): Promise<void> {
    const { insert, name, clock, timeoutMs } = this.#options
    return new Promise((resolve, reject) => {
      const timers = [
        clock.setTimer(timeoutMs, () => {
          this.#changeState('failing', new Error(`The ${name} timed out after ${timeoutMs} ms.`))
        }),
        clock.setTimer(Math.max(abandonedMs, timeoutMs), () => {
          reject(new Error(`The ${name} did not respond.`))
        }),
      ]
      const settle = (run: () => void) => {
        for (const cancel of timers) cancel()
        run()
      }
      void (async () => insert(rows))().then(
        () => settle(resolve),
        (error: unknown) => settle(() => reject(error)),
      )
    })
  }

  #succeeded(batch: readonly Sized<Row>[]): void {
    this.#remove(batch)
    this.#written += batch.length
    this.#retryMs = firstRetryMs
    this.#rejections = 0
    this.#batchSize = Math.min(this.#batchSize * 2, maxBatch)
    this.#changeState('working', undefined)
  }

  /** The next batch is smaller: one row that the database refuses must not hold up all others. */
  #failed(error: unknown, batch: readonly Sized<Row>[]): void {
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

  #remove(batch: readonly Sized<Row>[]): void {
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
