import { createAlerts } from '@sluice/alerts'
import {
  createGateway,
  type Endpoint,
  type Gateway,
  type GatewayOptions,
  type Observer,
  withCors,
  withEndpoints,
} from '@sluice/core'
import { ListenError, serve } from '@sluice/node'
import type { StopRequest } from '@sluice/node/adapter'
import { recheckConfig } from '../config/check-config.ts'
import { compileConfig } from '../config/compile-config.ts'
import type { CompiledConfig } from '../config/compiled-config.ts'
import type { TypedConfig } from '../config/config.ts'
import { gatewayOptions } from '../config/gateway-options.ts'
import { VendorPool } from '../config/providers/vendor-pool.ts'
import { responseStorage, responseStorageText, responseStorageWarning } from '../config/response-storage.ts'
import { cachedTokenCallers } from '../config/sections/callers.ts'
import { openState } from '../state/open-state.ts'
import { fixedChanges, restartText, withFixedSettings } from './fixed-settings.ts'
import { rejectForeignHost } from './host-check.ts'
import { ServicePrices } from './load-prices.ts'
import { bodyLogConfig, bodyStorageText, openBodyLog, openRequestLog } from './open-request-log.ts'
import { startOpenTelemetry } from './open-telemetry.ts'
import type { Service, ServiceOptions } from './service.ts'
import { ServiceListenError } from './service-listen-error.ts'
import { ServiceObservability } from './service-observability.ts'

const defaultHost = '127.0.0.1'

