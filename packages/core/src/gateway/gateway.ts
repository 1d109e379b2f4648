import type { FetchContext, GatewayResponse } from '../contracts/host.ts'
import { respondError } from '../dialects/chat/respond.ts'
import { LifeEnded } from '../errors/abort-reasons.ts'
import { GatewayError } from '../errors/errors.ts'
import { belowBase } from '../http/endpoint.ts'
import { clientRequestIdOf, contextOf, isRequest, isRequestInit } from '../http/fetch-arguments.ts'
import { Lifetime, leavingOf } from '../http/lifetime.ts'
import { nativeResponse, plainResponse } from '../http/plain-response.ts'
import { ServiceLoad } from '../http/running-requests.ts'
import { shedLoad } from '../rate-limiting/load-shedding.ts'
import type { GatewayOptions } from './config.ts'
import { explain, seedOf } from './explain.ts'
import { toFailure } from './failure.ts'
import { listModels, showModel } from './list-models.ts'
import { LiveOptions } from './live-options.ts'
import type { ManagedGateway } from './managed-gateway.ts'
import { modelTargets } from './model-targets.ts'
import { completeChat } from './pipeline.ts'
import { RequestRecord } from './request-record.ts'
import type { ResolvedOptions } from './resolve.ts'

/**
 * Makes a chat-completions service out of its parts: who may ask, where it is answered, how much is
 * allowed. The result is a function over `Request` and `Response`; an adapter mounts it in a host.
 *
 * Throws `TypeError` naming every option that is wrong.
 */
export function createGateway<Host = unknown, Model extends string = string>(
  options: GatewayOptions<Host, Model>,
): ManagedGateway<Host, Model> {
  const inUse = new LiveOptions(options)
  const { clock } = inUse.current.resolved
  const load = new ServiceLoad(clock)
  const { running } = load
  let closed: Promise<void> | undefined

  const answer = async (
    request: Request,
    given: FetchContext<Host> | RequestInit = {},
  ): Promise<Response> => {
    const context = contextOf<Host>(given)
    // What a request begins with it ends with.
    const tenure = inUse.current
    const { resolved, books } = tenure
    const requestId = `req_${resolved.generateId()}`
    const lifetime = new Lifetime(leavingOf(request))
    running.add(lifetime)
    tenure.enter()
    const record = new RequestRecord(requestId, resolved.clock, books, event => {
      running.delete(lifetime)
      lifetime.release()
      tenure.leave()
      if (record.chat) resolved.observe(event)
      else if (event.outcome === 'internal_error') {
        resolved.observe({ type: 'internal_error', requestId, error: event.error })
      }
    })
    try {
      const { clientRequestIdHeader } = resolved
      if (clientRequestIdHeader !== undefined) {
        record.clientRequestId = clientRequestIdOf(request, clientRequestIdHeader)
      }
      if (closed !== undefined) throw new GatewayError('shutting_down')
      const dispatched = dispatch(request, context, resolved, lifetime, record, load)
      return respond(await outlived(dispatched, lifetime), request, context)
    } catch (error) {
      const { outcome, clientError: told } = toFailure(error, record.model ?? '', lifetime)
      // Made first: who is told of the error may change it.
      const refused = respondError(told, requestId, record.answerHeaders)
      record.settle(outcome, told.status, error)
      return respond(refused, request, context)
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
    close: async ({ drainMs = 30_000 } = {}) => {
      if (!(typeof drainMs === 'number' && drainMs >= 0)) {
        throw new TypeError(`close: got drainMs ${String(drainMs)}, expected a number from 0.`)
      }
      const endAt = clock.monotonic() + drainMs
      const drained = running.drain(drainMs)
      // What requests left behind has the same time, and those that still run may leave more.
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
        uploads: load.uploads,
        closed: closed !== undefined,
      }),
    matches: (pathname, mount = '') =>
      belowBase(pathname, mount, inUse.current.resolved.basePath) !== undefined,
    get ready() {
      return closed === undefined
    },
    get models() {
      return (inUse.current.resolved.route.list?.() ?? []).map(({ id }) => id as Model)
    },
    targets: () => modelTargets(inUse.current.resolved),
  }
}

function respond<Host>(
  answer: GatewayResponse,
  request: Request,
  { plainResponses }: FetchContext<Host>,
): Response {
  return plainResponses === true ? plainResponse(answer) : nativeResponse(answer, request.signal)
}

/**
 * What a promise comes to, or a rejection as soon as the request's life ends: what a function of the user's
 * does then, and when, holds neither the caller nor `close`.
 */
function outlived<T>(promise: Promise<T>, lifetime: Lifetime): Promise<T> {
  return new Promise((resolve, reject) => {
    // Not taken back, as a promise is settled once: the life forgets it with the rest.
    lifetime.onEnd(reason => reject(new LifeEnded(reason)))
    promise.then(resolve, reject)
  })
}

function dispatch<Host>(
  request: Request,
  context: FetchContext<Host>,
  options: ResolvedOptions<Host>,
  lifetime: Lifetime,
  record: RequestRecord,
  load: ServiceLoad,
): Promise<GatewayResponse> {
  const endpoint = options.findEndpoint(request, context.mount ?? '')
  if (endpoint.name === 'chat') {
    record.chat = true
    if (options.startTrace !== undefined) record.follow(options.startTrace(request, record.requestId))
    if (lifetime.ended !== undefined) throw new LifeEnded(lifetime.ended)
    if (options.loadShedder !== undefined)
      shedLoad(options.loadShedder, { inFlight: load.inFlight }, options.random)
    const { traced } = record.attempts
    return traced === undefined
      ? completeChat(request, context, options, lifetime, record, load)
      : traced.within(() => completeChat(request, context, options, lifetime, record, load))
  }
  return settled(
    endpoint.name === 'models'
      ? listModels(request, context, options, record)
      : showModel(request, endpoint.id, context, options, record),
    record,
  )
}

async function settled(answering: Promise<GatewayResponse>, record: RequestRecord): Promise<GatewayResponse> {
  const answer = await answering
  record.settle('completed', answer.status)
  return answer
}
