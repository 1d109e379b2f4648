import { authenticate } from '../auth/authenticate.ts'
import { authorizeTargets } from '../auth/authorize.ts'
import type { FetchContext } from '../contracts/host.ts'
import type { Principal } from '../contracts/principal.ts'
import type { RoutedTarget } from '../contracts/route.ts'
import type { Caller, TargetUnavailable } from '../contracts/target-health.ts'
import { validate } from '../dialects/chat/validate.ts'
import { type AuthFailure, authFailureOf, checkedAuthFailure, moreSpecific } from '../errors/auth-failure.ts'
import { GatewayError } from '../errors/errors.ts'
import { pathOf, unknownUrl } from '../http/endpoint.ts'
import { disconnectSourceOf, Lifetime } from '../http/lifetime.ts'
import type { Uploads } from '../http/uploads.ts'
import { principalKey } from '../primitives/principal-key.ts'
import { route } from '../routing/route.ts'
import { RoutingTrace } from '../routing/routing-trace.ts'
import { allTargetsUnavailable, keySkipped, skippedFor } from '../upstream/attempts/unavailable-targets.ts'
import type { CallDependencies } from '../upstream/call-context.ts'
import { callerOf } from '../upstream/health/principal-caller.ts'
import { isBodyBuffered, read, receive } from '../validation/read.ts'
import { toFailure } from './failure.ts'
import type { Explanation } from './managed-gateway.ts'
import type { ResolvedOptions } from './resolve.ts'
import { routeContext } from './route-context.ts'

/** Runs the stages of a chat completion that come before its limits. Records nothing and calls no upstream. */
export async function explain<Host>(
  request: Request,
  context: FetchContext<Host>,
  options: ResolvedOptions<Host>,
  {
    seed,
    uploads,
    closed,
  }: { readonly seed: number | undefined; readonly uploads: Uploads; readonly closed: boolean },
): Promise<Explanation> {
  const log = new RoutingTrace(options.random, seed)
  const lifetime = new Lifetime(disconnectSourceOf(request))
  let principal: Principal | undefined
  let model: string | undefined
  let refusal: GatewayError | undefined
  let reported: AuthFailure | undefined
  try {
    if (closed) throw new GatewayError('shutting_down')
    const endpoint = options.findEndpoint(request, context.mount ?? '')
    if (endpoint.name !== 'chat') throw unknownUrl(request.method, pathOf(request.url))
    principal = await authenticate(request, context.host, options.authenticate, failure => {
      reported = moreSpecific(reported, checkedAuthFailure(failure))
    })
    context.onPrincipal?.(principal)
    if (isBodyBuffered(context.body)) await undefined
    const { requestLimits, random, clock } = options
    const draft =
      read(request, context.body, requestLimits) ??
      (await receive(request, context.body, requestLimits, {
        key: principalKey(principal),
        uploads,
        lifetime,
        random,
        clock,
      }))
    model = draft.model
    const onRoute = await route(
      draft,
      routeContext(principal, model, log, options),
      options.route,
      options.unknownModel,
    )
    log.setTargets(onRoute)
    const candidates = await authorizeTargets(principal, model, onRoute, options.authorize, log)
    const { targets } = validate(draft, principal, candidates, options.rules, log)
    log.setOrder(targets)
    refusal = skipUnavailable(targets, callerOf(principal), log, options.call)
  } catch (error) {
    refusal = toFailure(error, model ?? '', lifetime).clientError
  } finally {
    lifetime.release()
  }
  const authFailure = principal === undefined ? authFailureOf(refusal, reported) : undefined
  return { principal: principal?.id, authFailure, model, ...log.summary(), seed: log.seed, refusal }
}

/** Reports the targets that would be skipped. Returns the error where all would be. */
function skipUnavailable(
  candidates: readonly RoutedTarget[],
  caller: Caller,
  log: RoutingTrace,
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
      if (key.waitMs > 0) log.skip(candidate, keySkipped(key), key.id)
    }
    if (state !== 'closed' && blocked[index]) log.skip(candidate, skippedFor({ ...view, state }))
  }
  return blocked.includes(false) ? undefined : allTargetsUnavailable(views as TargetUnavailable[])
}

/** Returns the seed of a context; `undefined` where it has none. Throws `TypeError` for an invalid one. */
export function seedOf(context: { readonly seed?: number }): number | undefined {
  const seed = Object.hasOwn(context, 'seed') ? context.seed : undefined
  if (seed === undefined || (Number.isInteger(seed) && seed >= 0 && seed <= 0xffff_ffff)) return seed
  throw new TypeError(`explain: got seed ${String(seed)}, expected a whole number from 0 to 4294967295.`)
}
