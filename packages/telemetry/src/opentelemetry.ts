import { metrics, trace } from '@opentelemetry/api'
import { ConfigurationError, type Observer, type Tracer } from '@sluice/core'
import { ChatSpan } from './opentelemetry/chat-span.ts'
import { type Instruments, instruments } from './opentelemetry/instruments.ts'
import { Labels } from './opentelemetry/labels.ts'
import { type OpenTelemetryOptions, optionIssues } from './opentelemetry/opentelemetry-options.ts'
import { requestMetrics } from './opentelemetry/request-metrics.ts'

export type { OpenTelemetryOptions } from './opentelemetry/opentelemetry-options.ts'

/** Options of `createGateway` with the same names. Use both. */
export interface OpenTelemetry {
  /** Creates the spans, and measures upstream calls. */
  readonly tracer: Tracer
  /** Measures requests and their cost. */
  readonly observe: Observer
}

const scope = '@sluice/telemetry'

/**
 * Creates spans and metrics by the GenAI conventions of OpenTelemetry, through `@opentelemetry/api`. You set up the SDK
 * and the exporters. The conventions are in development, so names may change in any release. Instruments are created
 * with the first request: start the SDK before it.
 *
 * Throws `ConfigurationError` that lists every invalid option.
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): OpenTelemetry {
  const issues = optionIssues(options)
  if (issues.length > 0) throw new ConfigurationError('openTelemetry()', issues)
  const { tracerProvider, meterProvider, incoming = true, outgoing = true, tags = [] } = options
  let made: Instruments | undefined
  const measures = () => {
    made ??= instruments((meterProvider ?? metrics).getMeter(scope))
    return made
  }
  const labels = new Labels(tags)
  const dependencies = {
    tracer: (tracerProvider ?? trace).getTracer(scope),
    instruments: measures,
    labels,
    clock: () => performance.now(),
    incoming,
    propagatesTo: (provider: string) =>
      typeof outgoing === 'boolean' ? outgoing : outgoing.includes(provider),
    tags,
    principal: options.principal ?? false,
    user: options.user ?? false,
    content: options.content ?? false,
  }
  return {
    tracer: {
      start: (request, requestId, operation) => new ChatSpan(request, requestId, operation, dependencies),
    },
    observe: requestMetrics(measures, labels),
  }
}
