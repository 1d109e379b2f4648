import { trace } from '@opentelemetry/api'
import { startService } from 'sluice'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { otlpCollector } from './otlp-collector.ts'

const world = {
  env: {},
  cwd: process.cwd(),
  print: () => {},
  log: () => {},
  terminal: false,
  colours: false,
  now: Date.now,
}
const config = {
  server: { port: 0 },
  providers: { local: {} },
  models: { demo: 'local/demo' },
  keys: [{ id: 'ann', key: 'sk-ann' }],
  telemetry: { openTelemetry: true, log: 'off' },
} as const

describe('telemetry.openTelemetry', () => {
  it('sends spans and metrics where the environment says, with the trace of the caller', async () => {
    const collector = await otlpCollector()
    onTestFinished(() => collector.close())
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url)
    onTestFinished(() => void vi.unstubAllEnvs())
    const service = await startService(config, { ...world, env: { OTEL_SERVICE_NAME: 'gate' } })
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    const answer = await fetch(`${service.baseURL}/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer sk-ann',
        'content-type': 'application/json',
        traceparent: `00-${traceId}-b7ad6b7169203331-01`,
      },
      body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'hunter2' }] }),
    })
    expect(answer.status).toBe(200)
    await answer.text()
    // What is left is sent when the service closes.
    await service.close()
    expect(collector.spans.map(span => span.traceId)).toEqual(collector.spans.map(() => traceId))
    expect(collector.spans.map(({ name }) => name)).toContain('chat demo')
    expect(collector.points.length).toBeGreaterThan(0)
    expect(collector.payload).toContain('"gate"')
    expect(collector.payload).not.toContain('hunter2')
    expect(trace.getTracerProvider().constructor.name).toBe('ProxyTracerProvider')
  })
})
