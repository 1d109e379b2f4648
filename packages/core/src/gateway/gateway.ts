import { maxTimerMs } from '../clock/clock.ts'
import { withTimeout } from '../clock/with-timeout.ts'
import type { Dialect } from '../contracts/dialect.ts'
import type { FetchContext, GatewayResponse } from '../contracts/host.ts'
import { chatDialect } from '../dialects/chat/dialect.ts'
import { type EndReason, LifeEnded } from '../errors/abort-reasons.ts'
import { GatewayError } from '../errors/errors.ts'
import { belowBase, errorDialect } from '../http/endpoint.ts'
import { clientRequestIdOf, contextOf, isRequest, isRequestInit } from '../http/fetch-arguments.ts'
import { disconnectSourceOf, Lifetime } from '../http/lifetime.ts'
import { nativeResponse, plainResponse } from '../http/plain-response.ts'
import { respondError, respondText } from '../http/respond.ts'
import { ServiceLoad } from '../http/running-requests.ts'
import { shedLoad } from '../rate-limiting/load-shedding.ts'
import type { GatewayOptions } from './config.ts'
import { explain, seedOf } from './explain.ts'
import { toFailure } from './failure.ts'
import { listModels, showModel } from './list-models.ts'
import { LiveOptions } from './live-options.ts'
import type { ManagedGateway } from './managed-gateway.ts'
import { modelTargets } from './model-targets.ts'
import { answer as answerRequest } from './pipeline.ts'
import { RequestAccounting } from './request-accounting.ts'
import { RequestContext } from './request-context.ts'
import type { ResolvedOptions } from './resolve.ts'
import { respondStored } from './stored-responses.ts'

/**
 * Creates a gateway with the chat completions API. The options decide who may call it, which targets are called, and within
 * which limits. `gateway.fetch` is a function from `Request` to `Response`; an adapter mounts it in a host.
 *
 * Throws `ConfigurationError`, a `TypeError` that names every invalid option.
 */
export function createGateway<Host = unknown, Model extends string = string>(
  options: GatewayOptions<Host, Model>,
): ManagedGateway<Host, Model> {
  const inUse = new LiveOptions(options)
  const { clock } = inUse.current.resolved
  const load = new ServiceLoad(clock)
  const { running } = load
  let isReady = true
  let closed: Promise<void> | undefined
  /** Ends the delay of a gateway that is about to close. */
  let endDelay: (() => void) | undefined

  const answer = async (
    request: Request,
    given: FetchContext<Host> | RequestInit = {},
  ): Promise<Response> => {
    const fetchContext = contextOf<Host>(given)
    // A request ends with the options that it began with.
    const generation = inUse.current
    const { resolved, services } = generation
    const requestId = `req_${resolved.generateId()}`
    const lifetime = new Lifetime(disconnectSourceOf(request))
    running.add(lifetime)
    generation.enter()
    const context = new RequestContext(requestId, resolved.clock, lifetime, services.random)
    const accounting = new RequestAccounting(context, services, resolved.observe, event => {
      running.delete(lifetime)
      lifetime.release()
      generation.leave()
      context.hooks?.ended(event)
      if (context.dialect !== undefined) resolved.observe(event)
      else if (event.outcome === 'internal_error') {
        resolved.observe({ type: 'internal_error', requestId, error: event.error })
      }
    })
    try {
      const { clientRequestIdHeader } = resolved
      if (clientRequestIdHeader !== undefined) {
        context.clientRequestId = clientRequestIdOf(request, clientRequestIdHeader)
      }
      if (closed !== undefined) throw new GatewayError('shutting_down')
      const dispatched = dispatch(request, fetchContext, resolved, context, accounting, load)
      return respond(await untilEnd(dispatched, lifetime), request, fetchContext)
    } catch (error) {
      const { outcome, clientError } = toFailure(error, context.model ?? '', lifetime)
      // Written first: an observer may change the error.
      const headers = accounting.responseHeaders
      const { now } = resolved.clock
      let response: GatewayResponse
      try {
        const dialect = dialectOf(context, request, fetchContext, resolved)
        response = respondError(dialect, clientError, requestId, headers, now)
        if (outcome !== 'client_disconnected') accounting.bodySent(response.body as string)
        accounting.settled(outcome, response.status, error)
      } catch (cause) {
        const bug = new GatewayError('server_error', { cause })
        response = respondError(chatDialect, bug, requestId, headers, now)
        accounting.bodySent(response.body as string)
        accounting.settled('internal_error', response.status, cause)
      }
      return respond(response, request, fetchContext)
    }
  }

  /** As the global `fetch` is called, and with its outcomes. */
  const fetched = async (...[input, init]: Parameters<typeof fetch>): Promise<Response> => {
    const request = new Request(input, init)
    const response = await answer(request)
    if (request.signal.aborted) throw request.signal.reason
    return response
  }

  return {
    fetch: (input, init) =>
      isRequest(input) && !isRequestInit(init) ? answer(input, init) : fetched(input, init as RequestInit),
    close: async ({ drainMs = 30_000, delayMs = 0 } = {}) => {
      for (const [name, ms] of Object.entries({ drainMs, delayMs })) {
        if (typeof ms === 'number' && ms >= 0) continue
        throw new TypeError(`close: got ${name} ${String(ms)}, expected a number from 0.`)
      }
      isReady = false
      if (delayMs === 0) endDelay?.()
      else if (closed === undefined) {
        const ended = new Promise<void>(resolve => {
          endDelay = resolve
        })
        await withTimeout(clock, Math.min(delayMs, maxTimerMs), ended, () => undefined)
      }
      const endAt = clock.monotonic() + drainMs
      const drained = running.drain(drainMs)
      // Mirrored calls have the same time, and requests that still run may start more.
      void inUse.shadows.drain(drainMs)
      const left = () => Math.max(0, endAt - clock.monotonic())
      closed ??= drained.then(() => inUse.shadows.drain(left())).then(() => inUse.end())
      return closed
    },
    reload: given => {
      if (closed !== undefined) throw new TypeError('reload: the gateway is closed. Make another one.')
      inUse.replace(given)
    },
    explain: async (request, context = {}) =>
      explain(request, contextOf(context), inUse.current.resolved, {
        seed: seedOf(context),
        load,
        closed: closed !== undefined,
      }),
    matches: (pathname, mount = '') =>
      belowBase(pathname, mount, inUse.current.resolved.basePath) !== undefined,
    errorResponse: (pathname, reason, message, mount = '') => {
      const { dialects, basePath, generateId } = inUse.current.resolved
      const url = `http://host${pathname}`
      const dialect = errorDialect({ url, headers: noHeaders }, mount, basePath, dialects) ?? chatDialect
      const error = new GatewayError(reason, { message })
      return nativeResponse(respondError(dialect, error, `req_${generateId()}`, {}, clock.now))
    },
    get ready() {
      return isReady
    },
    get models() {
      return (inUse.current.resolved.route.list?.() ?? []).map(({ id }) => id as Model)
    },
    targets: () => modelTargets(inUse.current.resolved),
  }
}

