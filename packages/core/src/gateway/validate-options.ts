import { expectedClock, isClock } from '../clock/clock.ts'
import type { Dialect } from '../contracts/dialect.ts'
import type { Operation } from '../contracts/outline.ts'
import { type OptionCheck as Check, type OptionChecks, optionIssues } from '../errors/check-options.ts'
import { type ConfigurationIssue, configurationIssue } from '../errors/configuration-error.ts'
import { aCount, aCountFromNone, aShare, aShareOfSome, aSpan } from '../errors/number-checks.ts'
import { hooksCheck } from '../hooks/hook-options.ts'
import { unresolvedNames } from '../routing/combined-route.ts'
import { aStoreTimeout } from '../stores/store-timeout.ts'
import { defaultBreaker, defaultRetry } from '../upstream/health/health-options.ts'
import { backgroundChecks, backgroundIssues } from './background-options.ts'
import { builtInDialects } from './built-in-dialects.ts'
import { aCache, anIdempotency } from './cache-options.ts'
import { defaultPacing, defaultRequestLimits, defaultTimeouts, type GatewayOptions } from './config.ts'

const aFunction: Check = value => (typeof value === 'function' ? undefined : 'a function')
const aRoute: Check = value => {
  if (typeof value !== 'function') return 'a function'
  return 'provider' in value
    ? 'a route, such as models({...}), rather than a provider'
    : unresolvedNames(value)
}
const aLimit: Check = value =>
  typeof value === 'object' &&
  value !== null &&
  ('admit' in value ? aMethod(value.admit) : 'kind' in value || Array.isArray(value))
    ? undefined
    : "rules, such as requests(60).per('minute'), or a limiter"
const aLedger: Check = value => {
  const { open, close } = (value ?? {}) as { open?: unknown; close?: unknown }
  return aMethod(open) && aMethod(close) ? undefined : 'a ledger, such as that of a database'
}
const aSharedHealth: Check = value => {
  const { read, write, acquireProbe, releaseProbe } = (value ?? {}) as { [name: string]: unknown }
  return [read, write, acquireProbe, releaseProbe].every(aMethod)
    ? undefined
    : 'a shared health store, such as redisHealth(client)'
}
const aTracer: Check = value =>
  aMethod(((value ?? {}) as { start?: unknown }).start)
    ? undefined
    : 'a tracer, such as openTelemetry().tracer'
function aMethod(value: unknown): boolean {
  return typeof value === 'function'
}

const aPath: Check = value =>
  typeof value === 'string' && /^(\/[\w.~-]+)+$/.test(value)
    ? undefined
    : "a path that begins with '/' and does not end with one, such as '/v1'"
const dialects: Check = value => {
  const expected = 'dialects, each with a name and a path of its own'
  if (!Array.isArray(value) || !value.every(isDialect)) return expected
  const all = [...builtInDialects, ...value]
  const isDistinct = (name: 'name' | 'path') => new Set(all.map(each => each[name])).size === all.length
  return isDistinct('name') && isDistinct('path') ? undefined : expected
}
/** The functions of a dialect by its operation. */
const dialectFunctions: Readonly<Record<Operation, readonly string[]>> = {
  generate: ['outline', 'error', 'read', 'write', 'answerId', 'stream', 'streamError'],
  countTokens: ['outline', 'error', 'read', 'write'],
  embed: ['outline', 'error', 'read', 'write'],
  rerank: ['outline', 'error', 'read', 'write'],
  moderate: ['outline', 'error', 'read', 'write'],
  complete: ['outline', 'error', 'read', 'write', 'answerId', 'stream', 'streamError'],
}
function isDialect(value: unknown): value is Dialect {
  const dialect = (value ?? {}) as Readonly<Record<string, unknown>>
  const { name, path, operation, limitHeaders, requestIdHeader, models } = dialect
  const own = (models ?? {}) as Readonly<Record<string, unknown>>
  return (
    typeof name === 'string' &&
    /^[a-z][a-z0-9_-]{0,31}$/.test(name) &&
    aPath(path) === undefined &&
    !/^\/models(\/|$)/.test(path as string) &&
    Object.hasOwn(dialectFunctions, operation as string) &&
    dialectFunctions[operation as Operation].every(each => aMethod(dialect[each])) &&
    (limitHeaders === undefined || aMethod(limitHeaders)) &&
    (requestIdHeader === undefined ||
      (typeof requestIdHeader === 'string' && /^[a-z0-9-]+$/.test(requestIdHeader))) &&
    (models === undefined || [own.accepts, own.list, own.show].every(aMethod))
  )
}
function isMetadataName(value: unknown): boolean {
  return typeof value === 'string' && value.length >= 1 && value.length <= 64
}
/** Its value is logged. */
const aHeaderForIds: Check = value =>
  typeof value === 'boolean' ||
  (typeof value === 'string' &&
    /^[\w.-]+$/.test(value) &&
    !/^(proxy-)?authorization$|cookie|key/i.test(value))
    ? undefined
    : "true, false or the name of a header without credentials, such as 'x-correlation-id'"
