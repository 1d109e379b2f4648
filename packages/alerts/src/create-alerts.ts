import { randomUUID } from 'node:crypto'
import type { Observer } from '@sluice/core'
import { followedCacheStore, memoryCacheStore } from '@sluice/core/store'
import { type Alert, alertText } from './alert.ts'
import { AlertClaims } from './alert-claims.ts'
import { systemClock } from './alerts-clock.ts'
import { type AlertFailure, type AlertsOptions, checkAlertsOptions } from './alerts-options.ts'
import { type Occurrence, Occurrences } from './occurrences.ts'
import { type RecentAlert, RecentAlerts } from './recent-alerts.ts'
import { Recoveries } from './recoveries.ts'
import { TimedStore } from './timed-store.ts'
import { DeliveryError, Webhook } from './webhook.ts'

/** Alerts of a gateway. */
export interface Alerts {
  /** Pass it to the gateway as `observe`, and to `limits` if that has a store. It never waits, and never throws. */
  readonly observe: Observer
  /** Returns the latest 100 alerts that this process sent, newest first. Other processes have their own. */
  recent(): readonly RecentAlert[]
  /** Resolves when nothing is being sent, or after 5 seconds. */
  flush(): Promise<void>
  /** Flushes, cuts off what is still being sent, and stops. Close the gateway before it. Safe to call twice. */
  close(): Promise<void>
}

const flushMs = 5_000
/** Long enough for a new connection on a busy machine, and shorter than a flush. */
const storeTimeoutMs = 3_000
/** The time for all attempts of one alert, with some to spare. */
const defaultDeadlineMs = 60_000
/** How many alerts are sent at the same time. */
const maxSending = 4
const maxRecent = 100

/**
 * Creates alerts: of budgets, error rate, latency and targets that are down, and of their recovery. Each is sent once per threshold
 * and window, by one of all processes that share a `store`. A webhook that fails never costs a request.
 *
 * Throws `ConfigurationError` that lists all invalid options.
 */
export function createAlerts(options: AlertsOptions): Alerts {
  checkAlertsOptions(options)
  return new GatewayAlerts(options)
}

class GatewayAlerts implements Alerts {
  readonly #options: AlertsOptions
  readonly #clock = systemClock
  readonly #webhooks: readonly Webhook[]
  readonly #claims: AlertClaims
  readonly #recent = new RecentAlerts(maxRecent)
  readonly #recoveries: Recoveries
  readonly #occurrences: Occurrences
  readonly #queue: Occurrence[] = []
  /** The keys of `#queue`. */
  readonly #queued = new Set<string>()
  readonly #sending = new Set<Promise<void>>()
  /** By subject, alerts that a recovery must not overtake. */
  readonly #alertsSending = new Map<string, Promise<void>>()
  #closed = false

