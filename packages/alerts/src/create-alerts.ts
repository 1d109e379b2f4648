import { randomUUID } from 'node:crypto'
import type { BudgetEvent, EndEvent, GatewayEvent, Observer, TargetEvent } from '@sluice/core'
import { memoryCacheStore } from '@sluice/core/store'
import { type Alert, alertText, type Incident } from './alert.ts'
import { type AlertClaim, AlertClaims } from './alert-claims.ts'
import { systemClock } from './alerts-clock.ts'
import { type AlertFailure, type AlertsOptions, checkAlertsOptions } from './alerts-options.ts'
import { budgetWindowAt } from './budget-window.ts'
import { RateWindow } from './rate-window.ts'
import { type RecentAlert, RecentAlerts } from './recent-alerts.ts'
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

const targetMs = 3_600_000
const flushMs = 5_000
/** The time for all attempts of one alert, with some to spare. */
const defaultDeadlineMs = 60_000
/** How many alerts are sent at the same time. */
const maxSending = 4
const maxRecent = 100

/**
 * Creates alerts: of budgets, error rate, latency and targets that are down. Each is sent once per threshold and window, by one of
 * all processes that share a `store`. A webhook that fails never costs a request.
 *
 * Throws `ConfigurationError` that lists all invalid options.
 */
export function createAlerts(options: AlertsOptions): Alerts {
  checkAlertsOptions(options)
  return new GatewayAlerts(options)
}

/** Something that happened, and the name and end of the time in which it is one alert. */
interface Occurrence {
  readonly incident: Incident
  readonly key: string
  /** Milliseconds since 1970. */
  readonly endsAt: number
  /** Alerts that this one makes superfluous: those of lower thresholds. */
  readonly covered: readonly string[]
}

class GatewayAlerts implements Alerts {
  readonly #options: AlertsOptions
  readonly #clock = systemClock
  readonly #webhooks: readonly Webhook[]
  readonly #claims: AlertClaims
  readonly #recent = new RecentAlerts(maxRecent)
  readonly #thresholds: readonly number[]
  readonly #errors: RateWindow | undefined
  readonly #slow: RateWindow | undefined
  readonly #queue: Occurrence[] = []
  /** The keys of `#queue`. */
  readonly #queued = new Set<string>()
  readonly #sending = new Set<Promise<void>>()
  #closed = false

