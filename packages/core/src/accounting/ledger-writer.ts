import type { Clock } from '../clock/clock.ts'
import { WakeTimer } from '../clock/wake-timer.ts'
import { withTimeout } from '../clock/with-timeout.ts'
import type { LedgerClosing, LedgerEntry } from '../contracts/ledger.ts'
import type { LedgerBatch, LedgerRepository } from '../contracts/ledger-repository.ts'
import { StoreBreaker } from '../stores/store-breaker.ts'
import { StoreClient } from '../stores/store-client.ts'
import { Backlog, batchOf, type Waiting, type WriteListener } from './backlog.ts'
import { type GuardedJournal, JournalError } from './guarded-journal.ts'
import type { Heartbeat } from './heartbeat.ts'
import type { LedgerLosses } from './ledger-losses.ts'
import type { LedgerState } from './ledger-state.ts'

/** Maximum records, and maximum heartbeats, per write. */
const maxBatch = 500
/** The timeout of background writes, in ms: a slow database may still accept them. */
const backgroundTimeoutMs = 5_000
/** The waits before the database is retried, in ms: each is longer, up to the maximum. */
const firstRetryMs = 250
const maxRetryMs = 5_000

export interface LedgerWriterOptions {
  readonly rows: LedgerRepository
  readonly journal: GuardedJournal | undefined
  readonly heartbeat: Heartbeat
  readonly state: LedgerState
  readonly losses: LedgerLosses
  readonly maxPending: number
  readonly timeoutMs: number
  readonly clock: Clock
  /** Called when the database works again. */
  readonly found: () => void
  /** Called when the database has answered and nothing is pending. */
  readonly caughtUp: () => void
}

/**
 * Writes records in batches: the first at once, and those that arrive during a write with the next one. While the database
 * is unavailable they go to the journal, or wait in memory, and the database is retried with backoff.
 *
 * Waiting records are written in order, in parallel with new ones, so that new records do not wait for the journal of an
 * hour. The order in which the parts of a record arrive does not matter.
 */
export class LedgerWriter {
  readonly #options: LedgerWriterOptions
  readonly #calls: StoreClient
  /** Not written yet. */
  readonly #fresh = new Backlog()
  /** Pending in memory until the database is available. */
  readonly #held = new Backlog()
  /** Entries that may have been written although their `open` rejected. */
  readonly #cancelled = new Set<string>()
  readonly #retry: WakeTimer
  #retryMs = firstRetryMs
  #underWay = 0
  #pumping = false
  #recovering = false
  #stopped: Promise<void> | undefined
  #over = false
  #idle: (() => void)[] = []

