import type { Alert } from './alert.ts'

/** An alert that this process sent, and whether it was delivered. */
export interface RecentAlert {
  readonly alert: Alert
  /**
   * `sending`: it is on its way. `delivered`: a webhook has accepted it. `failed`: all webhooks have failed. `no_webhooks`: there
   * are none to send it to.
   */
  readonly delivery: 'sending' | 'delivered' | 'failed' | 'no_webhooks'
  /** Number of webhooks it is sent to. */
  readonly webhooks: number
  /** Why webhooks did not accept it, one reason for each. They hold no URL, no secret and no text of a receiver. */
  readonly failures: readonly string[]
}

/** The latest alerts of a process, at most `max`: beyond it the oldest is removed. */
export class RecentAlerts {
  readonly #max: number
  /** By id, oldest first. */
  readonly #entries = new Map<string, RecentAlert>()

  constructor(max: number) {
    this.#max = max
  }

  /** Adds an alert that is sent to so many webhooks. */
  add(alert: Alert, webhooks: number): void {
    const delivery = webhooks === 0 ? 'no_webhooks' : 'sending'
    this.#entries.set(alert.id, { alert, delivery, webhooks, failures: [] })
    if (this.#entries.size <= this.#max) return
    const oldest = this.#entries.keys().next()
    if (oldest.done !== true) this.#entries.delete(oldest.value)
  }

  /** Records the reasons of the webhooks that did not accept an alert. Does nothing if it was removed, or has no webhooks. */
  settle(id: string, failures: readonly string[]): void {
    const entry = this.#entries.get(id)
    if (entry === undefined || entry.webhooks === 0) return
    const delivery = failures.length < entry.webhooks ? 'delivered' : 'failed'
    this.#entries.set(id, { ...entry, delivery, failures })
  }

  /** Returns a copy of the list, newest first. */
  list(): readonly RecentAlert[] {
    return [...this.#entries.values()].reverse()
  }
}
