import type { BudgetWindow } from '@sluice/core/limits'

/** What an alert is about. */
export type AlertKind =
  | 'budget'
  | 'error_rate'
  | 'error_rate_recovered'
  | 'latency'
  | 'latency_recovered'
  | 'target_down'
  | 'target_recovered'

/** What all alerts have. */
interface AnyAlert {
  /** Unique: a receiver may get an alert twice, if its answer came too late. */
  readonly id: string
  /** One line for people. */
  readonly text: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** A share of a budget is spent. */
export interface BudgetAlert extends AnyAlert {
  readonly kind: 'budget'
  /** The share that was reached: 0.8, or 1 if requests are refused. */
  readonly threshold: number
  readonly rule: string
  /** Who spends from it, by scope: `{ key: 'ann' }`. Empty: everybody. */
  readonly subject: Readonly<Record<string, string>>
  readonly window: BudgetWindow
  /** US dollars. */
  readonly limit: number
  /** US dollars. */
  readonly spent: number
  /** Whether it refuses requests, because too little is left. */
  readonly refused: boolean
  readonly dryRun: boolean
}

/** Too many requests failed. `error_rate_recovered`: that is over. */
export interface ErrorRateAlert extends AnyAlert {
  readonly kind: 'error_rate' | 'error_rate_recovered'
  /** The share of requests that failed. */
  readonly rate: number
  readonly requests: number
  readonly windowMs: number
}

/** Too many requests were slow. `latency_recovered`: that is over. */
export interface LatencyAlert extends AnyAlert {
  readonly kind: 'latency' | 'latency_recovered'
  readonly p95Ms: number
  /** The share of requests that took longer. */
  readonly slower: number
  readonly requests: number
  readonly windowMs: number
}

/** The circuit breaker of a target is open. */
export interface TargetDownAlert extends AnyAlert {
  readonly kind: 'target_down'
  readonly provider: string
  readonly model: string
  readonly reason: string
  /** `principal`: for one, whose probe failed too, and no other was answered meanwhile. `all`: for all principals. */
  readonly scope: 'all' | 'principal'
}

/** The circuit breaker of a target is closed again. */
export interface TargetRecoveredAlert extends AnyAlert {
  readonly kind: 'target_recovered'
  readonly provider: string
  readonly model: string
  /** How long the target was unavailable, in milliseconds. */
  readonly unavailableMs: number
}

/** Something that an operator should look at, or that is over. */
export type Alert = BudgetAlert | ErrorRateAlert | LatencyAlert | TargetDownAlert | TargetRecoveredAlert

type WithoutText<T> = T extends Alert ? Omit<T, 'id' | 'text' | 'at'> : never

/** What happened, before it is an alert. */
export type Incident = WithoutText<Alert>

/** Returns an incident as one line for people. Names that callers choose are cut, and are no markup. */
export function alertText(incident: Incident): string {
  switch (incident.kind) {
    case 'budget': {
      const { threshold, spent, limit, subject, rule, window, refused, dryRun } = incident
      const who = Object.entries(subject)
        // Of issued keys, as most are.
        .filter(([name, value]) => !(name === 'source' && value === 'api_keys'))
        .map(([name, value]) => `${plain(name)} ${plain(value)}`)
      const of = who.length === 0 ? 'the budget of everybody' : `the budget of ${who.join(', ')}`
      const time = window === 'ever' ? '' : ` of this ${window}`
      const sums = `${dollars(spent)} of ${dollars(limit)} (${plain(rule)})`
      if (refused) return `Requests are refused, as too little is left of ${of}${time}: spent are ${sums}.`
      return `${Math.round(threshold * 100)} % of ${of}${time} is spent: ${sums}.${dryRun ? ' It is a dry run.' : ''}`
    }
    case 'error_rate':
      return `${percent(incident.rate)} of ${incident.requests} requests in ${minutes(incident.windowMs)} failed.`
    case 'error_rate_recovered':
      return `The error rate has recovered: ${percent(incident.rate)} of ${incident.requests} requests in ${minutes(incident.windowMs)} failed.`
    case 'latency':
      return `The 95th percentile of latency is above ${incident.p95Ms} ms: ${percent(incident.slower)} of ${incident.requests} requests in ${minutes(incident.windowMs)} took longer.`
    case 'latency_recovered':
      return `Latency has recovered: ${percent(incident.slower)} of ${incident.requests} requests in ${minutes(incident.windowMs)} took longer than ${incident.p95Ms} ms.`
    case 'target_down':
      return `The target ${plain(incident.provider)}/${plain(incident.model)} is down: its circuit breaker is open${incident.scope === 'principal' ? ' for one caller, and no other was answered' : ''} (${plain(incident.reason)}).`
    case 'target_recovered':
      return `The target ${plain(incident.provider)}/${plain(incident.model)} has recovered: its circuit breaker is closed after ${roughly(incident.unavailableMs)}.`
  }
}

/** Slack reads `<`, `>` and `&` as markup: links, and mentions of everybody. */
function plain(text: string): string {
  const line = text
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ')
    .replace(/[<>&]/g, each => entities[each] ?? each)
  return line.length <= 200 ? line : `${line.slice(0, 200)}…`
}

const entities: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;' }

function percent(share: number): string {
  return `${Math.round(share * 1_000) / 10} %`
}

function minutes(ms: number): string {
  return ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1_000} s`
}

function roughly(ms: number): string {
  return ms < 120_000 ? `${Math.ceil(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`
}

function dollars(amount: number): string {
  return `$${amount >= 1 ? amount.toFixed(2) : String(Number(amount.toPrecision(3)))}`
}