const noHeaders = new Headers()

/** The dialect of the endpoint; of a path that has none, that of its errors; else chat completions. */
function dialectOf<Host>(
  { dialect }: RequestContext,
  request: Request,
  { mount = '' }: FetchContext<Host>,
  { dialects, basePath }: ResolvedOptions<Host>,
): Dialect {
  return dialect ?? errorDialect(request, mount, basePath, dialects) ?? chatDialect
}

function respond<Host>(
  answer: GatewayResponse,
  request: Request,
  { plainResponses }: FetchContext<Host>,
): Response {
  return plainResponses === true ? plainResponse(answer) : nativeResponse(answer, request.signal)
}

/** Settles like the promise, and rejects when the request ends, so that a callback that hangs blocks neither it nor `close`. */
function untilEnd<T>(promise: Promise<T>, lifetime: Lifetime): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (reason: EndReason) => reject(new LifeEnded(reason))
    lifetime.onEnd(ended)
    promise.then(value => {
      // A stream goes on, and the response of it need not be kept.
      lifetime.offEnd(ended)
      resolve(value)
    }, reject)
  })
}

function dispatch<Host>(
  request: Request,
  fetchContext: FetchContext<Host>,
  options: ResolvedOptions<Host>,
  context: RequestContext,
  accounting: RequestAccounting,
  load: ServiceLoad,
): Promise<GatewayResponse> {
  const { requestId, lifetime } = context
  const endpoint = options.findEndpoint(request, fetchContext.mount ?? '')
  if (endpoint.name === 'dialect') {
    const { dialect } = endpoint
    context.dialect = dialect
    context.operation = dialect.operation
    const traced = options.startTrace?.(request, requestId, dialect.operation)
    accounting.attempts.traced = traced
    if (lifetime.ended !== undefined) throw new LifeEnded(lifetime.ended)
    if (options.loadShedder !== undefined)
      shedLoad(options.loadShedder, { inFlight: load.inFlight }, options.random)
    return traced === undefined
      ? answerRequest(dialect, request, fetchContext, options, context, accounting, load)
      : traced.within(() => answerRequest(dialect, request, fetchContext, options, context, accounting, load))
  }
  if (endpoint.name === 'probe') {
    const answer = respondText(200, '', requestId, accounting.responseHeaders)
    return settle(Promise.resolve(answer), accounting)
  }
  if (endpoint.name === 'stored') {
    return respondStored(request, endpoint, fetchContext, options, context, accounting)
  }
  return settle(
    endpoint.name === 'models'
      ? listModels(request, fetchContext, options, requestId, accounting)
      : showModel(request, endpoint.id, fetchContext, options, requestId, accounting),
    accounting,
  )
}

async function settle(
  responding: Promise<GatewayResponse>,
  accounting: RequestAccounting,
): Promise<GatewayResponse> {
  const response = await responding
  accounting.settled('completed', response.status)
  return response
}
