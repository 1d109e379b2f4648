import type { GatewayError } from '../errors/errors.ts'
import type { UpstreamError } from '../errors/upstream-error.ts'
import type { Usage } from '../protocol/chat.ts'
import type { Draft } from './draft.ts'
import type { Principal } from './principal.ts'
import type { Target } from './provider.ts'
import type { TargetHealth } from './target-health.ts'
import type { SkipReason } from './trace.ts'

/** What a route knows beside the request. */
export interface RouteContext {
  readonly principal: Principal
  /** A number from 0 up to, but not including, 1. It comes from the request's seed, which its trace tells. */
  readonly random: () => number
  /** How a place does, as this process sees it. */
  readonly health: (target: Target) => TargetHealth
  /** What a use would cost at a place, in US dollars; `null` where that is not known. */
  readonly price: (usage: Usage, target: Target) => number | null
  /** Tells the trace why a place is not among those that the route gives. */
  readonly skip: (target: Target, why: SkipReason) => void
  /**
   * Names the entry of the route that matched: a name, or a pattern such as `acme/*`. Limits by model count under it.
   * A model table calls it; so should a route that answers names which callers can invent.
   */
  readonly match: (entry: string) => void
}

/** A place where a request can be answered, and what the route says of asking it. */
export interface RoutedTarget extends Target {
  /**
   * Whether the next place is asked after a failure of this one, before anything of its answer was sent. Default: after
   * all that are not the request's own fault.
   */
  readonly on?: (failure: UpstreamError) => boolean
  /**
   * The next place is asked too when this one has not begun to answer for so long, in milliseconds: the first that
   * does is the answer, the other is cut off. Absent: never.
   */
  readonly hedgeAfterMs?: number
  /** Are asked the same when this one is: what they answer is dropped, and its cost recorded. */
  readonly shadows?: readonly Target[]
  /**
   * The names in the model table by which the place was reached, beside the one that the caller used, from the outside
   * in: the caller needs leave for all of them.
   */
  readonly via?: readonly string[]
}

/** What is told of a model in `GET /models`. */
export interface ModelCard {
  readonly id: string
  /** Unix time in seconds. */
  readonly created: number
  readonly owned_by: string
}

declare const named: unique symbol

declare const referred: unique symbol

/** What refers to names of a model table. */
export interface Refers<Ref extends string> {
  /** Never there: it tells the compiler the names. */
  readonly [referred]?: Ref
}

/**
 * Says where a request can be answered, best place first; an empty list means that the model is unknown.
 *
 * `Name` are the models that it is known to answer. `Ref` are names of a model table that it refers to: it cannot be
 * asked before it stands in that table.
 */
export interface Route<Name extends string = string, Ref extends string = never> extends Refers<Ref> {
  (draft: Draft, context: RouteContext): readonly RoutedTarget[] | Promise<readonly RoutedTarget[]>
  /** The models that `GET /models` tells of. */
  list?(): readonly ModelCard[]
  /** Every target that the route knows of beforehand. */
  targets?(): readonly Target[]
  /** Those of them that could answer a model that it lists, in the order in which they stand there. */
  targetsOf?(model: string): readonly Target[]
  /**
   * The `via` of each way to a target of a model that it lists; an empty list needs no further name. `GET /models` leaves
   * out what a caller can reach by none of them. Absent: the model's own name decides.
   */
  waysOf?(model: string): readonly (readonly string[])[]
  /** Never there: it tells the compiler the names. */
  readonly [named]?: Name
}

/** The names of a model table that a route refers to. */
export type ReferredBy<R> = typeof referred extends keyof R ? NonNullable<R[typeof referred]> : never

/** The refusal of a model that no route answers. */
export type UnknownModel = (model: string, principal: Principal) => GatewayError | Promise<GatewayError>
