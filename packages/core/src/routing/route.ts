import type { Draft } from '../contracts/draft.ts'
import type { Route, RouteContext, RoutedTarget, UnknownModel } from '../contracts/route.ts'
import type { GatewayError } from '../errors/errors.ts'
import { modelNotFound } from '../errors/model-refusals.ts'
import { isTarget } from '../validation/is-target.ts'

/**
 * Where can it be answered? At once where the route says it at once. Rejects with 404, and with `TypeError` for what is no
 * list of targets.
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

/** What a route gave. Throws `TypeError` for what is no list of targets. */
export function candidateList(given: unknown): readonly RoutedTarget[] {
  if (isList(given)) return given
  throw new TypeError(
    'route gave something that is no list of targets: expected an array of { provider, model }.',
  )
}

function isList(given: unknown): given is readonly RoutedTarget[] {
  if (!Array.isArray(given)) return false
  // By index: a model's own list is frozen, and the engine is slow at the other ways through those.
  for (let at = 0; at < given.length; at++) if (!isTarget(given[at])) return false
  return true
}
