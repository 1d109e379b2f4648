import type { TelemetryConfig } from '../../config/config.ts'
import type { ImportNode, ImportReader } from '../import-reader.ts'

/** What sees the requests. Of LiteLLM's callbacks two have something that does their work. */
export function telemetryOf(settings: ImportNode, reading: ImportReader): TelemetryConfig | undefined {
  const found = new Set<string>()
  for (const list of ['callbacks', 'success_callback', 'failure_callback', 'service_callback']) {
    const part = settings.at(list)
    for (const callback of part.isLeaf ? [part] : part.items()) readCallback(callback, found)
  }
  if (found.has('prometheus'))
    reading.note('Metrics are at /metrics, by names of their own: dashboards have to be changed.')
  if (found.has('otel'))
    reading.note('Spans and metrics go where OTEL_EXPORTER_OTLP_ENDPOINT says, by the conventions for GenAI.')
  if (settings.at('turn_off_message_logging').value === true) settings.at('turn_off_message_logging').take()
  const json = settings.at('json_logs').flag()
  const telemetry = {
    ...(found.has('prometheus') ? { metrics: true } : {}),
    ...(found.has('otel') ? { openTelemetry: true } : {}),
    ...(json === true ? { log: 'json' as const } : {}),
  }
  return Object.keys(telemetry).length === 0 ? undefined : telemetry
}

function readCallback(callback: ImportNode, found: Set<string>): void {
  const name = callback.value === 'opentelemetry' ? 'otel' : callback.value
  if (name === 'prometheus' || name === 'otel') {
    callback.take()
    found.add(name)
    return
  }
  callback.lose(
    'There is no callback of that name.',
    'Use telemetry.openTelemetry, which most of these services take, or `observe` in a TypeScript configuration.',
  )
}
