import type { Draft } from '../contracts/draft.ts'
import type { Route, RouteContext, RoutedTarget, UnknownModel } from '../contracts/route.ts'
import type { GatewayError } from '../errors/errors.ts'
import { modelNotFound } from '../errors/model-refusals.ts'
import { isTarget } from '../validation/is-target.ts'

/**
 * Returns the targets of a request, synchronously if the route does. Rejects with `GatewayError` (404) for an unknown model,
 * and with `TypeError` for an invalid list of targets.
 */
export function route(
  draft: Draft,
  context: RouteContext,
  to: Route,
  unknown: UnknownModel = modelNotFoundFor,
): readonly RoutedTarget[] | Promise<readonly RoutedTarget[]> {
  const given: unknown = to(draft, context)
  return isList(given) && given.length > 0 ? given : awaited(given, draft, context, unknown)
}

async function awaited(
  given: unknown,
  draft: Draft,
  { principal }: RouteContext,
  unknown: UnknownModel,
): Promise<readonly RoutedTarget[]> {
  const candidates = candidateList(await given)
  if (candidates.length > 0) return candidates
  throw await unknown(draft.model, principal)
}

function modelNotFoundFor(model: string): GatewayError {
  return modelNotFound(model)
}

/** Returns the targets of a route. Throws `TypeError` if the value is not a list of targets. */
export function candidateList(given: unknown): readonly RoutedTarget[] {
  if (isList(given)) return given
  throw new TypeError('route returned an invalid value: expected an array of targets { provider, model }.')
}

function isList(given: unknown): given is readonly RoutedTarget[] {
  if (!Array.isArray(given)) return false
  // By index: iterators are slow on frozen arrays in V8, and the list of a model is frozen.
  for (let at = 0; at < given.length; at++) if (!isTarget(given[at])) return false
  return true
}
