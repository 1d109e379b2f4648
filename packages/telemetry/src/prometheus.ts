import type { Endpoint, GatewayEvent, Observer } from '@sluice/core'
import { collectDefaultMetrics, Registry, type RegistryContentType } from 'prom-client'
import { countAttempt, countRequest, countUse } from './prometheus/count-request.ts'
import { groupMetrics } from './prometheus/group-metrics.ts'
import { makeInstruments } from './prometheus/instruments.ts'
import { Labels } from './prometheus/labels.ts'
import { metricsEndpoint } from './prometheus/metrics-endpoint.ts'
import { type PrometheusOptions, resolvePrometheusOptions } from './prometheus/options.ts'
import { RunningRequests } from './prometheus/running-requests.ts'
import { setKeyState, setTargetState } from './prometheus/target-states.ts'

export type { PrometheusOptions } from './prometheus/options.ts'

/** Prometheus metrics of a gateway. */
export interface PrometheusMetrics {
  /** For the gateway's `observe`. */
  readonly observe: Observer
  /** For `withEndpoints`: `GET /metrics`. */
  readonly endpoint: Endpoint
  /** For your own metrics. */
  readonly registry: Registry<RegistryContentType>
}

/**
 * Collects Prometheus metrics of a gateway. One instance can serve several gateways, without a label for each.
 *
 * Throws `ConfigurationError` for invalid options, and `Error` if the registry has metrics with the same names.
 */
export function prometheus(options: PrometheusOptions = {}): PrometheusMetrics {
  const resolved = resolvePrometheusOptions(options)
  const registry = options.registry ?? new Registry<RegistryContentType>()
  const metrics = makeInstruments(registry, resolved)
  if (options.defaultMetrics === true) collectDefaultMetrics({ register: registry as Registry })
  const labels = new Labels(resolved.tags, resolved.maxLabelValues)
  const running = new RunningRequests(metrics, labels)
  const { group, path } = resolved
  const summed = group && groupMetrics(group, `metrics ${path}`, registry)
  const read = () => (summed === undefined ? registry.metrics() : summed.text())
  const observe = (event: GatewayEvent): void => {
    switch (event.type) {
      case 'begin':
        running.begin(event)
        break
      case 'end':
        running.end(event)
        countRequest(event, metrics, labels)
        break
      case 'discarded_call':
        // Other attempts are counted with their request.
        if (event.attempt.why === 'shadow') countAttempt(event.attempt, event, metrics, labels)
        countUse(event, 'discarded', event.attempt, metrics, labels)
        break
      case 'target':
        setTargetState(event, metrics, labels, Date.now())
        break
      case 'provider_key':
        setKeyState(event, metrics, labels)
        break
      case 'store':
        metrics.storeFailing.set({ store: event.store }, event.state === 'failing' ? 1 : 0)
        break
      case 'ledger_records_lost':
        metrics.ledgerRecordsLost.inc({ reason: event.reason }, event.records)
        break
      case 'log_rows_lost':
        metrics.logRowsLost.inc({ reason: event.reason }, event.rows)
        break
      case 'log_bodies_lost':
        metrics.logBodiesLost.inc({ reason: event.reason }, event.rows)
        break
      case 'internal_error':
        metrics.internalErrors.inc()
        break
      case 'warning':
        metrics.warnings.inc({ code: event.code })
        break
    }
  }
  return { observe, endpoint: metricsEndpoint(read, registry.contentType, resolved), registry }
}