  constructor(options: LedgerWriterOptions) {
    this.#options = options
    const { timeoutMs, clock } = options
    this.#retry = new WakeTimer({ clock, ring: () => this.#retryWrite(), background: true })
    this.#calls = new StoreClient({
      name: 'database of the ledger',
      timeoutMs,
      probeTimeoutMs: Math.max(timeoutMs, backgroundTimeoutMs),
      clock,
      breaker: new StoreBreaker({
        clock,
        changed: (state, error) => this.#changed(state, error),
        // Pending writes decide when it is retried.
        failuresToOpen: 1,
        windowMs: 0,
        firstProbeMs: 0,
        lastProbeMs: 0,
      }),
    })
    if (this.#journalled) void this.#recover()
  }

  open(entry: LedgerEntry): Promise<void> {
    if (this.#stopped !== undefined) return Promise.reject(new Error('The ledger was stopped.'))
    if (this.#full) return Promise.reject(this.#fullError())
    return new Promise((resolve, reject) => {
      this.#fresh.put({ entry, opened: listener(resolve, reject) })
      void this.#pump()
    })
  }

  close(closing: LedgerClosing): Promise<void> {
    const { entry } = closing
    const backlog = this.#held.has(entry.id) ? this.#held : this.#fresh
    if (!backlog.has(entry.id) && this.#full && !this.#evictEntry()) return this.#lose()
    return new Promise((resolve, reject) => {
      backlog.put({ entry, closing, closed: listener(resolve, reject) })
      void this.#pump()
    })
  }

  /** Removes an entry whose `open` rejected: the write may have succeeded later. */
  cancel({ id }: LedgerEntry): void {
    if (this.#fresh.cancel(id) || this.#held.cancel(id) || this.#over) return
    if (this.#cancelled.size >= this.#options.maxPending) return
    this.#cancelled.add(id)
    if (!this.#pumping) this.#afterwards()
  }

  /** Takes a record that was never opened. It displaces no other, as records of requests go first. */
  keep(closing: LedgerClosing): Promise<void> {
    if (this.#full) return this.#lose()
    return new Promise((resolve, reject) => {
      this.#fresh.put({ entry: closing.entry, closing, closed: listener(resolve, reject) })
      void this.#pump()
    })
  }

  /** Writes the heartbeats, and the journal where it is not empty. */
  beat(): void {
    void this.#pump()
  }

  /** Resolves when everything is written or in the journal, or after 5 seconds. */
  async flush(): Promise<void> {
    if (this.#held.size > 0 || this.#cancelled.size > 0) void this.#recover()
    if (this.#settled) return
    const idle = new Promise<void>(resolve => this.#idle.push(resolve))
    await withTimeout(this.#options.clock, backgroundTimeoutMs, idle, () => undefined)
  }

  stop(): Promise<void> {
    this.#stopped ??= this.flush().then(() => {
      this.#over = true
      this.#retry.clear()
      const error = new Error('The ledger was stopped while its database was unavailable.')
      const lost = this.#held.take(this.#held.size)
      for (const { closed } of lost) closed?.(error)
      this.#options.losses.add('closed', lost.length)
      this.#options.losses.report()
    })
    return this.#stopped
  }

  get #journalled(): boolean {
    const { journal } = this.#options
    return journal !== undefined && !journal.empty
  }

  get #settled(): boolean {
    return !this.#pumping && this.#fresh.size === 0 && this.#held.size === 0 && this.#cancelled.size === 0
  }

  get #full(): boolean {
    return this.#fresh.size + this.#held.size + this.#underWay >= this.#options.maxPending
  }

  #fullError(): Error {
    return new Error(
      `The ledger holds ${this.#options.maxPending} records that wait for its database, which is the maximum (maxPending).`,
    )
  }

  #lose(): Promise<never> {
    this.#options.losses.add('full', 1)
    return Promise.reject(this.#fullError())
  }

  /** A closing goes before an entry, which it contains. */
  #evictEntry(): boolean {
    const entry = this.#held.takeEntry() ?? this.#fresh.takeEntry()
    entry?.opened?.(this.#fullError())
    return entry !== undefined
  }

  async #pump(): Promise<void> {
    if (this.#pumping) return
    this.#pumping = true
    while (this.#fresh.size > 0 || (this.#calls.usable && this.#options.heartbeat.due)) {
      const records = this.#fresh.take(maxBatch)
      this.#underWay = records.length
      await this.#keep(records)
      this.#underWay = 0
    }
    this.#pumping = false
    this.#afterwards()
  }

  async #keep(records: readonly Waiting[]): Promise<void> {
    const { rows, heartbeat, journal } = this.#options
    const { ok } = await this.#calls.call(async () => rows.write(batchOf(records, heartbeat.take(maxBatch))))
    if (ok) {
      this.#retryMs = firstRetryMs
      return notifyStored(records)
    }
    if (journal === undefined) {
      this.#hold(records)
      return
    }
    try {
      if (records.length > 0) await journal.append(batchOf(records, []))
      notifyStored(records)
    } catch (error) {
      this.#refuse(records, error)
    }
  }

  /** Without a journal, what waits in memory counts as stored, except for closings. */
  #hold(records: readonly Waiting[]): void {
    if (this.#over) {
      this.#refuse(records, new Error('The ledger was stopped.'))
      return
    }
    for (const { opened, ...record } of records) {
      this.#held.put(record)
      opened?.()
    }
  }

  /** The journal failed: entries are rejected, as a crash would lose them. Closings wait in memory. */
  #refuse(records: readonly Waiting[], cause: unknown): void {
    const error = cause ?? new Error('The journal of the ledger failed.')
    for (const { opened, ...record } of records) {
      opened?.(error)
      if (this.#over) {
        if (record.closing !== undefined) this.#options.losses.add('closed', 1)
        record.closed?.(error)
      } else if (record.closing !== undefined) this.#held.put(record)
    }
    if (this.#over) this.#options.losses.report()
  }

  #retryWrite(): void {
    this.#retryMs = Math.min(this.#retryMs * 2, maxRetryMs)
    void this.#recover()
  }

  /** Writes what is pending, which shows whether the database works again. One at a time. */
  async #recover(): Promise<void> {
    if (this.#recovering || this.#over) return
    this.#recovering = true
    this.#retry.clear()
    try {
      await this.#replay()
      while (this.#held.size > 0) {
        const records = this.#held.first(maxBatch)
        await this.#writePatiently(batchOf(records, []))
        this.#held.drop(records)
        notifyStored(records)
      }
      while (this.#cancelled.size > 0) {
        const cancelled = [...this.#cancelled].slice(0, maxBatch)
        await this.#writePatiently({ ...batchOf([], []), cancelled })
        for (const id of cancelled) this.#cancelled.delete(id)
      }
      if (!this.#calls.usable) await this.#probe()
    } catch {
      // It is retried.
    }
    this.#recovering = false
    this.#afterwards()
  }

  /** Nothing is pending, or it was written slowly: heartbeats are due, too. */
  async #probe(): Promise<void> {
    const { heartbeat } = this.#options
    do await this.#writePatiently(batchOf([], heartbeat.take(maxBatch)))
    while (!this.#calls.usable && heartbeat.due)
  }

  async #replay(): Promise<void> {
    const { journal, state } = this.#options
    try {
      if (this.#journalled) await journal?.replay(batch => this.#writePatiently(batch))
      state.works('journal')
    } catch (error) {
      if (!(error instanceof JournalError)) throw error
      state.fails('journal', error.cause)
    }
  }

  async #writePatiently(batch: LedgerBatch): Promise<void> {
    if (this.#over) throw new Error('The ledger was stopped.')
    const outcome = await this.#calls.callOrProbe(async () => this.#options.rows.write(batch))
    if (!outcome.ok) throw outcome.error
  }

  #changed(state: 'failing' | 'working', error: unknown): void {
    if (this.#over) return
    if (state === 'failing') {
      this.#options.state.fails('database', error)
      return
    }
    this.#options.state.works('database')
    this.#options.found()
    void this.#pump()
  }

  #afterwards(): void {
    if (this.#settled) for (const resolve of this.#idle.splice(0)) resolve()
    const behind = !this.#calls.usable || this.#held.size > 0 || this.#cancelled.size > 0 || this.#journalled
    if (this.#over || this.#recovering) return
    if (behind) this.#retry.wakeAt(this.#options.clock.monotonic() + this.#retryMs)
    else this.#options.caughtUp()
  }
}

function listener(resolve: () => void, reject: (error: unknown) => void): WriteListener {
  return error => (error === undefined ? resolve() : reject(error))
}

function notifyStored(records: readonly Waiting[]): void {
  for (const { opened, closed } of records) {
    opened?.()
    closed?.()
  }
}
