import type { TelemetryConfig } from '../../config/config.ts'
import type { ImportNode, ImportReader } from '../import-reader.ts'

/** What sees the requests. Of LiteLLM's callbacks two have something that does their work. */
export function telemetryOf(settings: ImportNode, reader: ImportReader): TelemetryConfig | undefined {
  const found = new Set<string>()
  for (const list of ['callbacks', 'success_callback', 'failure_callback', 'service_callback']) {
    const part = settings.at(list)
    for (const callback of part.isLeaf ? [part] : part.items()) readCallback(callback, found)
  }
  if (found.has('prometheus'))
    reader.note('Metrics are at /metrics with other names: update your dashboards.')
  if (found.has('otel'))
    reader.note('Spans and metrics are sent to OTEL_EXPORTER_OTLP_ENDPOINT, by the GenAI conventions.')
  if (settings.at('turn_off_message_logging').value === true)
    settings.at('turn_off_message_logging').markRead()
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
    callback.markRead()
    found.add(name)
    return
  }
  callback.reportUnsupported(
    'Unsupported callback.',
    'Use telemetry.openTelemetry, which most of these services accept, or `observe` in a TypeScript configuration.',
  )
}
