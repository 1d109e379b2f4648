import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as it was received, its attributes as values. Kinds: 1 internal, 2 server, 3 client. Status: 0 unset, 2 error. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: number
  readonly status: number
  readonly ms: number
  readonly events: readonly unknown[]
  readonly attributes: Readonly<Record<string, Received>>
}

/** One series of a metric. */
export interface ReceivedPoint {
  readonly metric: string
  readonly unit: string
  readonly kind: 'histogram' | 'sum'
  readonly count: number
  readonly sum: number
  readonly bounds: readonly number[]
  readonly attributes: Readonly<Record<string, Received>>
}

/** A value with the type that it was sent as. */
export type Received = { readonly [type in 'string' | 'int' | 'double' | 'bool']?: unknown } & {
  readonly array?: readonly Received[]
}

export interface OtlpCollector {
  readonly url: string
  readonly spans: readonly ReceivedSpan[]
  /** The points of the last export. */
  readonly points: readonly ReceivedPoint[]
  /** All bodies as they came. */
  readonly payload: string
  close(): Promise<void>
}

/** An endpoint for OTLP over HTTP, in its JSON form, on a port of its own. */
export async function otlpCollector(): Promise<OtlpCollector> {
  const spans: ReceivedSpan[] = []
  let points: readonly ReceivedPoint[] = []
  let payload = ''
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const text = Buffer.concat(parts).toString()
    payload += text
    const body = JSON.parse(text)
    if (request.url === '/v1/traces') spans.push(...spansOf(body))
    else if (request.url === '/v1/metrics') points = pointsOf(body)
    else response.statusCode = 404
    response.setHeader('content-type', 'application/json').end('{}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    get points() {
      return points
    },
    get payload() {
      return payload
    },
    close: () =>
      new Promise((resolve, reject) => {
        server.closeAllConnections()
        server.close(error => (error === undefined ? resolve() : reject(error)))
      }),
  }
}

interface Sent {
  readonly attributes?: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
}

interface SentSpan extends Sent, Pick<ReceivedSpan, 'traceId' | 'spanId' | 'name' | 'kind'> {
  readonly parentSpanId?: string
  readonly status?: { readonly code?: number }
  readonly events?: readonly unknown[]
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
}

interface SentPoint extends Sent {
  readonly count?: number | string
  readonly sum?: number
  readonly asDouble?: number
  readonly asInt?: number | string
  readonly explicitBounds?: readonly number[]
}

interface SentMetric {
  readonly name: string
  readonly unit: string
  readonly histogram?: { readonly dataPoints: readonly SentPoint[] }
  readonly sum?: { readonly dataPoints: readonly SentPoint[] }
}

interface Body {
  readonly resourceSpans?: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[]
  }[]
  readonly resourceMetrics?: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly SentMetric[] }[]
  }[]
}

function spansOf({ resourceSpans = [] }: Body): ReceivedSpan[] {
  return resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    .map(span => ({
      traceId: span.traceId,
      spanId: span.spanId,
      parentSpanId: span.parentSpanId === '' ? undefined : span.parentSpanId,
      name: span.name,
      kind: span.kind,
      status: span.status?.code ?? 0,
      ms: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6,
      events: span.events ?? [],
      attributes: attributesOf(span),
    }))
}

function pointsOf({ resourceMetrics = [] }: Body): ReceivedPoint[] {
  return resourceMetrics
    .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
    .flatMap(({ name, unit, histogram, sum }) =>
      (histogram ?? sum)!.dataPoints.map(point => ({
        metric: name,
        unit,
        kind: histogram === undefined ? ('sum' as const) : ('histogram' as const),
        count: Number(point.count ?? 1),
        sum: Number(point.sum ?? point.asDouble ?? point.asInt),
        bounds: point.explicitBounds ?? [],
        attributes: attributesOf(point),
      })),
    )
}

function attributesOf({ attributes = [] }: Sent): Readonly<Record<string, Received>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, received(value)]))
}

function received(value: Readonly<Record<string, unknown>>): Received {
  const [type = '', told] = Object.entries(value)[0] ?? []
  if (type !== 'arrayValue') return { [type.replace('Value', '')]: type === 'intValue' ? Number(told) : told }
  const { values = [] } = told as { values?: readonly Readonly<Record<string, unknown>>[] }
  return { array: values.map(received) }
}