const aChoiceOfPrincipals: Check = value =>
  typeof value === 'boolean' || typeof value === 'function' ? undefined : 'true, false or a function'
const oneOf =
  (...allowed: string[]): Check =>
  value =>
    allowed.includes(value as string) ? undefined : allowed.map(word => `'${word}'`).join(' or ')

const checks: Readonly<Record<keyof GatewayOptions, Check | OptionChecks>> = {
  authenticate: aFunction,
  route: aRoute,
  authorize: aFunction,
  limits: aLimit,
  prices: aFunction,
  abandonedCalls: {
    charge: oneOf('reservation', 'prompt', 'time'),
    outputTokensPerSecond: aSpan,
    maxOutputTokens: aCount,
  },
  ledger: aLedger,
  metadataTags: value =>
    Array.isArray(value) && value.length <= 8 && value.every(isMetadataName)
      ? undefined
      : 'at most 8 names of 1 to 64 characters',
  cache: aCache,
  idempotency: anIdempotency,
  responses: aResponseStore,
  background: backgroundChecks(aCount, aSpan),
  bodies: aBodyRecorder,
  hooks: hooksCheck,
  loadShedder: aFunction,
  observe: aFunction,
  tracer: aTracer,
  traceHeader: aChoiceOfPrincipals,
  exposesCost: aChoiceOfPrincipals,
  clientRequestId: aHeaderForIds,
  transport: aFunction,
  basePath: aPath,
  dialects,
  validation: oneOf('schema', 'live'),
  unknownParameters: oneOf('pass', 'reject'),
  unsupportedParameters: oneOf('refuse', 'drop'),
  requestLimits: {
    ...spansOf(defaultRequestLimits),
    maxUploads: aCount,
    maxUploadBytes: aCount,
    maxTotalUploadBytes: aCount,
  },
  timeouts: spansOf(defaultTimeouts),
  stream: spansOf(defaultPacing),
  maxAttempts: aCount,
  retry: { ...spansOf(defaultRetry), budget: aShare, minBudget: aCountFromNone },
  breaker: { ...spansOf(defaultBreaker), failures: aCount, errorRate: aShareOfSome, minCalls: aCount },
  sharedHealth: aSharedHealth,
  storeTimeoutMs: aStoreTimeout,
  clock: value => (isClock(value) ? undefined : expectedClock),
  now: aFunction,
  generateId: aFunction,
  random: aFunction,
}

const required: readonly string[] = ['authenticate', 'route']

/** Options that `false` turns off. */
const dispensable: readonly string[] = ['background', 'retry', 'breaker']

/** Pairs of options of which the first must not be larger than the second. */
const ordered: readonly (readonly [string, string, string, Readonly<Record<string, number>>])[] = [
  ['retry', 'baseMs', 'maxMs', { ...defaultRetry }],
  ['breaker', 'openMs', 'maxOpenMs', { ...defaultBreaker }],
  // A body of the maximum size has to fit into an upload.
  ['requestLimits', 'maxBytes', 'maxUploadBytes', { ...defaultRequestLimits }],
  ['requestLimits', 'maxUploadBytes', 'maxTotalUploadBytes', { ...defaultRequestLimits }],
]

/** Returns an issue for each invalid option. */
export function optionIssuesOf<Host>(options: GatewayOptions<Host>): ConfigurationIssue[] {
  return [
    ...optionIssues(options, checks, { required, optional: dispensable }),
    ...issuesOfOrder({ ...options }),
    ...backgroundIssues({ ...(options as GatewayOptions) }),
  ]
}

/** Checks the order of options that are valid by themselves. */
function issuesOfOrder(given: Readonly<Record<string, unknown>>): ConfigurationIssue[] {
  return ordered.flatMap(([name, low, high, defaults]) => {
    const set = (given[name] ?? {}) as Readonly<Record<string, unknown>>
    const [least, most] = [set[low] ?? defaults[low], set[high] ?? defaults[high]]
    if (!(typeof least === 'number' && typeof most === 'number' && least > most)) return []
    return [configurationIssue([name, low], least, `at most ${name}.${high}, which is ${most}`)]
  })
}

function spansOf(defaults: object): OptionChecks {
  return Object.fromEntries(Object.keys(defaults).map(name => [name, aSpan]))
}

function aBodyRecorder(value: unknown): string | undefined {
  const { wants, record, maxBytes } = (value ?? {}) as Readonly<Record<string, unknown>>
  const isValid = aMethod(wants) && aMethod(record) && aCount(maxBytes) === undefined
  return isValid ? undefined : 'a recorder with wants, record and maxBytes, such as createBodyLog({ ... })'
}

function aResponseStore(value: unknown): string | undefined {
  const expected = 'false, or a store of responses, such as memoryResponseStore()'
  if (value === false) return undefined
  if (typeof value !== 'object' || value === null) return expected
  const { put, get, findItem, delete: remove } = value as Readonly<Record<string, unknown>>
  return [put, get, findItem, remove].every(each => typeof each === 'function') ? undefined : expected
}
