import { ConfigurationError } from '@sluice/core'
import { type ConfigurationIssue, configurationIssue, hiddenIssue, unknownOption } from '@sluice/core/adapter'
import type { AlertStore } from '@sluice/core/store'
import type { Alert, AlertKind } from './alert.ts'

/** Where alerts are posted as JSON. */
export interface WebhookOptions {
  /** `https:` or `http:`. It is a secret where it has a token, as of Slack. */
  readonly url: string
  /** Signs each alert by HMAC-SHA256. At least 16 characters. Default: not signed. */
  readonly secret?: string | undefined
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Whether addresses of this machine and of private networks may be called. Default `false`. */
  readonly allowPrivate?: boolean | undefined
  /** Timeout of one attempt, in milliseconds. Default 5,000. */
  readonly timeoutMs?: number | undefined
  /** Wait before the second attempt, in milliseconds; it is four times longer before each further one. Default 1,000. */
  readonly backoffMs?: number | undefined
  /** Time for all attempts of one alert, in milliseconds. Default 60,000. */
  readonly deadlineMs?: number | undefined
}

/** When a budget is an alert. */
export interface BudgetAlertOptions {
  /** Shares of a budget, from above 0 to 1. Default `[0.5, 0.8, 1]`. */
  readonly thresholds?: readonly number[] | undefined
  /** Whether budgets by `user` are alerts too: callers choose the names of users. Default `false`. */
  readonly users?: boolean | undefined
}

/** When failed requests are an alert. */
export interface ErrorRateOptions {
  /** The share of requests, from 0 up to, but not including, 1: 0.1. */
  readonly above: number
  /** Milliseconds. Default 300,000 (5 minutes). */
  readonly windowMs?: number | undefined
  /** Of fewer requests in a window, no rate is taken. Default 20. */
  readonly minRequests?: number | undefined
}

/** When slow requests are an alert. */
export interface LatencyOptions {
  /** The 95th percentile of the total time of completed requests, in milliseconds. */
  readonly p95Ms: number
  /** Milliseconds. Default 300,000 (5 minutes). */
  readonly windowMs?: number | undefined
  /** Of fewer requests in a window, no percentile is taken. Default 20. */
  readonly minRequests?: number | undefined
}

/** An alert that could not be sent, or was dropped from a full queue. */
export interface AlertFailure {
  readonly kind: AlertKind | 'store'
  /** Why. It holds no URL, no secret and no text of a receiver. */
  readonly reason: string
}

/** Options of `createAlerts`. */
export interface AlertsOptions {
  /** Where alerts are posted. Default: nowhere. */
  readonly webhooks?: readonly WebhookOptions[] | undefined
  /** Called with each alert that this process sends. */
  readonly onAlert?: ((alert: Alert) => void) | undefined
  /** Called when an alert could not be sent, and when the store does not respond. */
  readonly onFailure?: ((failure: AlertFailure) => void) | undefined
  /**
   * Decides which process sends an alert. For several: `redisCacheStore(client)`, or `alertStore` of a database. Default:
   * `memoryCacheStore()`, for one process.
   */
  readonly store?: AlertStore | undefined
  /** Default: `{ thresholds: [0.5, 0.8, 1] }`. `false`: budgets are no alerts. */
  readonly budgets?: BudgetAlertOptions | false | undefined
  /** Default: none. */
  readonly errorRate?: ErrorRateOptions | undefined
  /** Default: none. */
  readonly latency?: LatencyOptions | undefined
  /** Whether a target with an open circuit breaker is an alert, at most once per hour. Default `true`. */
  readonly targets?: boolean | undefined
  /** Whether it is an alert, too, that a target, the error rate or latency has recovered. Default `true`. */
  readonly recoveries?: boolean | undefined
  /** Maximum number of alerts that wait to be sent. Further ones are dropped and reported. Default 1,000. */
  readonly maxQueued?: number | undefined
}

const members: Readonly<Record<keyof AlertsOptions, true>> = {
  webhooks: true,
  onAlert: true,
  onFailure: true,
  store: true,
  budgets: true,
  errorRate: true,
  latency: true,
  targets: true,
  recoveries: true,
  maxQueued: true,
}
const webhookMembers: Readonly<Record<keyof WebhookOptions, true>> = {
  url: true,
  secret: true,
  headers: true,
  allowPrivate: true,
  timeoutMs: true,
  backoffMs: true,
  deadlineMs: true,
}
const storeMethods = ['add', 'replace'] as const
const maxMs = 86_400_000

/** Throws `ConfigurationError` that lists all invalid options, without a URL or a secret. */
export function checkAlertsOptions(given: AlertsOptions): void {
  const issues = isObject(given)
    ? [...issuesOf(given as unknown as Record<string, unknown>)]
    : [configurationIssue([], given, 'an object of options, such as { webhooks }')]
  if (issues.length > 0) throw new ConfigurationError('createAlerts()', issues)
}