  constructor(options: AlertsOptions) {
    const { webhooks = [], store = memoryCacheStore(), budgets, errorRate, latency } = options
    this.#options = options
    this.#webhooks = webhooks.map(each => new Webhook(each, this.#clock, Math.random))
    const deadlines = webhooks.map(({ deadlineMs = defaultDeadlineMs }) => deadlineMs)
    this.#claims = new AlertClaims({
      store,
      clock: this.#clock,
      sendingMs: Math.max(defaultDeadlineMs, ...deadlines) + 10_000,
      storeTimeoutMs: 1_000,
      retryMs: 60_000,
      onStoreFailure: () => this.#failed({ kind: 'store', reason: 'The store of alerts does not respond.' }),
    })
    const thresholds = budgets === false ? [] : (budgets?.thresholds ?? [0.5, 0.8, 1])
    this.#thresholds = [...new Set(thresholds)].sort((a, b) => b - a)
    this.#errors = errorRate && new RateWindow(errorRate.windowMs ?? 300_000)
    this.#slow = latency && new RateWindow(latency.windowMs ?? 300_000)
  }

  readonly observe: Observer = event => {
    if (this.#closed) return
    const occurrence = this.#occurrenceOf(event)
    for (const each of occurrence) this.#add(each)
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

  #occurrenceOf(event: GatewayEvent): readonly Occurrence[] {
    if (event.type === 'budget') return this.#ofBudget(event)
    if (event.type === 'end') return this.#ofEnd(event)
    if (event.type === 'target') return this.#ofTarget(event)
    return []
  }

  #ofBudget(event: BudgetEvent): readonly Occurrence[] {
    const { rule, counter, subject, window, limit, spent, refused, dryRun } = event
    const { budgets } = this.#options
    if ('user' in subject && !(budgets !== false && budgets?.users === true)) return []
    const share = refused ? 1 : spent / limit
    const reached = this.#thresholds.filter(threshold => share >= threshold)
    const [threshold] = reached
    if (threshold === undefined) return []
    const { name, endsAt } = budgetWindowAt(window, this.#clock.now())
    const keyOf = (each: number) => `budget ${counter} ${limit} ${name} ${each}`
    const incident = {
      kind: 'budget',
      threshold,
      rule,
      subject,
      window,
      limit,
      spent,
      refused,
      dryRun,
    } as const
    return [{ incident, key: keyOf(threshold), endsAt, covered: reached.slice(1).map(keyOf) }]
  }

  #ofEnd({ outcome, timings, cache, replayed }: EndEvent): readonly Occurrence[] {
    const found: Occurrence[] = []
    const now = this.#clock.now()
    const { errorRate, latency } = this.#options
    const isFailure = outcome === 'upstream_failed' || outcome === 'internal_error'
    const [errors, slow] = [this.#errors, this.#slow]
    if (errors !== undefined && errorRate !== undefined && (isFailure || outcome === 'completed')) {
      const { windowMs = 300_000, minRequests = 20 } = errorRate
      errors.add(now, isFailure)
      if (errors.total >= minRequests && errors.share > errorRate.above) {
        const incident = { kind: 'error_rate', rate: errors.share, requests: errors.total, windowMs } as const
        found.push(inSlot(incident, `error_rate ${windowMs}`, errors.slot, windowMs))
      }
    }
    const isMeasured = outcome === 'completed' && cache !== 'hit' && !replayed
    if (slow !== undefined && latency !== undefined && isMeasured) {
      const { windowMs = 300_000, minRequests = 20, p95Ms } = latency
      slow.add(now, timings.total > p95Ms)
      if (slow.total >= minRequests && slow.share > 0.05) {
        const incident = {
          kind: 'latency',
          p95Ms,
          slower: slow.share,
          requests: slow.total,
          windowMs,
        } as const
        found.push(inSlot(incident, `latency ${windowMs}`, slow.slot, windowMs))
      }
    }
    return found
  }

  #ofTarget({ provider, model, state, scope, reason }: TargetEvent): readonly Occurrence[] {
    if (this.#options.targets === false || state !== 'open' || scope === 'principal') return []
    const incident = { kind: 'target_down', provider, model, reason: String(reason ?? 'unknown') } as const
    const endsAt = this.#clock.now() + targetMs
    return [{ incident, key: `target_down ${JSON.stringify([provider, model])}`, endsAt, covered: [] }]
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
    const sending = this.#send(occurrence)
      // Nothing of a user may stop the queue.
      .catch(() => {})
      .then(() => {
        this.#queued.delete(occurrence.key)
        this.#sending.delete(sending)
        this.#next()
      })
    this.#sending.add(sending)
  }

  async #send({ incident, key, endsAt, covered }: Occurrence): Promise<void> {
    const id = randomUUID()
    const claim = await this.#claims.claim(key, id, endsAt)
    if (claim === undefined) return
    // Whoever reads that all is spent need not read afterwards that half of it is.
    for (const lower of covered) void this.#claims.claim(lower, id, endsAt).then(each => each?.sent())
    const alert = { id, text: alertText(incident), at: this.#clock.now(), ...incident } as Alert
    this.#recent.add(alert, this.#webhooks.length)
    try {
      this.#options.onAlert?.(alert)
    } catch {
      // As an observer's.
    }
    await this.#deliver(alert, claim)
  }

  async #deliver(alert: Alert, claim: AlertClaim): Promise<void> {
    const results = await Promise.allSettled(this.#webhooks.map(webhook => webhook.send(alert)))
    const failures = results.flatMap(result =>
      result.status === 'rejected' ? [reasonOf(result.reason)] : [],
    )
    this.#recent.settle(alert.id, failures)
    for (const reason of failures) this.#failed({ kind: alert.kind, reason })
    // With one of several that took it, the others do not get it twice.
    if (failures.length > 0 && failures.length === results.length) await claim.failed()
    else await claim.sent()
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

function inSlot(incident: Incident, name: string, slot: number, windowMs: number): Occurrence {
  return { incident, key: `${name} ${slot}`, endsAt: (slot + 1) * windowMs, covered: [] }
}
