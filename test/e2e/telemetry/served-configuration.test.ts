import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
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

  it('warns once of spans and metrics that cannot be sent', async () => {
    const collector = createServer((_request, response) => response.writeHead(401).end('canary'))
    await new Promise<void>(resolve => collector.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void collector.close().closeAllConnections())
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', `http://127.0.0.1:${(collector.address() as AddressInfo).port}`)
    vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '10')
    onTestFinished(() => void vi.unstubAllEnvs())
    const lines: string[] = []
    const logged = { ...config, telemetry: { openTelemetry: true, log: 'json' } } as const
    const service = await startService(logged, { ...world, print: line => lines.push(line) })
    const warnings = () => lines.map(line => JSON.parse(line)).filter(({ warning }) => warning !== undefined)
    for (let request = 1; request <= 3; request++) {
      const answer = await fetch(`${service.baseURL}/chat/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk-ann', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Hi' }] }),
      })
      expect(answer.status).toBe(200)
      await answer.text()
      await expect.poll(() => warnings()).toHaveLength(1)
    }
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    expect(metrics).toContain('sluice_warnings_total{code="telemetry_not_exported"} 1')
    await service.close()
    expect(warnings()).toMatchObject(
      ['Spans', 'Metrics'].map(what => ({
        warning: 'telemetry_not_exported',
        message: `${what} could not be exported by OTLP (401). Check OTEL_EXPORTER_OTLP_ENDPOINT.`,
      })),
    )
    expect(lines.join()).not.toContain('canary')
  })
})