function* issuesOf(given: Readonly<Record<string, unknown>>): Generator<ConfigurationIssue> {
  yield* unknownIssues([], given, Object.keys(members))
  const { webhooks = [], store, budgets, targets, recoveries, maxQueued } = given
  if (!Array.isArray(webhooks)) yield hiddenIssue(['webhooks'], webhooks, 'a list of { url }')
  else for (const [index, webhook] of webhooks.entries()) yield* webhookIssues(['webhooks', index], webhook)
  for (const name of ['onAlert', 'onFailure']) {
    const value = given[name]
    if (value !== undefined && typeof value !== 'function')
      yield configurationIssue([name], value, 'a function')
  }
  if (
    store !== undefined &&
    !(isObject(store) && storeMethods.every(name => typeof store[name] === 'function'))
  ) {
    yield hiddenIssue(
      ['store'],
      store,
      'a store of alerts, such as database.alertStore or redisCacheStore(client)',
    )
  }
  if (budgets !== undefined && budgets !== false) yield* budgetIssues(budgets)
  yield* rateIssues(
    'errorRate',
    given.errorRate,
    'above',
    value => value >= 0 && value < 1,
    'a share from 0 to below 1',
  )
  yield* rateIssues('latency', given.latency, 'p95Ms', value => value > 0, 'milliseconds above 0')
  yield* flagIssues(['targets'], targets)
  yield* flagIssues(['recoveries'], recoveries)
  yield* numberIssues(['maxQueued'], maxQueued, 100_000)
}

function* webhookIssues(path: readonly (string | number)[], webhook: unknown): Generator<ConfigurationIssue> {
  if (!isObject(webhook)) {
    yield hiddenIssue(path, webhook, 'an object with a url')
    return
  }
  yield* unknownIssues(path, webhook, Object.keys(webhookMembers))
  const { url, secret, headers, allowPrivate, timeoutMs, deadlineMs } = webhook
  if (!isWebUrl(url)) yield hiddenIssue([...path, 'url'], url, 'an http: or https: URL without a user name')
  if (secret !== undefined && !(typeof secret === 'string' && secret.length >= 16)) {
    yield hiddenIssue([...path, 'secret'], secret, 'a text of at least 16 characters')
  }
  if (headers !== undefined && !areHeaders(headers)) {
    yield hiddenIssue([...path, 'headers'], headers, 'texts by the name of a header')
  }
  yield* flagIssues([...path, 'allowPrivate'], allowPrivate)
  yield* numberIssues([...path, 'timeoutMs'], timeoutMs, 60_000)
  yield* numberIssues([...path, 'backoffMs'], webhook.backoffMs, 60_000)
  yield* numberIssues([...path, 'deadlineMs'], deadlineMs, 600_000)
}

function* budgetIssues(given: unknown): Generator<ConfigurationIssue> {
  if (!isObject(given)) {
    yield configurationIssue(['budgets'], given, '{ thresholds }, or false')
    return
  }
  yield* unknownIssues(['budgets'], given, ['thresholds', 'users'])
  const { thresholds, users } = given
  const isShare = (value: unknown) => typeof value === 'number' && value > 0 && value <= 1
  const areShares =
    Array.isArray(thresholds) && thresholds.length > 0 && thresholds.length <= 20 && thresholds.every(isShare)
  if (thresholds !== undefined && !areShares) {
    yield configurationIssue(
      ['budgets', 'thresholds'],
      thresholds,
      'shares above 0, at most 1, such as [0.5, 0.8, 1]',
    )
  }
  yield* flagIssues(['budgets', 'users'], users)
}

function* rateIssues(
  name: string,
  given: unknown,
  member: string,
  isValid: (value: number) => boolean,
  expected: string,
): Generator<ConfigurationIssue> {
  if (given === undefined) return
  if (!isObject(given)) {
    yield configurationIssue([name], given, `{ ${member} }`)
    return
  }
  yield* unknownIssues([name], given, [member, 'windowMs', 'minRequests'])
  const value = given[member]
  if (!(typeof value === 'number' && Number.isFinite(value) && isValid(value))) {
    yield configurationIssue([name, member], value, expected)
  }
  yield* numberIssues([name, 'windowMs'], given.windowMs, maxMs)
  yield* numberIssues([name, 'minRequests'], given.minRequests, 1_000_000)
}

function unknownIssues(
  path: readonly (string | number)[],
  given: Readonly<Record<string, unknown>>,
  known: readonly string[],
): ConfigurationIssue[] {
  return Object.keys(given)
    .filter(name => !known.includes(name))
    .map(name => unknownOption([...path, name], undefined, known))
}

function* flagIssues(path: readonly (string | number)[], value: unknown): Generator<ConfigurationIssue> {
  if (value !== undefined && typeof value !== 'boolean')
    yield configurationIssue(path, value, 'true or false')
}

function* numberIssues(
  path: readonly (string | number)[],
  value: unknown,
  most: number,
): Generator<ConfigurationIssue> {
  if (value === undefined || (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most))
    return
  yield configurationIssue(path, value, `a whole number from 1 to ${most}`)
}

function isWebUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === ''
}

function areHeaders(value: unknown): boolean {
  if (!isObject(value)) return false
  return Object.entries(value).every(
    ([name, text]) =>
      /^[\w!#$%&'*+.^`|~-]+$/.test(name) && typeof text === 'string' && /^[\x20-\x7e]*$/.test(text),
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
