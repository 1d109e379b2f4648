import { Counter, Gauge, Histogram, type Registry, type RegistryContentType } from 'prom-client'
import type { ResolvedPrometheusOptions } from './options.ts'

/** The bounds for what the gateway takes itself, in seconds. */
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
  const seconds = (name: string, help: string, bounds: readonly number[], ...labels: string[]) =>
    new Histogram({ ...named(name, help, labels), buckets: [...bounds] })
  return {
    requests: counter(
      'requests_total',
      'Chat completions that have ended.',
      'model',
      'status',
      'outcome',
      ...tagged,
    ),
    inFlight: gauge('requests_in_flight', 'Chat completions that were let in and have not ended.', 'model'),
    duration: seconds(
      'request_duration_seconds',
      'From a request to the end of its answer.',
      buckets,
      'model',
      'outcome',
    ),
    firstByte: seconds(
      'first_byte_seconds',
      'From a request to the first byte of its answer.',
      buckets,
      'model',
      'stream',
    ),
    queueWait: seconds(
      'queue_wait_seconds',
      'What requests that were let in waited for room.',
      buckets,
      'model',
    ),
    overhead: seconds(
      'overhead_seconds',
      'What the gateway itself took before the first byte.',
      overheadBuckets,
    ),
    tokens: counter(
      'tokens_total',
      'Tokens; their types and uses add up to all.',
      'model',
      'provider',
      'type',
      'use',
      ...tagged,
    ),
    cost: counter('cost_usd_total', 'What calls cost, in US dollars.', 'model', 'provider', 'use', ...tagged),
    unpriced: counter(
      'unpriced_total',
      'Calls that used tokens and have no price.',
      'model',
      'provider',
      'use',
    ),
    estimated: counter(
      'estimated_usage_total',
      'Calls whose tokens are a guess.',
      'model',
      'provider',
      'use',
    ),
    attempts: counter(
      'attempts_total',
      'Attempts at upstreams, shadows included.',
      ...['provider', 'upstream_model', 'why', 'result', 'upstream_status'],
    ),
    refusals: counter('refusals_total', 'Chat completions that the gateway refused.', 'reason', ...tagged),
    authFailures: counter('auth_failures_total', 'Chat completions whose caller is unknown.', 'reason'),
    wouldHaveRefused: counter(
      'dry_run_refusals_total',
      'Requests that a dry-run rule would have refused.',
      'rule',
    ),
    cache: counter('cache_requests_total', 'Requests that the cache was asked for.', 'model', 'result'),
    replayed: counter('replayed_total', 'Answers that were given again for an idempotency key.', 'model'),
    targetState: gauge(
      'target_state',
      '1 for the state that a target is in.',
      'provider',
      'upstream_model',
      'state',
    ),
    targetUnavailableSince: gauge(
      'target_unavailable_since_seconds',
      'When a target began to be left alone, in seconds since 1970, by the reason; 0 while it is not for that reason.',
      ...['provider', 'upstream_model', 'reason'],
    ),
    storeFailing: gauge('store_failing', '1 while something that remembers fails.', 'store'),
    internalErrors: counter('internal_errors_total', 'Requests that ended with a fault inside.'),
    warnings: counter('warnings_total', 'Warnings to the owner.', 'code'),
  }
}
