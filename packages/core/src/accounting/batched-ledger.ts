import { type Clock, expectedClock, isClock, maxTimerMs, systemClock, type Timer } from '../clock/clock.ts'
import type { Observer } from '../contracts/events.ts'
import type { Journal } from '../contracts/journal.ts'
import type { Ledger, LedgerClosing, LedgerEntry } from '../contracts/ledger.ts'
import type { LedgerRepository } from '../contracts/ledger-repository.ts'
import type { PrincipalId } from '../contracts/principal.ts'
import { safeObserver } from '../observability/observers.ts'
import { ownMembers } from '../primitives/own-members.ts'
import { GuardedJournal } from './guarded-journal.ts'
import { Heartbeat } from './heartbeat.ts'
import { LedgerLosses } from './ledger-losses.ts'
import { LedgerState } from './ledger-state.ts'
import { LedgerWriter } from './ledger-writer.ts'
import { OrphanSweep } from './orphan-sweep.ts'

/** Options of `batchedLedger`. */
export interface BatchedLedgerOptions {
  /**
   * Stores records on disk while the database is unavailable. Without a journal they wait in memory: requests continue, and a
   * crash loses the records.
   */
  readonly journal?: Journal | undefined
  /** Called when the database begins to fail, and when it works again. */
  readonly observe?: Observer | undefined
  /**
   * Maximum records that wait in memory. Default 10,000. Beyond that, new entries are rejected. A closing contains its entry
   * and replaces it. Closings are lost only if closings alone reach the maximum.
   */
  readonly maxPending?: number | undefined
  /**
   * How often open records get a heartbeat, in milliseconds: a sign that their process is alive, with their usage so far.
   * Default 5,000.
   */
  readonly heartbeatMs?: number | undefined
  /**
   * Milliseconds without a heartbeat after which an open record is an orphan of a crashed process, and is closed as `lost`: at
   * least twice `heartbeatMs`. Default 30,000.
   */
  readonly silentMs?: number | undefined
  /** The timeout of a database call, in milliseconds. Default 250. */
  readonly timeoutMs?: number | undefined
  /** Reads the time and sets timers, such as the virtual clock of a simulation. Default: the system clock. */
  readonly clock?: Clock | undefined
}

/** A ledger that can be stopped: it writes what is pending and ends its timers. */
export interface BatchedLedger extends Ledger {
  open(...given: Parameters<Ledger['open']>): Promise<void>
  close(closing: LedgerClosing): Promise<void>
  cancel(entry: LedgerEntry): Promise<void>
  recordDiscarded(closing: LedgerClosing): Promise<void>
  /** Resolves when everything is written or in the journal; while the database is unavailable, after 5 seconds. */
  flush(): Promise<void>
  /**
   * Deletes all records of a principal, those that are pending too. Absent if the repository cannot. A request that is in
   * flight has its record again when it ends, and so does what still waits in a journal. Rejects while the database is
   * unavailable.
   */
  deletePrincipal?(principal: PrincipalId): Promise<number>
  /** Flushes and stops: no further record can be opened. Safe to call twice. */
  stop(): Promise<void>
}

const defaults = { maxPending: 10_000, heartbeatMs: 5_000, silentMs: 30_000, timeoutMs: 250 }

/**
 * Creates a ledger over a database that writes records in batches. While the database is unavailable they go to the
 * journal, and are written when it is back. A record is stored once, even if parts of it are written twice. Records that
 * a crash left open are closed. Throws `TypeError` for invalid options.
 */
export function batchedLedger(rows: LedgerRepository, given: BatchedLedgerOptions = {}): BatchedLedger {
  const options = typeof given === 'object' && given !== null ? ownMembers(given) : given
  const fault = argumentIssue(rows, options)
  if (fault !== undefined) throw new TypeError(`batchedLedger: ${fault}`)
  const { journal, maxPending = defaults.maxPending, heartbeatMs = defaults.heartbeatMs } = options
  const { silentMs = defaults.silentMs, timeoutMs = defaults.timeoutMs, clock = systemClock } = options
  const observe = safeObserver(options.observe)
  const state = new LedgerState(observe)
  const heartbeat = new Heartbeat()
  const sweep = new OrphanSweep(rows, silentMs, state, clock)
  let timer: Timer | undefined
  let stopped = false

  const writer = new LedgerWriter({
    rows,
    journal: journal && new GuardedJournal(journal, clock),
    heartbeat,
    state,
    losses: new LedgerLosses(observe, clock),
    maxPending,
    timeoutMs,
    clock,
    found: () => {
      sweep.postpone()
      heartbeat.beat()
    },
    caughtUp: () => {
      if (stopped) return
      sweep.run()
      if (sweep.owed) schedule()
    },
  })
  const tick = () => {
    timer = undefined
    heartbeat.beat()
    writer.beat()
    if (heartbeat.size > 0 || sweep.owed) schedule()
  }
  const schedule = () => {
    if (timer === undefined && !stopped) timer = clock.setTimer(heartbeatMs, tick).unref()
  }
  const use = () => {
    sweep.use()
    schedule()
  }

  return {
    async open(entry, progress) {
      use()
      heartbeat.begin(entry.id, progress)
      try {
        await writer.open(entry)
      } catch (error) {
        heartbeat.end(entry.id)
        throw error
      }
    },
    close(closing) {
      use()
      heartbeat.end(closing.entry.id)
      return writer.close(closing)
    },
    async cancel(entry) {
      heartbeat.end(entry.id)
      writer.cancel(entry)
    },
    recordDiscarded(closing) {
      use()
      return writer.keep(closing)
    },
    flush: () => writer.flush(),
    ...(hasMethods(rows, 'deletePrincipal') && {
      deletePrincipal: async (principal: PrincipalId) => {
        await writer.flush()
        return rows.deletePrincipal!(principal)
      },
    }),
    stop() {
      stopped = true
      timer?.cancel()
      return writer.stop()
    },
  }
}

function argumentIssue(rows: LedgerRepository, options: BatchedLedgerOptions): string | undefined {
  if (!hasMethods(rows, 'write', 'closeOrphans'))
    return 'rows: expected an object with write and closeOrphans.'
  if (typeof options !== 'object' || options === null)
    return `the options: got ${String(options)}, expected an object.`
  const { journal, observe, maxPending, heartbeatMs, silentMs, timeoutMs, clock } = options
  if (journal !== undefined && !hasMethods(journal, 'append', 'replay')) {
    return 'journal: expected an object with append and replay.'
  }
  if (observe !== undefined && typeof observe !== 'function') {
    return `observe: got ${String(observe)}, expected a function.`
  }
  if (clock !== undefined && !isClock(clock)) return `clock: expected ${expectedClock}.`
  if (maxPending !== undefined && !(Number.isSafeInteger(maxPending) && maxPending >= 1)) {
    return `maxPending: got ${String(maxPending)}, expected a whole number from 1.`
  }
  for (const [name, ms] of Object.entries({ heartbeatMs, silentMs, timeoutMs })) {
    if (ms !== undefined && !(typeof ms === 'number' && ms > 0 && ms <= maxTimerMs)) {
      return `${name}: got ${String(ms)}, expected milliseconds above 0, at most ${maxTimerMs}.`
    }
  }
  const beat = heartbeatMs ?? defaults.heartbeatMs
  const silent = silentMs ?? defaults.silentMs
  return silent < 2 * beat
    ? `silentMs: got ${silent}, expected at least twice heartbeatMs (${beat}): what lives would count as lost.`
    : undefined
}

function hasMethods(value: unknown, ...names: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false
  return names.every(name => typeof (value as Record<string, unknown>)[name] === 'function')
}
