import { context, metrics, propagation, trace } from '@opentelemetry/api'
import type { MeterProvider } from '@opentelemetry/sdk-metrics'
import type { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import { createGateway, type Gateway, models, type Observer, type Tracer } from '@sluice/core'
import { openaiCompatible } from '@sluice/providers'
import { steps } from '@sluice/testing'
import { expect, it, onTestFinished } from 'vitest'
import { attributes, metricNames, ownAttributes } from '../../packages/telemetry/src/opentelemetry/names.ts'
import { type OtlpCollector, otlpCollector } from '../e2e/telemetry/otlp-collector.ts'
import { upstreamDuring } from '../resilience/faults/harness/upstream.ts'
import { type Check, describePage } from './runner/describe-page.ts'
import { readPage, tableUnder } from './runner/markdown.ts'

const page = 'docs/tracing.md'
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

const asking = (headers: Readonly<Record<string, string>> = {}) =>
  new Request('http://sluice.test/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Hello' }], stream: true }),
  })

async function collecting(): Promise<OtlpCollector> {
  const collector = await otlpCollector()
  onTestFinished(async () => {
    await collector.close()
    for (const api of [trace, metrics, propagation, context]) api.disable()
  })
  return collector
}

interface Sdk {
  readonly spans: BasicTracerProvider
  readonly measures: MeterProvider
  readonly gateway: Gateway
}

const isInstalled: Check = async ({ code }) => {
  const { devDependencies } = JSON.parse(readPage('package.json'))
  const names = code.match(/@[\w-]+\/[\w-]+/g) ?? []
  expect(names.length).toBeGreaterThan(5)
  for (const name of names) expect(devDependencies).toHaveProperty([name])
}

/** What its options make of a request by a caller with a trace, before an upstream that keeps what it is sent. */
async function sent(
  provider: string,
  { tracer, observe }: { readonly tracer: Tracer; readonly observe: Observer },
) {
  const upstream = await upstreamDuring(steps.answer())
  const { baseURL } = upstream
  const gateway = createGateway({
    authenticate: () => ({ id: 'ann', tags: { team: 'search' } }),
    route: models({ demo: openaiCompatible({ name: provider, baseURL, apiKey: 'sk-u' })('demo') }),
    tracer,
    observe,
  })
  onTestFinished(() => gateway.close())
  await (await gateway.fetch(asking({ traceparent }))).text()
  return upstream.requests[0]!.headers
}

describePage(page, {
  install: isInstalled,
  gateway: async snippet => {
    const collector = await collecting()
    const running = await snippet.run({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
    const { spans, measures, gateway } = running.exports as unknown as Sdk
    await (await gateway.fetch(asking({ traceparent }))).text()
    await Promise.all([spans.shutdown(), measures.shutdown()])
    await gateway.close()
    expect(collector.spans.map(({ name }) => name)).toEqual(['chat demo', 'chat demo'])
    expect(collector.spans[1]).toMatchObject({ parentSpanId: 'b7ad6b7169203331', kind: 2 })
    expect(collector.points.map(({ metric }) => metric)).toContain('gen_ai.server.request.duration')
  },
  trace: async (snippet, others) => {
    const collector = await collecting()
    const sdk = await others('gateway').run({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
    const { spans, measures, gateway } = sdk.exports as unknown as Sdk
    const { exports } = await snippet.run()
    const told = await sent('vllm', exports as never)
    expect(told.traceparent).toMatch(/^00-/)
    expect(told.traceparent).not.toContain(traceparent.slice(3, 35))
    expect(await sent('acme', exports as never)).not.toHaveProperty('traceparent')
    await Promise.all([spans.shutdown(), measures.shutdown(), gateway.close()])
  },
  content: async (snippet, others) => {
    const collector = await collecting()
    const sdk = await others('gateway').run({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
    const { spans, measures, gateway } = sdk.exports as unknown as Sdk
    await sent('acme', (await snippet.run()).exports as never)
    await Promise.all([spans.shutdown(), measures.shutdown(), gateway.close()])
    const [call, request] = collector.spans
    expect(call?.attributes['gen_ai.input.messages']?.string).toContain('Hello')
    expect(request?.attributes).toMatchObject({
      'sluice.tag.team': { string: 'search' },
      'enduser.id': { string: 'ann' },
    })
  },
  tracer: async snippet => {
    const { exports, printed } = await snippet.run()
    const gateway = exports.gateway as Gateway
    await (await gateway.fetch(asking())).text()
    expect(printed).toEqual([
      expect.stringMatching(/^demo of local begins after [\d.]+ ms$/),
      expect.stringMatching(/^first answered: \d+ tokens$/),
      expect.stringMatching(/^req_\w+ 200$/),
    ])
  },
})

it('tells of each metric', () => {
  const told = tableUnder(page, '## Metrics').map(([name = '']) => name.replaceAll('`', ''))
  expect(told.sort()).toEqual(Object.values(metricNames).sort())
})

it('tells of each attribute', () => {
  const text = readPage(page)
  const groups = ['gen_ai.request.', 'gen_ai.usage.', 'http.']
  const all: unknown[] = [...Object.values(attributes), ...Object.values(ownAttributes)]
  const names = all.filter(
    (name): name is string => typeof name === 'string' && !groups.some(group => name.startsWith(group)),
  )
  expect(names.filter(name => !text.includes(name))).toEqual([])
})
