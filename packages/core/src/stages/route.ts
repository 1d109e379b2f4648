import { GatewayError } from '../errors.ts'
import type { Target } from '../provider.ts'
import type { Principal } from './authenticate.ts'
import type { Draft } from './read.ts'

export interface RouteContext {
  readonly principal: Principal
  /** A number from 0 up to, but not including, 1. */
  readonly random: () => number
}

/** What is told of a model in `GET /models`. */
export interface ModelCard {
  readonly id: string
  /** Unix time in seconds. */
  readonly created: number
  readonly owned_by: string
}

/**
 * Says where a request can be answered, best place first; an empty list means that the model is unknown.
 * A route that can list its models carries `list`.
 */
export interface Route {
  (draft: Draft, context: RouteContext): readonly Target[] | Promise<readonly Target[]>
  list?(): readonly ModelCard[]
}

/** Where can it be answered? Throws 404. */
export async function route(draft: Draft, context: RouteContext, to: Route): Promise<readonly Target[]> {
  const targets = await to(draft, context)
  if (targets.length > 0) return targets
  throw modelNotFound(draft.model)
}

/** The 404 for a model that nobody serves. */
export function modelNotFound(model: string): GatewayError {
  const shown = model.length > 100 ? `${model.slice(0, 100)}...` : model
  return new GatewayError('model_not_found', {
    message: `The model \`${shown}\` does not exist or you do not have access to it.`,
  })
}
