import { context, propagation } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import {
  apiKeys,
  createGateway,
  type EndEvent,
  type GatewayEvent,
  type GatewayOptions,
  type ModelEntries,
  models,
} from '@sluice/core'
import { type Serving, serve } from '@sluice/node'
import { type OpenTelemetryOptions, openTelemetry } from '@sluice/telemetry/opentelemetry'
import { onTestFinished } from 'vitest'
import { type OtlpCollector, otlpCollector, type ReceivedPoint, type ReceivedSpan } from './otlp-collector.ts'

export const callerKey = 'sk-caller-canary-81'
export const upstreamKey = 'sk-upstream-canary-27'

export interface TracedService {
  readonly serving: Serving
  readonly collector: OtlpCollector
  readonly tracerProvider: BasicTracerProvider
  readonly ends: readonly EndEvent[]
  post(body: object, headers?: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Response>
  /** Sends what is under way, and gives all that was received. */
  received(): Promise<{ readonly spans: readonly ReceivedSpan[]; readonly points: readonly ReceivedPoint[] }>
}

/** A gateway behind a server, with the official SDK, whose exporters send to an endpoint of the test, until it ends. */
export async function tracedService(
  table: ModelEntries<string>,
  options: Partial<GatewayOptions> = {},
  telemetryOptions: OpenTelemetryOptions = {},
): Promise<TracedService> {
  const collector = await otlpCollector()
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(
    new CompositePropagator({
      propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()],
    }),
  )
  const tracerProvider = new BasicTracerProvider({
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${collector.url}/v1/traces` }))],
  })
  const exporter = new OTLPMetricExporter({ url: `${collector.url}/v1/metrics` })
  const meterProvider = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })],
  })
  const { tracer, observe } = openTelemetry({ tracerProvider, meterProvider, ...telemetryOptions })
  const ends: EndEvent[] = []
  const gateway = createGateway({
    authenticate: apiKeys([{ id: 'ann', key: callerKey, tags: { team: 'search', secret: 'tag-canary' } }]),
    route: models(table),
    retry: false,
    breaker: false,
    ...options,
    tracer,
    observe(event: GatewayEvent) {
      observe(event)
      if (event.type === 'end') ends.push(event)
    },
  })
  const serving = await serve(gateway, { port: 0, signals: false })
  onTestFinished(async () => {
    await serving.close({ drainMs: 0 })
    await Promise.all([tracerProvider.shutdown(), meterProvider.shutdown()])
    await collector.close()
    context.disable()
    propagation.disable()
  })
  return {
    serving,
    collector,
    tracerProvider,
    ends,
    post: (body, headers = {}, signal) =>
      fetch(`${serving.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${callerKey}`, ...headers },
        body: JSON.stringify({ messages: [{ role: 'user', content: 'prompt-canary' }], ...body }),
        ...(signal && { signal }),
      }),
    received: async () => {
      await Promise.all([tracerProvider.forceFlush(), meterProvider.forceFlush()])
      const { spans, points } = collector
      return { spans, points }
    },
  }
}
