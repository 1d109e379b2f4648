import { Counter, Gauge, Histogram, type Registry, type RegistryContentType } from 'prom-client'
import type { ResolvedPrometheusOptions } from './options.ts'

/** Bucket bounds of the gateway's own overhead, in seconds. */
const overheadBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]

/** Every metric. Their labels are in docs/observing.md. */
export type Instruments = ReturnType<typeof makeInstruments>

/** Makes the metrics in a registry. Throws `Error` where it has one of the same name. */
export function makeInstruments(
  registry: Registry<RegistryContentType>,
  { prefix, tags, buckets }: ResolvedPrometheusOptions,
) {
  const tagged = tags.map(({ label }) => label)
  const named = <L extends string>(name: string, help: string, labelNames: readonly L[]) => ({
    name: `${prefix}${name}`,
    help,
    labelNames: [...labelNames] as string[],
    registers: [registry as Registry],
  })
  const counter = (name: string, help: string, ...labels: string[]) => new Counter(named(name, help, labels))
  const gauge = (name: string, help: string, ...labels: string[]) => new Gauge(named(name, help, labels))
  /** A state that each of several processes has: of their sum nobody would have any use. */
  const state = (name: string, help: string, ...labels: string[]) =>
    new Gauge({ ...named(name, help, labels), aggregator: 'max' })
  const seconds = (name: string, help: string, bounds: readonly number[], ...labels: string[]) =>
    new Histogram({ ...named(name, help, labels), buckets: [...bounds] })
  return {
    requests: counter(
      'requests_total',
      'Requests to models that have ended.',
      'operation',
      'dialect',
      'model',
      'status',
      'outcome',
      ...tagged,
    ),
    inFlight: gauge('requests_in_flight', 'Requests to models in flight.', 'operation', 'dialect', 'model'),
    duration: seconds(
      'request_duration_seconds',
      'Time from a request to the end of its response.',
      buckets,
      'operation',
      'dialect',
      'model',
      'outcome',
    ),
    firstByte: seconds(
      'first_byte_seconds',
      'Time from a request to the first byte of its response.',
      buckets,
      'operation',
      'dialect',
      'model',
      'stream',
    ),
    queueWait: seconds(
      'queue_wait_seconds',
      'Time that admitted requests waited in the queue.',
      buckets,
      'operation',
      'dialect',
      'model',
    ),
    overhead: seconds(
      'overhead_seconds',
      'Time the gateway itself added before the first byte.',
      overheadBuckets,
    ),
    tokens: counter(
      'tokens_total',
      'Tokens by type and use.',
      'operation',
      'model',
      'provider',
      'type',
      'use',
      ...tagged,
    ),
    cost: counter(
      'cost_usd_total',
      'Cost of upstream calls, in US dollars.',
      'operation',
      'model',
      'provider',
      'use',
      ...tagged,
    ),
    unpriced: counter(
      'unpriced_total',
      'Calls that used tokens and have no price.',
      'operation',
      'model',
      'provider',
      'use',
    ),
    estimated: counter(
      'estimated_usage_total',
      'Calls whose token counts are estimated.',
      'operation',
      'model',
      'provider',
      'use',
    ),
    attempts: counter(
      'attempts_total',
      'Upstream attempts, mirrored calls included.',
      ...['provider', 'upstream_model', 'why', 'result', 'upstream_status'],
    ),
    keyAttempts: counter(
      'provider_key_attempts_total',
      'Upstream attempts of providers with several keys, by key.',
      ...['provider', 'key', 'result'],
    ),
    refusals: counter(
      'refusals_total',
      'Requests to models that the gateway rejected.',
      'operation',
      'dialect',
      'reason',
      ...tagged,
    ),
    authFailures: counter('auth_failures_total', 'Requests to models that failed authentication.', 'reason'),
    wouldHaveRefused: counter(
      'dry_run_refusals_total',
      'Requests that a rule in dry run would have rejected.',
      'rule',
    ),
    hooks: counter('hooks_total', 'Requests that a hook applied to, by what it did.', 'hook', 'outcome'),
    hookSeconds: counter('hook_seconds_total', 'Time that requests spent in hooks, in seconds.', 'hook'),
    cache: counter('cache_requests_total', 'Cache lookups.', 'model', 'result'),
    replayed: counter('replayed_total', 'Responses replayed for an idempotency key.', 'model'),
    targetState: state(
      'target_state',
      '1 for the current state of a target, else 0.',
      'provider',
      'upstream_model',
      'state',
    ),
    targetUnavailableSince: state(
      'target_unavailable_since_seconds',
      'When a target became unavailable, in seconds since 1970, by reason; else 0.',
      ...['provider', 'upstream_model', 'reason'],
    ),
    keyCooldown: state(
      'provider_key_in_cooldown',
      '1 while a key of a provider is in cooldown at a target, else 0.',
      ...['provider', 'upstream_model', 'key'],
    ),
    storeFailing: state('store_failing', '1 while a store is failing.', 'store'),
    ledgerRecordsLost: counter(
      'ledger_records_lost_total',
      'Records of the ledger that were lost.',
      'reason',
    ),
    logRowsLost: counter('log_rows_lost_total', 'Rows of the request log that were lost.', 'reason'),
    logBodiesLost: counter('log_bodies_lost_total', 'Requests whose bodies were lost.', 'reason'),
    internalErrors: counter('internal_errors_total', 'Requests that ended with an internal error.'),
    warnings: counter('warnings_total', 'Warnings to the operator.', 'code'),
  }
}