/** What a service gets from its process. */
export interface ServiceContext {
  /** The environment variables. */
  readonly env: Record<string, string | undefined>
  /** The base of relative paths. */
  readonly cwd: string
  /** Writes a line of the request log: to standard output in the command line. */
  readonly print: (text: string) => void
  /** Writes a line of progress, a warning or an error: to standard error in the command line. */
  readonly log: (text: string) => void
  /** Whether standard output is a terminal: the request log is then pretty by default. */
  readonly terminal: boolean
  /** Whether the request log may use colours. */
  readonly colours: boolean
  /** Returns milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Starts a service for a configuration of `loadConfig`. When it resolves, the service listens. `close` of the service closes
 * everything that it has opened. It installs no signal handlers.
 *
 * Rejects with `InvalidConfigError` for an invalid configuration, and with `CommandError` if the state cannot be opened, a
 * package is not installed, or the address is not available. Then nothing stays open.
 */
export async function startService(
  given: TypedConfig,
  context: ServiceContext,
  options: ServiceOptions = {},
): Promise<Service> {
  const closing = new ShutdownSteps()
  try {
    return await started(given, context, options, closing)
  } catch (error) {
    await closing.run().catch(() => {})
    throw error
  }
}

async function started(
  given: TypedConfig,
  context: ServiceContext,
  options: ServiceOptions,
  closing: ShutdownSteps,
): Promise<Service> {
  const pool = new VendorPool()
  let earlyObservability: ServiceObservability | undefined
  const observeEarly: Observer = event => earlyObservability?.observe(event)
  const tokenCallers = cachedTokenCallers(observeEarly)
  const compiledOf = (made: TypedConfig): CompiledConfig => {
    const { config, issues } = recheckConfig(made)
    return compileConfig(config, issues, pool, tokenCallers)
  }
  let compiled = compiledOf(given)
  const { config } = compiled
  const { openTelemetry, tagLabels = [] } = config.telemetry ?? {}
  const sent = openTelemetry
    ? await startOpenTelemetry(context.cwd, context.env, tagLabels, observeEarly)
    : undefined
  closing.add(async () => sent?.close())
  const observability = new ServiceObservability(context, sent, config.telemetry ?? {}, options.group)
  earlyObservability = observability
  const state = await openState(
    config.state,
    { cwd: context.cwd, log: context.log, observe: observability.observe },
    { journal: true },
  )
  closing.add(() => state.close())
  const storage = responseStorage(config)
  const responses = storage === undefined ? false : state.responseStore(storage)
  const requestLog =
    config.log && state.database
      ? openRequestLog(config.log, state.database, { log: context.log, observe: observability.observe })
      : undefined
  closing.add(async () => requestLog?.close())
  const alerts =
    config.alerts &&
    createAlerts({
      ...config.alerts,
      store: state.alertStore,
      onFailure: ({ kind, reason }) => context.log(`Alert failed (${kind}): ${reason}`),
    })
  closing.add(async () => alerts?.close())
  const bodySettings = bodyLogConfig(config)
  const bodyLog =
    bodySettings && state.database
      ? openBodyLog(bodySettings, state.database, { log: context.log, observe: observability.observe })
      : undefined
  closing.add(async () => bodyLog?.close())

  const servicePrices = new ServicePrices(context.cwd, event => observability.observe(event))
  closing.add(async () => servicePrices.close())
  const optionsOf = async (made: CompiledConfig): Promise<GatewayOptions> => {
    const prices = await servicePrices.load(made.config)
    const further = {
      ...(sent !== undefined && { tracer: sent.tracer }),
      ...(bodyLog !== undefined && { bodies: bodyLog }),
    }
    return gatewayOptions(made, {
      ...state,
      responses,
      prices,
      observe: observability.observe,
      consoleCaller: made.config.console ? observability.consoleCaller : undefined,
      further,
    })
  }
  const firstOptions = await optionsOf(compiled)
  const gateway = createGateway(firstOptions)
  closing.add(() => gateway.close({ drainMs: 0 }))
  const endpointsOf = (made: TypedConfig, { hooks = [] }: GatewayOptions): readonly Endpoint[] =>
    observability.use(made, gateway, { ...state, hooks, requestLog, bodyLog, alerts })
  let front = frontOf(gateway, config, endpointsOf(config, firstOptions))
  compiled.vendors.keep()
  servicePrices.keep()
  const warning = responseStorageWarning(config)
  if (warning !== undefined) context.log(warning)

  const bound = options.host ?? config.server?.host ?? defaultHost
  const refused = (request: Request): Response | undefined => {
    const { allowedHosts } = compiled.config.server ?? {}
    if (options.checkHost !== true && allowedHosts === undefined) return undefined
    return rejectForeignHost(request, { bound, allowed: allowedHosts ?? [] })
  }
  const serving = await serve(
    {
      fetch: (request, context) => {
        const refusal = isRequest(request) ? refused(request) : undefined
        return refusal === undefined ? front.fetch(request, context) : Promise.resolve(refusal)
      },
      matches: (...asked) => front.matches(...asked),
      close: gateway.close,
    },
    {
      host: bound,
      port: options.port ?? config.server?.port,
      trustProxy: config.server?.trustProxy,
      signals: false,
    },
  ).catch((error: unknown) => {
    throw error instanceof ListenError ? new ServiceListenError(error) : error
  })
  let stopRequest: StopRequest | undefined
  closing.add(() => {
    const { drainMs = 30_000, shutdownDelayMs = 0 } = compiled.config.server ?? {}
    return serving.close(stopRequest ?? { drainMs, delayMs: shutdownDelayMs })
  })
  closing.add(async () => {
    if (stopRequest?.answersOpen === true) observability.retireConsole()
    else observability.closeConsole()
  })

  const reload = async (next: TypedConfig): Promise<void> => {
    const before = compiled.config
    const changes = fixedChanges(before, compiledOf(next).config, options)
    const after = compiledOf(changes.length === 0 ? next : withFixedSettings(before, next))
    const nextOptions = await optionsOf(after)
    gateway.reload(nextOptions)
    compiled = after
    after.vendors.keep()
    servicePrices.keep()
    front = frontOf(gateway, after.config, endpointsOf(after.config, nextOptions))
    for (const path of changes) context.log(restartText(path))
  }
  /** One after the other: the last one that was asked for is the one that stays. */
  let reloading: Promise<unknown> = Promise.resolve()
  let closed: Promise<void> | undefined
  return {
    gateway,
    url: serving.url,
    get baseURL() {
      return `${serving.url}${compiled.config.server?.basePath ?? '/v1'}`
    },
    get consoleURL() {
      return observability.hasConsole ? `${serving.url}/console/` : undefined
    },
    get isListening() {
      return serving.server.listening
    },
    responseStorage: responseStorageText(config),
    bodyStorage: bodyStorageText(config),
    keys: state.database?.keys,
    usage: state.database && (query => state.database!.usage(query)),
    reload: next => {
      const done = reloading.then(() => reload(next))
      reloading = done.catch(() => {})
      return done
    },
    close: request => {
      stopRequest ??= request
      // A later request for less time counts too.
      if (closed !== undefined && request !== undefined) {
        if (request.answersOpen !== true) observability.closeConsole()
        void serving.close(request).catch(() => {})
      }
      closed ??= closing.run()
      return closed
    },
  }
}

function isRequest(asked: Request | string | URL): asked is Request {
  return typeof asked === 'object' && 'headers' in asked
}

/** What was opened, to be closed in the opposite order. */
class ShutdownSteps {
  readonly #steps: (() => Promise<unknown>)[] = []

  add(step: () => Promise<unknown>): void {
    this.#steps.push(step)
  }

  /** Closes all of it, whatever fails on the way; then rejects with the first failure. */
  async run(): Promise<void> {
    const failures: unknown[] = []
    for (const step of this.#steps.splice(0).reverse()) {
      await step().catch((error: unknown) => failures.push(error))
    }
    if (failures.length > 0) throw failures[0]
  }
}

/** A gateway with what answers beside it. Pages of other origins may call the protocol, and nothing else. */
function frontOf(gateway: Gateway, { server }: TypedConfig, endpoints: readonly Endpoint[]): Gateway {
  const open = server?.cors === undefined ? gateway : withCors(gateway, { origins: server.cors })
  return withEndpoints(open, endpoints)
}
