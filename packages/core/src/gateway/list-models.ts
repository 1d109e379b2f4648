import { authenticate } from '../auth/authenticate.ts'
import { Permissions } from '../auth/authorize.ts'
import type { FetchContext, GatewayResponse } from '../contracts/host.ts'
import type { Principal } from '../contracts/principal.ts'
import type { ModelCard, Route } from '../contracts/route.ts'
import { GatewayError } from '../errors/errors.ts'
import { modelNotAllowed } from '../errors/model-refusals.ts'
import { respondJson } from '../http/respond.ts'
import { mapConcurrently } from '../primitives/map-concurrently.ts'
import type { RequestAccounting } from './request-accounting.ts'
import type { ResolvedOptions } from './resolve.ts'

/** How many models of a list an authorizer decides on concurrently. */
const maxConcurrent = 16

/**
 * `GET /models`: the models that the principal may use. An authorizer that fails for one of them fails
 * the list, as it would fail a chat completion.
 */
export async function listModels<Host>(
  request: Request,
  context: FetchContext<Host>,
  options: ResolvedOptions<Host>,
  requestId: string,
  { responseHeaders }: Pick<RequestAccounting, 'responseHeaders'>,
): Promise<GatewayResponse> {
  const principal = await identify(request, context, options)
  const { route } = options
  const permissions = new Permissions(principal, options.authorize)
  const cards = route.list?.() ?? []
  const usable = await mapConcurrently(cards, maxConcurrent, ({ id }) => isListed(id, route, permissions))
  const data = cards.filter((_, at) => usable[at]).map(modelObject)
  return respondJson(200, { object: 'list', data }, requestId, responseHeaders)
}

/** `GET /models/{id}`. Throws 404, and 403 for a model that the principal may not use. */
export async function showModel<Host>(
  request: Request,
  id: string,
  context: FetchContext<Host>,
  options: ResolvedOptions<Host>,
  requestId: string,
  { responseHeaders }: Pick<RequestAccounting, 'responseHeaders'>,
): Promise<GatewayResponse> {
  const principal = await identify(request, context, options)
  const { route } = options
  const card = route.list?.().find(known => known.id === id)
  if (card === undefined) throw await options.unknownModel(id, principal)
  if (!(await new Permissions(principal, options.authorize).allowsModel(id, waysTo(id, route)))) {
    throw modelNotAllowed(id)
  }
  return respondJson(200, modelObject(card), requestId, responseHeaders)
}

/** An authorizer may also deny by throwing 403 or 404. */
async function isListed(id: string, route: Route, permissions: Permissions): Promise<boolean> {
  try {
    return await permissions.allowsModel(id, waysTo(id, route))
  } catch (error) {
    if (GatewayError.is(error) && (error.status === 403 || error.status === 404)) return false
    throw error
  }
}

/** Of a route without `waysOf` only the model's name is authorized. */
function waysTo(id: string, route: Route): readonly (readonly string[])[] {
  return route.waysOf?.(id) ?? [[]]
}

async function identify<Host>(
  request: Request,
  context: FetchContext<Host>,
  options: ResolvedOptions<Host>,
): Promise<Principal> {
  const principal = await authenticate(request, context.host, options.authenticate)
  context.onPrincipal?.(principal)
  return principal
}

function modelObject({ id, created, owned_by }: ModelCard): object {
  return { id, object: 'model', created, owned_by }
}
