import { authenticate } from '../auth/authenticate.ts'
import type { Dialect, GenerateDialect, StoredTurn } from '../contracts/dialect.ts'
import type { FetchContext, GatewayResponse } from '../contracts/host.ts'
import { GatewayError } from '../errors/errors.ts'
import type { StoredPart } from '../http/endpoint.ts'
import { KeepAliveStream, keepAliveComment } from '../http/keep-alive-stream.ts'
import { respondJson, respondStream } from '../http/respond.ts'
import type { JsonObject } from '../protocol/chat.ts'
import { shorten } from '../protocol/error-messages.ts'
import { streamEndsOf } from './background-run.ts'
import { FollowedEvents } from './followed-events.ts'
import type { RequestAccounting } from './request-accounting.ts'
import type { RequestContext } from './request-context.ts'
import type { ResolvedOptions } from './resolve.ts'
import { ownerOf } from './response-state.ts'

/** A request for a stored response. */
interface StoredRequest {
  readonly dialect: Dialect
  readonly id: string
  readonly part: StoredPart
}

/**
 * Answers a request for a stored response: `GET` and `DELETE /responses/{id}`, `GET /responses/{id}/input_items`, and
 * `POST /responses/{id}/cancel`. A response that is unknown, expired, deleted or of another principal is a 404. Settles the
 * accounting, unless it rejects.
 */
export async function respondStored<Host>(
  request: Request,
  { dialect, id, part }: StoredRequest,
  { host, onPrincipal }: FetchContext<Host>,
  options: ResolvedOptions<Host>,
  context: RequestContext,
  accounting: RequestAccounting,
): Promise<GatewayResponse> {
  const principal = await authenticate(request, host, options.authenticate)
  onPrincipal?.(principal)
  const owner = ownerOf(principal)
  const respond = (value: unknown) => {
    const response = respondJson(200, value, context.requestId, accounting.responseHeaders)
    accounting.settled('completed', response.status)
    return response
  }
  const responses = options.responses
  const { state } = dialect
  const { lifetime } = context
  if (responses === undefined || state === undefined) throw notFound(id)
  if (request.method === 'DELETE') {
    if (await responses.delete(owner, id, state, lifetime))
      return respond({ id, object: 'response', deleted: true })
    throw notFound(id)
  }
  const turn = await responses.find(owner, id, state, lifetime)
  if (turn === undefined) throw notFound(id)
  const query = new URL(request.url).searchParams
  if (part === 'input_items') return respond(pageOf(turn, query))
  if (part === 'cancel') {
    if (turn.background === undefined) {
      throw new GatewayError('invalid_request', { message: 'Cannot cancel a synchronous response.' })
    }
    const cancelled =
      turn.background.state === 'running' ? await responses.cancel(owner, turn, state, lifetime) : turn
    if (cancelled === undefined) throw notFound(id)
    return respond(cancelled.response)
  }
  if (query.get('stream') !== 'true') return respond(turn.response)
  checkStreamed(turn)
  const from = startOf(query.get('starting_after'))
  const source = responses.events(owner, turn, state, lifetime)
  const stopCounting = options.backgroundRuns.follow(owner, options.random)
  const ends = streamEndsOf(dialect as GenerateDialect)
  const events = new FollowedEvents(source, ends, from, isComplete => {
    stopCounting()
    accounting.settled(isComplete ? 'completed' : 'client_disconnected', 200)
  })
  return respondFollowed(events, options, context, accounting)
}

/** Responds with the events of a response in the background. */
function respondFollowed<Host>(
  events: FollowedEvents,
  { stream: { keepAliveMs }, clock }: ResolvedOptions<Host>,
  { lifetime, requestId }: RequestContext,
  accounting: RequestAccounting,
): GatewayResponse {
  lifetime.onEnd(reason => {
    if (reason === 'client_disconnected') events.cancel()
    else events.interrupt(new GatewayError('shutting_down'))
  })
  const body = new KeepAliveStream(events, keepAliveComment, keepAliveMs, clock)
  return respondStream(body, requestId, accounting.responseHeaders)
}

/** Throws `GatewayError` 400 for a response without stored events. */
function checkStreamed({ background }: StoredTurn): void {
  if (background?.stream === true) return
  const message =
    background === undefined
      ? 'Only responses in the background can be streamed again.'
      : "This response was not created with 'stream: true': it has no events."
  throw new GatewayError('invalid_request', { message, param: 'stream' })
}

/** Returns the number of the first event to send. */
function startOf(after: string | null): number {
  if (after === null) return 0
  if (/^\d{1,9}$/.test(after)) return Number(after) + 1
  throw new GatewayError('invalid_value', {
    message: "Invalid 'starting_after': expected the number of an event, from 0.",
    param: 'starting_after',
  })
}

const maxLimit = 100
const defaultLimit = 20

/** Returns a page of the items of a request. The newest is first, unless `order` is `asc`. */
function pageOf({ input }: StoredTurn, query: URLSearchParams): JsonObject {
  const limit = limitOf(query.get('limit'))
  const order = query.get('order') ?? 'desc'
  if (order !== 'asc' && order !== 'desc') {
    const message = `Invalid value: '${shorten(order)}'. Supported values are: 'asc' and 'desc'.`
    throw new GatewayError('invalid_value', { message, param: 'order' })
  }
  const items = order === 'asc' ? input : input.toReversed()
  const after = query.get('after')
  const at = after === null ? -1 : items.findIndex(({ id }) => id === after)
  if (after !== null && at === -1) {
    const message = `Item with id '${shorten(after)}' not found.`
    throw new GatewayError('invalid_value', { message, param: 'after' })
  }
  const data = items.slice(at + 1, at + 1 + limit)
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: at + 1 + limit < items.length,
  }
}

function limitOf(given: string | null): number {
  if (given === null) return defaultLimit
  const limit = Number(given)
  if (/^\d{1,9}$/.test(given) && limit >= 1 && limit <= maxLimit) return limit
  throw new GatewayError('invalid_value', {
    message: `Invalid 'limit': expected a whole number from 1 to ${maxLimit}.`,
    param: 'limit',
  })
}

function notFound(id: string): GatewayError {
  return new GatewayError('response_not_found', { message: `Response with id '${shorten(id)}' not found.` })
}
