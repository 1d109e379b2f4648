import { authenticate } from '../auth/authenticate.ts'
import { Permissions } from '../auth/authorize.ts'
import type { Dialect, ListedModel } from '../contracts/dialect.ts'
import type { FetchContext, GatewayResponse } from '../contracts/host.ts'
import type { Principal } from '../contracts/principal.ts'
import type { Capabilities } from '../contracts/provider.ts'
import type { ModelCard, Route } from '../contracts/route.ts'
import { GatewayError } from '../errors/errors.ts'
import { modelNotAllowed } from '../errors/model-refusals.ts'
import { modelsDialect } from '../http/endpoint.ts'
import { requestIdHeaders, respondJson } from '../http/respond.ts'
import { mapConcurrently } from '../primitives/map-concurrently.ts'
import type { RequestAccounting } from './request-accounting.ts'
import type { ResolvedOptions } from './resolve.ts'

/** How many models of a list an authorizer decides on concurrently. */
const maxConcurrent = 16

/**
 * `GET /models`: the models that the principal may use, as the client's protocol lists them. An authorizer that fails for one
 * of them fails the list, as it would fail a chat completion.
 */
export async function listModels<Host>(
  request: Request,
  context: FetchContext<Host>,
  options: ResolvedOptions<Host>,
  requestId: string,
  accounting: Pick<RequestAccounting, 'responseHeaders'>,
): Promise<GatewayResponse> {
  const principal = await identify(request, context, options)
  const { route, dialects } = options
  const dialect = modelsDialect(request.headers, dialects)
  const permissions = new Permissions(principal, options.authorize)
  const cards = route.list?.() ?? []
  const usable = await mapConcurrently(cards, maxConcurrent, ({ id }) => isListed(id, route, permissions))
  const listed = cards.filter((_, at) => usable[at])
  const body =
    dialect?.models === undefined
      ? { object: 'list', data: listed.map(modelObject) }
      : dialect.models.list(
          listed.map(card => listedModel(card, route)),
          queryOf(request.url),
        )
  return respondJson(200, body, requestId, headersIn(dialect, requestId, accounting))
}

/** `GET /models/{id}`. Throws 404, and 403 for a model that the principal may not use. */
export async function showModel<Host>(
  request: Request,
  id: string,
  context: FetchContext<Host>,
  options: ResolvedOptions<Host>,
  requestId: string,
  accounting: Pick<RequestAccounting, 'responseHeaders'>,
): Promise<GatewayResponse> {
  const principal = await identify(request, context, options)
  const { route, dialects } = options
  const dialect = modelsDialect(request.headers, dialects)
  const card = route.list?.().find(known => known.id === id)
  if (card === undefined) throw await options.unknownModel(id, principal)
  if (!(await new Permissions(principal, options.authorize).allowsModel(id, waysTo(id, route)))) {
    throw modelNotAllowed(id)
  }
  const body =
    dialect?.models === undefined ? modelObject(card) : dialect.models.show(listedModel(card, route))
  return respondJson(200, body, requestId, headersIn(dialect, requestId, accounting))
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

function headersIn(
  dialect: Dialect | undefined,
  requestId: string,
  { responseHeaders }: Pick<RequestAccounting, 'responseHeaders'>,
): Readonly<Record<string, string>> {
  return { ...responseHeaders, ...requestIdHeaders(dialect, requestId) }
}

function queryOf(url: string): URLSearchParams {
  const start = url.indexOf('?')
  return new URLSearchParams(start === -1 ? '' : url.slice(start).split('#', 1)[0])
}

function listedModel(card: ModelCard, route: Route): ListedModel {
  const all = (route.targetsOf?.(card.id) ?? []).map(({ capabilities }) => capabilities)
  const contextTokens = largest(all, 'contextTokens')
  const maxOutputTokens = largest(all, 'maxOutputTokens')
  return {
    ...card,
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  }
}

/** A request is sent to the targets that can serve it, so the largest bound counts. It is known if all of them are. */
function largest(
  all: readonly (Capabilities | undefined)[],
  name: 'contextTokens' | 'maxOutputTokens',
): number | undefined {
  const bounds = all.map(capabilities => capabilities?.[name])
  return bounds.length > 0 && bounds.every(bound => bound !== undefined) ? Math.max(...bounds) : undefined
}

function modelObject({ id, created, owned_by }: ModelCard): object {
  return { id, object: 'model', created, owned_by }
}
