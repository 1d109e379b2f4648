import type { Clock } from '../clock/clock.ts'
import { WakeTimer } from '../clock/wake-timer.ts'
import type { Claim, LimitStore, Settlement } from '../contracts/limit-store.ts'
import type { StoreClient } from '../stores/store-client.ts'
import type { ActiveClaims, PendingSettlements } from './active-claims.ts'

/** Maximum concurrent settlements. */
const batchSize = 64
const firstRetryMs = 250
const lastRetryMs = 10_000

export interface StoreRecoveryOptions {
  readonly store: LimitStore
  readonly calls: StoreClient
  readonly pending: PendingSettlements
  readonly active: ActiveClaims
  readonly clock: Clock
  /** Returns 32 random hexadecimal digits, for the claims of probes. */
  readonly generateId: () => string
}

/**
 * Probes a failing store, and updates it when it works again: renews active claims and sends pending settlements. All of it
 * runs in the background.
 */
export class StoreRecovery {
  readonly #options: StoreRecoveryOptions
  readonly #timer: WakeTimer
  #working = false
  #retryMs = firstRetryMs

  constructor(options: StoreRecoveryOptions) {
    this.#options = options
    this.#timer = new WakeTimer({ clock: options.clock, ring: () => void this.#work(), background: true })
  }

  /** Schedules the next probe or settlement. */
  plan(): void {
    if (this.#working) return
    const { calls, pending, clock } = this.#options
    if (calls.probeAt !== undefined) this.#timer.wakeAt(calls.probeAt)
    else if (pending.size > 0) this.#timer.wakeAt(clock.monotonic() + this.#retryMs)
  }

  async #work(): Promise<void> {
    const { calls, store, active, pending, clock, generateId } = this.#options
    this.#working = true
    if (!calls.usable) {
      await calls.callOrProbe(async () => store.admit(probeClaim(generateId())))
      if (calls.usable) await active.renewAll()
    }
    const { usable } = calls
    const failed = usable && pending.size > 0 && !(await this.#settleOldest())
    if (failed) this.#retryMs = Math.min(this.#retryMs * 2, lastRetryMs)
    else if (usable) this.#retryMs = firstRetryMs
    this.#working = false
    if (usable && !failed && pending.size > 0) this.#timer.wakeAt(clock.monotonic())
    else this.plan()
  }

  /** Sends the oldest settlements. Returns whether the store accepted all. */
  async #settleOldest(): Promise<boolean> {
    const taken = await Promise.all(
      this.#options.pending.next(batchSize).map(settlement => this.#settle(settlement)),
    )
    return taken.every(Boolean)
  }

  async #settle(settlement: Settlement): Promise<boolean> {
    const { calls, store, pending } = this.#options
    try {
      const { ok } = await calls.call(() => store.settle(settlement))
      if (ok) pending.remove(settlement.id)
      else pending.postpone(settlement.id)
      return ok
    } catch {
      // The store rejects it as invalid, and always would.
      pending.remove(settlement.id)
      return true
    }
  }
}

/** Takes one of a billion from its own counter, so that the probe also fails if the store is read-only. */
function probeClaim(id: string): Claim {
  const counter = {
    kind: 'rate',
    key: 'probe',
    limit: 1_000_000_000,
    windowMs: 1_000,
    amount: 1,
    dryRun: true,
  } as const
  return { id, ttlMs: 1_000, counters: [counter] }
}
