import { modelNotFound } from '../protocol/model-refusals.ts'
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
 */
export interface Route {
  (draft: Draft, context: RouteContext): readonly Target[] | Promise<readonly Target[]>
  /** The models that `GET /models` tells of. */
  list?(): readonly ModelCard[]
  /** Every target that the route knows of beforehand. */
  targets?(): readonly Target[]
}

/** Where can it be answered? Throws 404, and `TypeError` for what is no list of targets. */
export async function route(draft: Draft, context: RouteContext, to: Route): Promise<readonly Target[]> {
  const targets: unknown = await to(draft, context)
  if (!Array.isArray(targets) || !targets.every(isTarget)) {
    throw new TypeError(
      'route gave something that is no list of targets: expected an array of { provider, model }.',
    )
  }
  if (targets.length > 0) return targets
  throw modelNotFound(draft.model)
}

/** Whether a value is what a provider makes of a model's name. */
export function isTarget(value: unknown): value is Target {
  if (typeof value !== 'object' || value === null) return false
  const { provider, model } = value as Partial<Target>
  return (
    typeof model === 'string' &&
    typeof provider?.encode === 'function' &&
    typeof provider.decode === 'function'
  )
}
