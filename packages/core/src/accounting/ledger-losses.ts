import type { Clock } from '../clock/clock.ts'
import { WakeTimer } from '../clock/wake-timer.ts'
import type { LedgerRecordsLostEvent, Observer } from '../contracts/events.ts'

type Reason = LedgerRecordsLostEvent['reason']

/** In milliseconds. */
const reportMs = 1_000

/** Counts the records that a ledger has lost. Reports them at most once per second. */
export class LedgerLosses {
  readonly #observe: Observer
  readonly #clock: Clock
  readonly #records = new Map<Reason, number>()
  readonly #timer: WakeTimer

  /** `observe` must not throw. */
  constructor(observe: Observer, clock: Clock) {
    this.#observe = observe
    this.#clock = clock
    this.#timer = new WakeTimer({ clock, ring: () => this.report(), background: true })
  }

  add(reason: Reason, records: number): void {
    if (records === 0) return
    this.#records.set(reason, (this.#records.get(reason) ?? 0) + records)
    this.#timer.wakeAt(this.#clock.monotonic() + reportMs)
  }

  /** Reports at once what was lost since the last report. */
  report(): void {
    this.#timer.clear()
    const losses = [...this.#records]
    this.#records.clear()
    for (const [reason, records] of losses) this.#observe({ type: 'ledger_records_lost', records, reason })
  }
}
