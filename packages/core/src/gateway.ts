import { failureOf } from './answer/failure.ts'
import { nativeResponse, plainResponse } from './answer/plain-response.ts'
import type { GatewayOptions } from './config.ts'
import { within } from './deadline.ts'
import { belowBase, type Endpoint, endpointOf, pathOf } from './endpoint.ts'
import { GatewayError } from './errors.ts'
import type { Answer, FetchContext, Gateway } from './host.ts'
import { type EndReason, Lifetime } from './lifetime.ts'
import { listModels, showModel } from './list-models.ts'
import { type ResolvedOptions, resolveOptions } from './options/resolve.ts'
import { completeChat } from './pipeline.ts'
import { ownMembers } from './protocol/own-members.ts'
import { respondError } from './stages/respond.ts'
import { type Books, RequestRecord } from './stages/settle.ts'
import { warnOfLocal } from './start-warnings.ts'
import { LifeEnded } from './upstream/attempt.ts'

/**
 * Makes a chat-completions service out of its parts: who may ask, where it is answered, how much is
 * allowed. The result is a function over `Request` and `Response`; an adapter mounts it in a host.
 *
 * Throws `TypeError` naming every option that is wrong.
 */
export function createGateway<Host = unknown>(options: GatewayOptions<Host>): Gateway<Host> {
  const resolved = resolveOptions(options)
  warnOfLocal(resolved, options.observe)
  const running = new Set<Lifetime>()
  const closings = new Set<Promise<unknown>>()
  const books: Books = {
    prices: resolved.prices,
    ledger: resolved.ledger,
    now: resolved.now,
    id: resolved.id,
    closing: work => {
      closings.add(work)
      void work.then(() => closings.delete(work))
    },
  }
  let closed: Promise<void> | undefined
  let idle: (() => void) | undefined

  const matches = (pathname: string, mount = '') => belowBase(pathname, mount, resolved.base) !== undefined

  const answer = async (request: Request, context: FetchContext<Host>): Promise<Answer> => {
    const requestId = `req_${resolved.id()}`
    const lifetime = new Lifetime(request.signal)
    running.add(lifetime)
    const record = new RequestRecord(requestId, resolved.call.clock, books, event => {
      running.delete(lifetime)
      lifetime.release()
      if (running.size === 0) idle?.()
      if (record.chat) resolved.observe(event)
      else if (event.outcome === 'internal_error') {
        resolved.observe({ type: 'internal_error', requestId, error: event.error })
      }
    })
    try {
      if (closed !== undefined) throw new GatewayError('shutting_down')
      return await outlived(dispatch(request, context, resolved, lifetime, record), lifetime)
    } catch (error) {
      const { outcome, told } = failureOf(error, record.model ?? '', lifetime)
      // Made first: who is told of the error may change it.
      const refused = respondError(told, requestId, record.answerHeaders)
      record.settle(outcome, told.status, error)
      return refused
    }
  }

  const drain = async (ms: number): Promise<void> => {
    if (running.size === 0) return
    const cut = () => {
      for (const lifetime of running) lifetime.end('gateway_closed')
    }
    const timer = ms > longestTimer ? undefined : setTimeout(cut, ms)
    await new Promise<void>(resolve => {
      idle = resolve
    })
    clearTimeout(timer)
  }

  const flushLedger = async (): Promise<void> => resolved.ledger?.flush?.()
  const closeBooks = async (): Promise<void> => {
    // What waits for a database would wait until it is tried the next time.
    if (closings.size > 0) void flushLedger()
    while (closings.size > 0) await Promise.all(closings)
  }

  return {
    matches,
    fetch: async (input, init) => {
      if (isRequest(input) && !isRequestInit(init)) {
        const context = contextOf<Host>(init)
        const made = await answer(input, context)
        return context.plainAnswers === true ? plainResponse(made) : nativeResponse(made, input.signal)
      }
      const request = new Request(input, init as RequestInit)
      const made = await answer(request, {})
      if (request.signal.aborted) throw request.signal.reason
      return nativeResponse(made, request.signal)
    },
    close: async ({ drainMs = 30_000 } = {}) => {
      if (!(typeof drainMs === 'number' && drainMs >= 0)) {
        throw new TypeError(`close: got drainMs ${String(drainMs)}, expected a number from 0.`)
      }
      closed ??= drain(drainMs)
        .then(() => within(closeBooks(), booksMs))
        .then(() => within(flushLedger(), booksMs))
        .then(() => resolved.ownTransport?.close?.())
      return closed
    },
  }
}

