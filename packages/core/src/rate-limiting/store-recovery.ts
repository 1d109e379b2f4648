import type { Clock } from '../clock/clock.ts'
import { WakeTimer } from '../clock/wake-timer.ts'
import type { Claim, LimitStore, Settlement } from '../contracts/limit-store.ts'
import { freshId } from '../primitives/random.ts'
import type { StoreClient } from '../stores/store-client.ts'
import type { ActiveClaims, PendingSettlements } from './active-claims.ts'

/** How many settlements are handed over at once. */
const batchSize = 64
const firstRetryMs = 250
const lastRetryMs = 10_000

/** What is repaired, and with what. */
export interface StoreRepairOptions {
  readonly store: LimitStore
  readonly calls: StoreClient
  readonly unsettled: PendingSettlements
  readonly held: ActiveClaims
  readonly clock: Clock
}

/**
 * Probes a store that fails, and brings it up to date when it works again: what is held is renewed, and what waits to
 * be settled is handed over. No request waits for any of it.
 */
export class StoreRecovery {
  readonly #options: StoreRepairOptions
  readonly #timer: WakeTimer
  #working = false
  #retryMs = firstRetryMs

  constructor(options: StoreRepairOptions) {
    this.#options = options
    this.#timer = new WakeTimer({ clock: options.clock, ring: () => void this.#work(), background: true })
  }

  /** Something is to be done when its time has come. */
  plan(): void {
    if (this.#working) return
    const { calls, unsettled, clock } = this.#options
    if (calls.probeAt !== undefined) this.#timer.wakeAt(calls.probeAt)
    else if (unsettled.size > 0) this.#timer.wakeAt(clock.monotonic() + this.#retryMs)
  }

  async #work(): Promise<void> {
    const { calls, store, held, unsettled, clock } = this.#options
    this.#working = true
    if (!calls.usable) {
      await calls.askOrProbe(async () => store.admit(probeClaim()))
      if (calls.usable) await held.renewAll()
    }
    const { usable } = calls
    const failed = usable && unsettled.size > 0 && !(await this.#handOver())
    if (failed) this.#retryMs = Math.min(this.#retryMs * 2, lastRetryMs)
    else if (usable) this.#retryMs = firstRetryMs
    this.#working = false
    if (usable && !failed && unsettled.size > 0) this.#timer.wakeAt(clock.monotonic())
    else this.plan()
  }

  /** Hands over what waits longest. Says whether all of it was taken. */
  async #handOver(): Promise<boolean> {
    const taken = await Promise.all(
      this.#options.unsettled.next(batchSize).map(settlement => this.#settle(settlement)),
    )
    return taken.every(Boolean)
  }

  async #settle(settlement: Settlement): Promise<boolean> {
    const { calls, store, unsettled } = this.#options
    try {
      const { ok } = await calls.ask(() => store.settle(settlement))
      if (ok) unsettled.remove(settlement.id)
      else unsettled.postpone(settlement.id)
      return ok
    } catch {
      // The store cannot make sense of it, and never will.
      unsettled.remove(settlement.id)
      return true
    }
  }
}

/** Takes one of a billion of a count of its own: a store that can be read and not be written fails at it too. */
function probeClaim(): Claim {
  const counter = {
    kind: 'rate',
    key: 'probe',
    limit: 1_000_000_000,
    windowMs: 1_000,
    amount: 1,
    dryRun: true,
  } as const
  return { id: freshId(), ttlMs: 1_000, counters: [counter] }
}
