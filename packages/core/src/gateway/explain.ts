import type { FetchContext } from '../contracts/host.ts'
import type { RoutedTarget } from '../contracts/route.ts'
import type { Caller, TargetUnavailable } from '../contracts/target-health.ts'
import { GatewayError } from '../errors/errors.ts'
import { pathOf, unknownUrl } from '../http/endpoint.ts'
import { disconnectSourceOf, Lifetime } from '../http/lifetime.ts'
import type { ServiceLoad } from '../http/running-requests.ts'
import type { RoutingTrace } from '../routing/routing-trace.ts'
import { allTargetsUnavailable, keySkipped, skippedFor } from '../upstream/attempts/unavailable-targets.ts'
import type { CallDependencies } from '../upstream/call-context.ts'
import { decide } from './decide.ts'
import { toFailure } from './failure.ts'
import type { Explanation } from './managed-gateway.ts'
import { RequestContext } from './request-context.ts'
import type { ResolvedOptions } from './resolve.ts'
import { runRequestHooks } from './run-hooks.ts'
import { validateSingleCall } from './single-call.ts'
import { validateEmbedRequest } from './validate-embed-request.ts'
import { validateRequest } from './validate-request.ts'

/**
 * Runs the stages of a request that come before its limits, `onRequest` of its hooks included, and validates it. Records nothing and
 * calls no upstream.
 */
export async function explain<Host>(
  request: Request,
  fetchContext: FetchContext<Host>,
  options: ResolvedOptions<Host>,
  {
    seed,
    load,
    closed,
  }: { readonly seed: number | undefined; readonly load: ServiceLoad; readonly closed: boolean },
): Promise<Explanation> {
  const lifetime = new Lifetime(disconnectSourceOf(request))
  const context = new RequestContext('', options.clock, lifetime, options.random, seed)
  const { routing } = context
  let refusal: GatewayError | undefined
  try {
    if (closed) throw new GatewayError('shutting_down')
    const endpoint = options.findEndpoint(request, fetchContext.mount ?? '')
    if (endpoint.name !== 'dialect') throw unknownUrl(request.method, pathOf(request.url))
    const { dialect } = endpoint
    const unshed = { ...options, loadShedder: undefined }
    const first = await decide(dialect, request, fetchContext, unshed, context, load)
    const { hooks } = options
    const {
      principal,
      draft,
      targets: permitted,
    } = hooks === undefined ? first : await runRequestHooks(hooks, dialect, first, options, context)
    const isTranslated = context.hooks?.readsResponses === true
    const { targets } =
      dialect.operation === 'embed'
        ? validateEmbedRequest(dialect, draft, principal, permitted, options.rules, routing)
        : dialect.operation === 'rerank' || dialect.operation === 'moderate'
          ? validateSingleCall(dialect, draft, principal, permitted, options.rules, routing)
          : validateRequest(dialect, draft, principal, permitted, options.rules, routing, isTranslated)
    routing.setOrder(targets)
    refusal = skipUnavailable(targets, context.caller, routing, options.call)
  } catch (error) {
    refusal = toFailure(error, context.draft?.model ?? '', lifetime).clientError
  } finally {
    lifetime.release()
  }
  return {
    principal: context.principal?.id,
    authFailure: context.authFailureOf(refusal),
    model: context.draft?.model,
    ...routing.summary(),
    seed: routing.seed,
    ...(context.hooks !== undefined && { hooks: context.hooks.records }),
    refusal,
  }
}

/** Reports the targets that would be skipped. Returns the error where all would be. */
function skipUnavailable(
  candidates: readonly RoutedTarget[],
  caller: Caller,
  routing: RoutingTrace,
  { health, clock }: CallDependencies,
): GatewayError | undefined {
  const now = clock.monotonic()
  const views = candidates.map(candidate => health.of(candidate).view(now, caller))
  let blocked = views.map(({ waitMs }) => waitMs > 0)
  // All of them are unavailable: they may be called as the last resort.
  if (!blocked.includes(false)) {
    blocked = candidates.map(candidate => health.of(candidate).lastResortMs(now, caller) > 0)
  }
  for (const [index, candidate] of candidates.entries()) {
    const { state, keys, ...view } = views[index]!
    for (const key of keys ?? []) {
      if (key.waitMs > 0) routing.skip(candidate, keySkipped(key), key.id)
    }
    if (state !== 'closed' && blocked[index]) routing.skip(candidate, skippedFor({ ...view, state }))
  }
  return blocked.includes(false) ? undefined : allTargetsUnavailable(views as TargetUnavailable[])
}

/** Returns the seed of a context; `undefined` where it has none. Throws `TypeError` for an invalid one. */
export function seedOf(context: { readonly seed?: number }): number | undefined {
  const seed = Object.hasOwn(context, 'seed') ? context.seed : undefined
  if (seed === undefined || (Number.isInteger(seed) && seed >= 0 && seed <= 0xffff_ffff)) return seed
  throw new TypeError(`explain: got seed ${String(seed)}, expected a whole number from 0 to 4294967295.`)
}