/** How long `close` waits for leases and entries that are being closed, and then for the ledger to be flushed. */
const booksMs = 2_500

/** Node's timers fire at once beyond this. */
const longestTimer = 2_147_483_647

/**
 * What a promise comes to, or a rejection as soon as the request's life ends: what a function of the user's
 * does then, and when, holds neither the caller nor `close`.
 */
function outlived<T>(promise: Promise<T>, lifetime: Lifetime): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (reason: EndReason) => reject(new LifeEnded(reason))
    lifetime.onEnd(ended)
    promise.then(resolve, reject).finally(() => lifetime.offEnd(ended))
  })
}

function dispatch<Host>(
  request: Request,
  context: FetchContext<Host>,
  options: ResolvedOptions<Host>,
  lifetime: Lifetime,
  record: RequestRecord,
): Promise<Answer> {
  const path = pathOf(request.url)
  const below = belowBase(path, context.mount ?? '', options.base)
  const endpoint: Endpoint = below === undefined ? { name: 'unknown' } : endpointOf(below)
  if (endpoint.name === 'unknown') throw unknownUrl(request.method, path)
  if (endpoint.name === 'chat') {
    if (request.method !== 'POST') throw methodNotSupported(request.method, path, 'POST')
    record.chat = true
    return completeChat(request, context, options, lifetime, record)
  }
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw methodNotSupported(request.method, path, 'GET, HEAD')
  return settled(
    endpoint.name === 'models'
      ? listModels(request, context, options, record.requestId)
      : showModel(request, endpoint.id, context, options, record.requestId),
    record,
  )
}

async function settled(answering: Promise<Answer>, record: RequestRecord): Promise<Answer> {
  const answer = await answering
  record.settle('completed', answer.status)
  return answer
}

/** Also a `Request` of another realm or library. */
function isRequest(input: Request | string | URL): input is Request {
  return typeof input === 'object' && 'method' in input && 'headers' in input
}

function isRequestInit(init: object | undefined): boolean {
  return (
    typeof init === 'object' && init !== null && ('signal' in init || 'method' in init || 'headers' in init)
  )
}

/** Some hosts hand over a second argument of their own: what is no context is ignored. */
function contextOf<Host>(init: FetchContext<Host> | RequestInit | undefined): FetchContext<Host> {
  if (typeof init !== 'object' || init === null) return {}
  const { host, mount, body, identified, plainAnswers } = ownMembers(init as FetchContext<Host>)
  return {
    host,
    mount: typeof mount === 'string' ? mount : undefined,
    body: typeof body === 'object' && body !== null && 'kind' in body ? body : undefined,
    identified: typeof identified === 'function' ? identified : undefined,
    plainAnswers: plainAnswers === true,
  }
}

function unknownUrl(method: string, path: string): GatewayError {
  return new GatewayError('unknown_url', { message: `Invalid URL (${method} ${shown(path)})` })
}

function methodNotSupported(method: string, path: string, allowed: string): GatewayError {
  return new GatewayError('method_not_supported', {
    message: `Not allowed to ${method} on ${shown(path)}. (HINT: Perhaps you meant to use a different HTTP method?)`,
    headers: { allow: allowed },
  })
}

function shown(path: string): string {
  return path.length > 200 ? `${path.slice(0, 200)}...` : path
}
