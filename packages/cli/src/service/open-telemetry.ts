import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Observer } from '@sluice/core'
import type { OpenTelemetry, OpenTelemetryOptions } from '@sluice/telemetry/opentelemetry'
import { CommandError } from '../command.ts'
import { codeOf } from '../command-line/error-code.ts'
import type { Environment } from '../config/load/with-environment.ts'
import { projectModule, resolvedFrom } from './project-module.ts'

type Maker = new (options?: object) => unknown
interface Closable {
  shutdown(): Promise<void>
}

const packages = [
  '@opentelemetry/api',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-base',
  '@opentelemetry/sdk-metrics',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/exporter-metrics-otlp-http',
] as const

/** How long what is left is sent for at the end, in milliseconds. */
const flushMs = 5_000

/** Spans and metrics that leave the process. */
export interface SentTelemetry {
  readonly tracer: OpenTelemetry['tracer']
  readonly observe: Observer
  /** Sends what is left. */
  close(): Promise<void>
}

/**
 * Sends spans and metrics by OTLP, as the variables of OpenTelemetry say (`OTEL_EXPORTER_OTLP_ENDPOINT`,
 * `OTEL_SERVICE_NAME`). The packages are the project's own; rejects with `CommandError` where some are not installed.
 *
 * @param warn - receives a `warning` when an export fails, and again only after one that succeeded.
 */
export async function startOpenTelemetry(
  folder: string,
  env: Environment,
  tags: readonly string[],
  warn: Observer,
  load: typeof projectModule = projectModule,
): Promise<SentTelemetry> {
  const { found, openTelemetry } = await openTelemetryPackages(folder, load)
  const all = Object.assign({}, ...found) as Readonly<Record<string, unknown>>
  const make = (name: string, ...options: object[]) => new (all[name] as Maker)(...options)
  const resource = resourceOf(all, env.OTEL_SERVICE_NAME)
  const exporter = (name: string, what: string) => watched(make(name) as Exporter, what, warn)
  const spans = make('BatchSpanProcessor', exporter('OTLPTraceExporter', 'Spans'))
  const tracerProvider = make('BasicTracerProvider', { resource, spanProcessors: [spans] }) as Closable
  const reader = make('PeriodicExportingMetricReader', {
    exporter: exporter('OTLPMetricExporter', 'Metrics'),
  })
  const meterProvider = make('MeterProvider', { resource, readers: [reader] }) as Closable
  const forget = await carryTraces(all.propagation as Propagation, folder)
  const { tracer, observe } = openTelemetry({
    tracerProvider,
    meterProvider,
    tags,
  } as unknown as OpenTelemetryOptions)
  return {
    tracer,
    observe,
    close: async () => {
      const ended = Promise.allSettled([tracerProvider.shutdown(), meterProvider.shutdown()])
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>(resolve => {
        timer = setTimeout(resolve, flushMs)
      })
      await Promise.race([ended, late])
      clearTimeout(timer)
      forget()
    },
  }
}

/**
 * Loads the packages of OpenTelemetry that are the project's own, and what stands on them. Rejects with `CommandError` where
 * some are not installed.
 */
export async function openTelemetryPackages(
  folder: string,
  load: typeof projectModule = projectModule,
): Promise<{
  readonly found: readonly (Readonly<Record<string, unknown>> | undefined)[]
  readonly openTelemetry: typeof import('@sluice/telemetry/opentelemetry').openTelemetry
}> {
  const found = await Promise.all(packages.map(name => load(name, folder)))
  const missing = packages.filter((_, at) => found[at] === undefined)
  if (missing.length > 0) {
    throw new CommandError(
      `telemetry.openTelemetry needs packages that are not installed here. Run: npm install ${missing.join(' ')}`,
    )
  }
  const { openTelemetry } = await ours()
  return { found, openTelemetry }
}

/** It stands on the project's own `@opentelemetry/api`, and so is loaded only where that is there. */
async function ours(): Promise<typeof import('@sluice/telemetry/opentelemetry')> {
  try {
    return await import('@sluice/telemetry/opentelemetry')
  } catch {
    throw new CommandError(
      'telemetry.openTelemetry: sluice cannot find @opentelemetry/api. Install sluice in the same project: npm install sluice',
    )
  }
}

/** Of the SDK: `code` 0 is success. */
interface ExportResult {
  readonly code: number
  readonly error?: Error
}

interface Exporter {
  export(items: unknown, done: (result: ExportResult) => void): void
}

/** Warns of exports that fail. The SDK says nothing about them. */
function watched<E extends Exporter>(exporter: E, what: string, warn: Observer): E {
  const send = exporter.export.bind(exporter)
  let failing = false
  exporter.export = (items, done) =>
    send(items, result => {
      const { code, error } = result
      if (code !== 0 && !failing) {
        const why = codeOf(error) ?? error?.name ?? 'unknown'
        const message = `${what} could not be exported by OTLP (${why}). Check OTEL_EXPORTER_OTLP_ENDPOINT.`
        warn({ type: 'warning', code: 'telemetry_not_exported', message, ...(error && { error }) })
      }
      failing = code !== 0
      done(result)
    })
  return exporter
}

interface Propagation {
  /** `false` where there is one already. */
  setGlobalPropagator(propagator: unknown): boolean
  disable(): void
}

/**
 * Requests go on with the trace of their caller, and upstreams are sent it, as W3C Trace Context. Gives what takes that
 * back. The package is what the SDK itself stands on.
 */
async function carryTraces(propagation: Propagation, folder: string): Promise<() => void> {
  const sdk = resolvedFrom('@opentelemetry/sdk-trace-base', folder)
  const core = await projectModule(
    '@opentelemetry/core',
    sdk === undefined ? folder : dirname(fileURLToPath(sdk)),
  )
  const Propagator = core?.W3CTraceContextPropagator as (new () => unknown) | undefined
  const isOurs = Propagator !== undefined && propagation.setGlobalPropagator(new Propagator())
  return () => {
    if (isOurs) propagation.disable()
  }
}

interface Resource {
  merge(other: Resource): Resource
}

/** A name of its own, and then what the environment says. */
function resourceOf(all: Readonly<Record<string, unknown>>, name = 'sluice'): Resource {
  const call = (given: string, ...asked: object[]) =>
    (all[given] as (...asked: object[]) => Resource)(...asked)
  return call('defaultResource')
    .merge(call('detectResources', { detectors: [all.envDetector] }))
    .merge(call('resourceFromAttributes', { 'service.name': name }))
}
