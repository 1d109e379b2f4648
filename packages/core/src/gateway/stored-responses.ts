import { authenticate } from '../auth/authenticate.ts'
import type { StoredTurn } from '../contracts/dialect.ts'
import type { FetchContext, GatewayResponse } from '../contracts/host.ts'
import { GatewayError } from '../errors/errors.ts'
import type { StoredPart } from '../http/endpoint.ts'
import { respondJson } from '../http/respond.ts'
import type { JsonObject } from '../protocol/chat.ts'
import { shorten } from '../protocol/error-messages.ts'
import type { RequestAccounting } from './request-accounting.ts'
import type { ResolvedOptions } from './resolve.ts'

/** A request for a stored response. */
interface StoredRequest {
  readonly id: string
  readonly part: StoredPart
}

/**
 * Answers a request for a stored response: `GET` and `DELETE /responses/{id}`, `GET /responses/{id}/input_items`, and
 * `POST /responses/{id}/cancel`. A response that is unknown, expired, deleted or of another principal is a 404.
 */
export async function respondStored<Host>(
  request: Request,
  { id, part }: StoredRequest,
  context: FetchContext<Host>,
  options: ResolvedOptions<Host>,
  requestId: string,
  accounting: Pick<RequestAccounting, 'responseHeaders'>,
): Promise<GatewayResponse> {
  const principal = await authenticate(request, context.host, options.authenticate)
  context.onPrincipal?.(principal)
  const state = options.responses
  const respond = (value: unknown) => respondJson(200, value, requestId, accounting.responseHeaders)
  if (request.method === 'DELETE') {
    const deleted = (await state?.delete(principal, id)) ?? false
    if (deleted) return respond({ id, object: 'response', deleted })
    throw notFound(id)
  }
  const turn = await state?.find(principal, id)
  if (turn === undefined) throw notFound(id)
  const query = new URL(request.url).searchParams
  switch (part) {
    case 'cancel':
      throw new GatewayError('invalid_request', { message: 'Cannot cancel a synchronous response.' })
    case 'input_items':
      return respond(pageOf(turn, query))
    default:
      if (query.get('stream') !== 'true') return respond(turn.response)
      throw new GatewayError('invalid_request', {
        message: 'Only responses in the background can be streamed again.',
        param: 'stream',
      })
  }
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