  constructor(options: AlertsOptions) {
    const { webhooks = [], store = followedCacheStore(memoryCacheStore()) } = options
    this.#options = options
    this.#webhooks = webhooks.map(each => new Webhook(each, this.#clock, Math.random))
    const deadlines = webhooks.map(({ deadlineMs = defaultDeadlineMs }) => deadlineMs)
    const shared = {
      store: new TimedStore(store, this.#clock, storeTimeoutMs),
      sendingMs: Math.max(defaultDeadlineMs, ...deadlines) + 10_000,
      onStoreFailure: () => this.#failed({ kind: 'store', reason: 'The store of alerts does not respond.' }),
    }
    this.#claims = new AlertClaims({ ...shared, clock: this.#clock, retryMs: 60_000 })
    this.#recoveries = new Recoveries(shared)
    this.#occurrences = new Occurrences(options, () => this.#clock.now())
  }

  readonly observe: Observer = event => {
    if (this.#closed) return
    for (const occurrence of this.#occurrences.of(event)) this.#add(occurrence)
  }

  recent(): readonly RecentAlert[] {
    return this.#recent.list()
  }

  async flush(): Promise<void> {
    let isLate = false
    let cancel = () => {}
    const late = new Promise<void>(resolve => {
      cancel = this.#clock.setTimer(flushMs, () => {
        isLate = true
        resolve()
      })
    })
    while (!isLate && this.#sending.size > 0) await Promise.race([late, ...this.#sending])
    cancel()
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.flush()
    for (const { incident } of this.#queue.splice(0))
      this.#failed({ kind: incident.kind, reason: 'It was closed before the alert was sent.' })
    for (const webhook of this.#webhooks) webhook.close()
    await Promise.all(this.#sending)
  }

  #add(occurrence: Occurrence): void {
    const { key, incident } = occurrence
    if (this.#claims.isKnown(key) || this.#queued.has(key)) return
    if (this.#queue.length >= (this.#options.maxQueued ?? 1_000)) {
      this.#failed({ kind: incident.kind, reason: 'Too many alerts wait to be sent.' })
      return
    }
    this.#queue.push(occurrence)
    this.#queued.add(key)
    this.#next()
  }

  #next(): void {
    if (this.#sending.size >= maxSending) return
    const occurrence = this.#queue.shift()
    if (occurrence === undefined) return
    const subject = occurrence.begins?.subject
    const sending = this.#send(occurrence)
      // Nothing of a user may stop the queue.
      .catch(() => {})
      .then(() => {
        this.#queued.delete(occurrence.key)
        this.#sending.delete(sending)
        if (subject !== undefined && this.#alertsSending.get(subject) === sending)
          this.#alertsSending.delete(subject)
        this.#next()
      })
    this.#sending.add(sending)
    if (subject !== undefined) this.#alertsSending.set(subject, sending)
  }

  async #send(occurrence: Occurrence): Promise<void> {
    const { incident, key, endsAt, covered = [], begins, recovery } = occurrence
    const id = randomUUID()
    if (recovery !== undefined) await this.#alertsSending.get(recovery.of.subject)
    const claim =
      recovery === undefined
        ? await this.#claims.claim(key, id, endsAt, occurrence.knownMs)
        : await this.#recoveries.claim(recovery.of, id)
    if (claim === undefined) {
      recovery?.ended()
      return
    }
    // Whoever reads that all is spent need not read afterwards that half of it is.
    for (const lower of covered) void this.#claims.claim(lower, id, endsAt).then(each => each?.sent())
    const alert = { id, text: alertText(incident), at: this.#clock.now(), ...incident } as Alert
    this.#recent.add(alert, this.#webhooks.length)
    try {
      this.#options.onAlert?.(alert)
    } catch {
      // As an observer's.
    }
    if (!(await this.#deliver(alert))) {
      await claim.failed()
      return
    }
    await claim.sent()
    if (begins !== undefined) await this.#recoveries.begin(begins)
    recovery?.ended()
    if (recovery?.allows !== undefined) {
      await this.#claims.shorten(recovery.allows.key, recovery.allows.allowedMs)
    }
  }

  /** Returns whether an alert was sent. With one of several webhooks that took it, the others do not get it twice. */
  async #deliver(alert: Alert): Promise<boolean> {
    const results = await Promise.allSettled(this.#webhooks.map(webhook => webhook.send(alert)))
    const failures = results.flatMap(result =>
      result.status === 'rejected' ? [reasonOf(result.reason)] : [],
    )
    this.#recent.settle(alert.id, failures)
    for (const reason of failures) this.#failed({ kind: alert.kind, reason })
    return failures.length === 0 || failures.length < results.length
  }

  #failed(failure: AlertFailure): void {
    try {
      this.#options.onFailure?.(failure)
    } catch {
      // As an observer's.
    }
  }
}

function reasonOf(error: unknown): string {
  return error instanceof DeliveryError ? error.message : 'The alert could not be sent.'
}
