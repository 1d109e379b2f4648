import type { BudgetEvent, EndEvent, GatewayEvent, TargetEvent } from '@sluice/core'
import type { Incident } from './alert.ts'
import type { AlertsOptions, ErrorRateOptions, LatencyOptions } from './alerts-options.ts'
import { BoundedSet } from './bounded-set.ts'
import { budgetWindowAt } from './budget-window.ts'
import { RateWatch, type WindowShare } from './rate-watch.ts'
import type { Trouble } from './recoveries.ts'

/** Something that happened, and the name and end of the time in which it is one alert. */
export interface Occurrence {
  readonly incident: Incident
  readonly key: string
  /** Milliseconds since 1970. */
  readonly endsAt: number
  /** Alerts that this one makes superfluous: those of lower thresholds. */
  readonly covered?: readonly string[]
  /** For how long this process need not ask the store again, in milliseconds. Default: until it ends. */
  readonly knownMs?: number
  /** What a recovery follows. */
  readonly begins?: Trouble
  /** What has recovered. */
  readonly recovery?: Recovery
}

/** The end of a trouble. */
export interface Recovery {
  readonly of: Trouble
  /** Called once the recovery was sent, by this process or another one. */
  readonly ended: () => void
  /** An alert that may be sent again after `allowedMs` milliseconds. */
  readonly allows?: { readonly key: string; readonly allowedMs: number }
}

const targetMs = 3_600_000
/** A target that goes on opening and closing is an alert and a recovery at most so often, in milliseconds. */
const flappingMs = 300_000
/** Of the 95th percentile. */
const slowShare = 0.05
/** Targets with an open circuit breaker. Callers choose the names of models where a model table allows it. */
const maxOpenTargets = 10_000

/** Finds what is an alert in the events of a gateway. */
export class Occurrences {
  readonly #options: AlertsOptions
  readonly #now: () => number
  readonly #thresholds: readonly number[]
  readonly #errors: RateWatch | undefined
  readonly #slow: RateWatch | undefined
  readonly #openTargets = new BoundedSet(maxOpenTargets)
  /** Targets whose circuit breaker was open for one principal, and half open since then. */
  readonly #probedTargets = new BoundedSet(maxOpenTargets)

  constructor(options: AlertsOptions, now: () => number) {
    const { budgets, errorRate, latency } = options
    this.#options = options
    this.#now = now
    const thresholds = budgets === false ? [] : (budgets?.thresholds ?? [0.5, 0.8, 1])
    this.#thresholds = [...new Set(thresholds)].sort((a, b) => b - a)
    this.#errors = errorRate && new RateWatch({ ...windowOptions(errorRate), above: errorRate.above })
    this.#slow = latency && new RateWatch({ ...windowOptions(latency), above: slowShare })
  }

  /** Returns what an event has shown: usually nothing. */
  of(event: GatewayEvent): readonly Occurrence[] {
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
    const { name, endsAt } = budgetWindowAt(window, this.#now())
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
    const isFailure = outcome === 'upstream_failed' || outcome === 'internal_error'
    const isMeasured = outcome === 'completed' && cache !== 'hit' && !replayed
    const { latency } = this.#options
    return [
      ...(isFailure || outcome === 'completed' ? this.#ofErrors(isFailure) : []),
      ...(latency !== undefined && isMeasured ? this.#ofLatency(latency.p95Ms, timings.total) : []),
    ]
  }

  #ofErrors(isFailure: boolean): readonly Occurrence[] {
    return this.#ofRate('error_rate', this.#errors, isFailure, (kind, { share, requests }, windowMs) => ({
      kind,
      rate: share,
      requests,
      windowMs,
    }))
  }

  #ofLatency(p95Ms: number, totalMs: number): readonly Occurrence[] {
    return this.#ofRate('latency', this.#slow, totalMs > p95Ms, (kind, { share, requests }, windowMs) => ({
      kind,
      p95Ms,
      slower: share,
      requests,
      windowMs,
    }))
  }

  #ofRate<Kind extends 'error_rate' | 'latency'>(
    kind: Kind,
    watch: RateWatch | undefined,
    isMarked: boolean,
    incidentOf: (kind: Kind | `${Kind}_recovered`, share: WindowShare, windowMs: number) => Incident,
  ): readonly Occurrence[] {
    if (watch === undefined) return []
    const { windowMs } = watch
    const { above, recovered } = watch.add(this.#now(), isMarked)
    const subject = `${kind} ${windowMs}`
    const found: Occurrence[] = []
    if (recovered !== undefined && this.#hasRecoveries()) {
      const { since, window } = recovered
      found.push({
        incident: incidentOf(`${kind}_recovered`, recovered, windowMs),
        key: `recovery ${subject} ${window}`,
        endsAt: (window + 2) * windowMs,
        recovery: { of: { subject, window: since }, ended: () => watch.end(since) },
      })
    }
    if (above !== undefined) {
      const { window } = above
      found.push({
        incident: incidentOf(kind, above, windowMs),
        key: `${subject} ${window}`,
        endsAt: (window + 1) * windowMs,
        ...(this.#hasRecoveries() && { begins: { subject, window } }),
      })
    }
    return found
  }

  #ofTarget(event: TargetEvent): readonly Occurrence[] {
    const { provider, model, state, scope, reason, unavailableMs } = event
    if (this.#options.targets === false) return []
    const key = `target_down ${JSON.stringify([provider, model])}`
    const trouble = { subject: key, window: 0 }
    if (this.#isDown(event, key)) {
      this.#openTargets.add(key)
      const why = { reason: String(reason ?? 'unknown'), scope: scope ?? 'all' }
      const incident = { kind: 'target_down', provider, model, ...why } as const
      const endsAt = this.#now() + targetMs
      const begins = this.#hasRecoveries() ? { begins: trouble } : {}
      return [{ incident, key, endsAt, knownMs: flappingMs, ...begins }]
    }
    // What was only in cooldown, or open for one principal and not probed, was no alert.
    if (state !== 'closed' || !this.#openTargets.delete(key) || !this.#hasRecoveries()) return []
    const incident = { kind: 'target_recovered', provider, model, unavailableMs } as const
    const recovery = { of: trouble, ended: () => {}, allows: { key, allowedMs: flappingMs } }
    return [{ incident, key: `recovery ${key}`, endsAt: this.#now(), recovery }]
  }

  /**
   * Whether a target fails whoever calls it. One that is open for a single principal does so if its probe failed too: an answer
   * to another principal would have closed it. Names that callers make up are not looked at, as only they may use them.
   */
  #isDown({ state, scope, unlisted }: TargetEvent, key: string): boolean {
    if (state === 'closed') this.#probedTargets.delete(key)
    else if (state === 'half_open' && scope === 'principal' && !unlisted) this.#probedTargets.add(key)
    return state === 'open' && (scope !== 'principal' || this.#probedTargets.has(key))
  }

  #hasRecoveries(): boolean {
    return this.#options.recoveries !== false
  }
}

function windowOptions({ windowMs = 300_000, minRequests = 20 }: ErrorRateOptions | LatencyOptions) {
  return { windowMs, minRequests }
}
