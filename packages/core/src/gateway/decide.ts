import { authenticate } from '../auth/authenticate.ts'
import { authorizeTargets } from '../auth/authorize.ts'
import type { Dialect } from '../contracts/dialect.ts'
import type { Draft } from '../contracts/draft.ts'
import type { FetchContext } from '../contracts/host.ts'
import type { Principal } from '../contracts/principal.ts'
import type { RoutedTarget } from '../contracts/route.ts'
import type { ServiceLoad } from '../http/running-requests.ts'
import { isPromise } from '../primitives/is-promise.ts'
import { principalKey } from '../primitives/principal-key.ts'
import { shedLoad } from '../rate-limiting/load-shedding.ts'
import { lastTargetFirst } from '../routing/last-target.ts'
import { route } from '../routing/route.ts'
import { selectTarget } from '../routing/select-target.ts'
import { isBodyBuffered, read, receive } from '../validation/read.ts'
import type { RequestContext } from './request-context.ts'
import type { ResolvedOptions } from './resolve.ts'
import { allowsStored, refersToState } from './response-state.ts'
import { routeContext } from './route-context.ts'

/** Who asks for what, and the targets that may answer, best first. */
export interface Decision {
  readonly principal: Principal
  readonly draft: Draft
  readonly targets: readonly RoutedTarget[]
}

/**
 * Runs the stages that come before limits: authenticate, read, outline, restore, route, authorize. They change nothing but the
 * context, so that a request can be explained without being made.
 *
 * Rejects with `GatewayError` (401, 403, 404; 400, 408, 413, 429, 503 for a body), with `LifeEnded`, or with the error of a
 * policy.
 */
export async function decide<Host>(
  dialect: Dialect,
  request: Request,
  fetchContext: FetchContext<Host>,
  options: ResolvedOptions<Host>,
  context: RequestContext,
  load: ServiceLoad,
): Promise<Decision> {
  const identifying = authenticate(request, fetchContext.host, options.authenticate, failure =>
    context.reportAuthFailure(failure),
  )
  const principal = isPromise(identifying) ? await identifying : identifying
  context.principal = principal
  context.onlyTarget = fetchContext.onlyTarget
  fetchContext.onPrincipal?.(principal)
  if (isBodyBuffered(fetchContext.body)) await undefined
  const given =
    read(request, fetchContext.body, options.requestLimits, dialect) ??
    (await receiveDraft(dialect, request, fetchContext, principal, options, context, load))
  const { responses } = options
  const draft =
    responses !== undefined && allowsStored(principal) && refersToState(dialect, given)
      ? await responses.restore(given, principal, dialect.state!, context.lifetime)
      : given
  context.routing.begun = true
  const deciding = decideTargets(draft, principal, options, context)
  return { principal, draft, targets: isPromise(deciding) ? await deciding : deciding }
}

/**
 * Routes a draft and authorizes its targets. Called again where a hook has chosen another model.
 *
 * Throws or rejects with `GatewayError` (403, 404), or with the error of a policy.
 */
export function decideTargets<Host>(
  draft: Draft,
  principal: Principal,
  options: ResolvedOptions<Host>,
  context: RequestContext,
): readonly RoutedTarget[] | Promise<readonly RoutedTarget[]> {
  const { routing } = context
  context.draft = draft
  context.stream = draft.outline.stream
  const forRoute = routeContext(principal, draft.operation, draft.model, routing, options)
  const authorized = (routed: readonly RoutedTarget[]) => {
    const ordered = lastTargetFirst(routed, draft, forRoute)
    const { onlyTarget } = context
    const onRoute =
      onlyTarget === undefined ? ordered : [selectTarget(onlyTarget, draft.model, ordered, options.route)]
    routing.setTargets(onRoute)
    context.model = draft.model
    context.unlisted = !options.listed.hasModel(draft.model)
    return authorizeTargets(principal, draft.model, onRoute, options.authorize, routing)
  }
  const routed = route(draft, forRoute, options.route, options.unknownModel)
  return isPromise(routed) ? routed.then(authorized) : authorized(routed)
}

/** Receives a body. The request is in flight from then on, so that load is shed once more. */
async function receiveDraft<Host>(
  dialect: Dialect,
  request: Request,
  { body }: FetchContext<Host>,
  principal: Principal,
  options: ResolvedOptions<Host>,
  { lifetime }: RequestContext,
  load: ServiceLoad,
): Promise<Draft> {
  const { random, clock } = options
  const sender = { key: principalKey(principal), uploads: load.uploads, lifetime, random, clock }
  let draft: Draft
  load.receiving++
  try {
    draft = await receive(request, body, options.requestLimits, dialect, sender)
  } finally {
    load.receiving--
  }
  // In the same turn: the second of two that arrive together counts the first as in flight.
  if (options.loadShedder !== undefined)
    shedLoad(options.loadShedder, { inFlight: load.inFlight }, options.random)
  return draft
}
