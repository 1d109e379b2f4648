import { metrics, trace } from '@opentelemetry/api'
import type { Observer, Tracer } from '@sluice/core'
import { ChatSpan } from './opentelemetry/chat-span.ts'
import { type Instruments, instruments } from './opentelemetry/instruments.ts'
import { Labels } from './opentelemetry/labels.ts'
import { type OpenTelemetryOptions, optionFaults } from './opentelemetry/opentelemetry-options.ts'
import { requestMetrics } from './opentelemetry/request-metrics.ts'

export type { OpenTelemetryOptions } from './opentelemetry/opentelemetry-options.ts'

/** Both are options of `createGateway` by the same names, and go together. */
export interface OpenTelemetry {
  /** Makes the spans, and measures upstream calls. */
  readonly tracer: Tracer
  /** Measures requests, and what they cost. */
  readonly observe: Observer
}

const scope = '@sluice/telemetry'

/**
 * Spans and metrics of a gateway by the GenAI conventions of OpenTelemetry, through `@opentelemetry/api`: which SDK
 * takes them, and where they go, is yours to set up. The conventions are in development, so names may change in any
 * release. Instruments are made with the first request: have the SDK started by then.
 *
 * Throws `TypeError` naming every option that is wrong.
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): OpenTelemetry {
  const faults = optionFaults(options)
  if (faults.length > 0)
    throw new TypeError(`openTelemetry got options that it cannot use:\n- ${faults.join('\n- ')}`)
  const { tracerProvider, meterProvider, incoming = true, outgoing = true, tags = [] } = options
  let made: Instruments | undefined
  const measures = () => {
    made ??= instruments((meterProvider ?? metrics).getMeter(scope))
    return made
  }
  const labels = new Labels(tags)
  const world = {
    tracer: (tracerProvider ?? trace).getTracer(scope),
    instruments: measures,
    labels,
    clock: () => performance.now(),
    incoming,
    tells: (provider: string) => (typeof outgoing === 'boolean' ? outgoing : outgoing.includes(provider)),
    tags,
    principal: options.principal ?? false,
    content: options.content ?? false,
  }
  return {
    tracer: { start: (request, requestId) => new ChatSpan(request, requestId, world) },
    observe: requestMetrics(measures, labels),
  }
}
