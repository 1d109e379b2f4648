import { isDeepStrictEqual } from 'node:util'
import type { Alerts } from '@sluice/alerts'
import { type Console, createConsole } from '@sluice/console'
import {
  type Endpoint,
  type Hook,
  type ManagedGateway,
  type Observer,
  observers,
  type Principal,
} from '@sluice/core'
import { type OpenApiOptions, openApi } from '@sluice/core/openapi'
import type { Database, ProcessGroup } from '@sluice/core/store'
import type { BodyLog, RequestLog } from '@sluice/log'
import { probes, requestLog } from '@sluice/telemetry'
import { type PrometheusMetrics, prometheus } from '@sluice/telemetry/prometheus'
import type { CommandContext } from '../command.ts'
import type { ConsoleConfig, TelemetryConfig, TypedConfig } from '../config/config.ts'
import type { SentTelemetry } from './open-telemetry.ts'

/** What there is to observe beside events, and where it is stored; `undefined` where it is not. */
interface ObservabilityStores {
  /** The hooks of the gateway with this configuration. */
  readonly hooks: readonly Hook[]
  readonly database: Database | undefined
  readonly requestLog: RequestLog | undefined
  readonly alerts: Alerts | undefined
  readonly bodyLog: BodyLog | undefined
}

type ObservabilityContext = Pick<CommandContext, 'print' | 'log' | 'terminal' | 'colours' | 'now'>

/**
 * What is seen of a service: log, metrics, spans, console. It outlives a configuration: what was counted stays, and who
 * watches goes on watching.
 */
export class ServiceObservability {
  readonly #context: ObservabilityContext
  readonly #sent: SentTelemetry | undefined
  readonly #group: ProcessGroup | undefined
  readonly #metrics: PrometheusMetrics | undefined
  #console: { readonly page: Console; readonly settings: ConsoleConfig; readonly base: string } | undefined
  #isRetiring = false
  #observe: Observer = () => {}
  #hooks: readonly Hook[] = []

  constructor(
    context: ObservabilityContext,
    sent: SentTelemetry | undefined,
    { metrics = true, tagLabels }: TelemetryConfig,
    group?: ProcessGroup,
  ) {
    this.#context = context
    this.#sent = sent
    this.#group = group
    if (metrics === false) return
    const token = typeof metrics === 'object' ? metrics.token : undefined
    this.#metrics = prometheus({
      defaultMetrics: true,
      ...(tagLabels !== undefined && { tagLabels }),
      ...(token !== undefined && { token }),
      group,
    })
  }

  /** The same for every configuration. */
  readonly observe: Observer = event => this.#observe(event)

  /** The same for every configuration: it knows the requests of the console that is there. */
  readonly consoleCaller = (request: Request): Principal | undefined =>
    this.#console?.page.authenticate(request)

  get hasConsole(): boolean {
    return this.#console !== undefined
  }

  /** Sees as a configuration says from now on. Gives what answers beside the gateway. */
  use(config: TypedConfig, gateway: ManagedGateway, stores: ObservabilityStores): readonly Endpoint[] {
    const metrics = this.#metrics
    this.#hooks = stores.hooks
    this.#useConsole(config, stores)
    const page = this.#console?.page
    this.#observe = observers(
      config.observe,
      this.#logOf(config),
      metrics?.observe,
      this.#sent?.observe,
      page?.observe,
      stores.requestLog?.observe,
      stores.alerts?.observe,
    )
    return [
      probes(gateway),
      openApi(descriptionOf(config)),
      ...(metrics ? [metrics.endpoint] : []),
      ...(page ? [page.endpoint(this.#liveGateway(gateway))] : []),
    ]
  }

  /** Ends the console's live streams within a second, and goes on recording requests: for a service that still answers some. */
  retireConsole(): void {
    this.#isRetiring = true
  }

  /** A gateway whose live streams of the console end when it is not ready any more. */
  #liveGateway(gateway: ManagedGateway): Parameters<Console['endpoint']>[0] {
    const isRetiring = () => this.#isRetiring
    return {
      fetch: gateway.fetch,
      matches: gateway.matches,
      targets: () => gateway.targets(),
      get models() {
        return gateway.models
      },
      get ready() {
        return gateway.ready && !isRetiring()
      },
    }
  }

  /** Closes the console's live streams, which would keep the service from ending. */
  closeConsole(): void {
    this.#console?.page.close()
  }

  #logOf({ telemetry }: TypedConfig): Observer | undefined {
    const { log = 'auto' } = telemetry ?? {}
    const { print, terminal, colours, now } = this.#context
    if (log === 'off') return undefined
    const format = log === 'auto' ? (terminal ? 'pretty' : 'json') : log
    return requestLog({ write: print, format, colours, now })
  }

  #useConsole(config: TypedConfig, stores: ObservabilityStores): void {
    const settings = config.console === false ? undefined : config.console
    const base = config.server?.basePath ?? '/v1'
    const now = this.#console
    if (isDeepStrictEqual(now?.settings, settings) && (now === undefined || now.base === base)) return
    now?.page.close()
    this.#console =
      settings === undefined ? undefined : { page: this.#pageOf(settings, base, stores), settings, base }
  }

  #pageOf(
    { adminKey, chat, ownUsage }: ConsoleConfig,
    base: string,
    { database, requestLog, bodyLog, alerts }: ObservabilityStores,
  ): Console {
    return createConsole({
      adminKey,
      chat,
      basePath: base,
      now: this.#context.now,
      keys: database?.keys,
      usage: database && (query => database.usage(query)),
      ownUsage: ownUsage === true && database !== undefined,
      log: requestLog,
      bodies: bodyLog,
      hooks: () => this.#hooks,
      alerts,
      group: this.#group,
      onError: error => this.#context.log(`Console error: ${nameOf(error)}.`),
    })
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown'
}

function descriptionOf({ server, validation, unknownParameters }: TypedConfig): OpenApiOptions {
  return {
    ...(server?.basePath !== undefined && { basePath: server.basePath }),
    ...(validation !== undefined && { validation }),
    ...(unknownParameters !== undefined && { unknownParameters }),
  }
}
