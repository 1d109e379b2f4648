import type { GatewayError } from '../errors/errors.ts'
import type { UpstreamError } from '../errors/upstream-error.ts'
import type { Usage } from '../protocol/chat.ts'
import type { CallOptions } from './call-options.ts'
import type { Draft } from './draft.ts'
import type { Principal } from './principal.ts'
import type { Target } from './provider.ts'
import type { TargetHealth } from './target-health.ts'
import type { SkipReason } from './trace.ts'

/** What a route can use beside the request body. */
export interface RouteContext {
  readonly principal: Principal
  /** Returns a number from 0 up to, but not including, 1. It is seeded by the `seed` of the request's trace. */
  readonly random: () => number
  /** Returns the health of a target, as measured by this process. */
  readonly health: (target: Target) => TargetHealth
  /** Returns the cost of usage at a target in US dollars, or `null` without a known price. */
  readonly price: (usage: Usage, target: Target) => number | null
  /** Records in the trace why the route does not return a target. */
  readonly skip: (target: Target, why: SkipReason) => void
  /**
   * Reports the entry of the route that matched: a name, or a pattern such as `acme/*`. Limits with the scope `model` count
   * by it. `models()` calls it; your own route should too if it accepts names that callers can make up.
   */
  readonly match: (entry: string) => void
}

/** A target with the options of its calls. */
export interface CallTarget extends Target {
  /** How it is called, where that differs from the options of the gateway. See `withCallOptions`. */
  readonly callOptions?: CallOptions | undefined
}

/** A target on the route of one request, with the settings of the route: fallback, hedging, mirroring. */
export interface RoutedTarget extends CallTarget {
  /**
   * Returns whether to fall back to the next target after a failure of this one. Not called once the first content of the
   * response has arrived. Default: after every failure that the request itself did not cause.
   */
  readonly fallbackOn?: ((failure: UpstreamError) => boolean) | undefined
  /**
   * Milliseconds without content after which the next target is called too. The first of both with content is used, the other
   * is cancelled. A response that is not streamed has its content when it is complete. Default: no hedging.
   */
  readonly hedgeAfterMs?: number | undefined
  /** Targets that get a copy of the request when this one is called. Their responses are discarded, their cost recorded. */
  readonly shadows?: readonly CallTarget[] | undefined
  /**
   * The further names of the model table on the way from the requested model to the target, in order. The principal must be
   * allowed to use all of them.
   */
  readonly via?: readonly string[] | undefined
}

/** A row of `GET /models`: a model, with the fields of the chat completions API. */
export interface ModelCard {
  readonly id: string
  /** Unix time in seconds. */
  readonly created: number
  readonly owned_by: string
}

declare const named: unique symbol

declare const referred: unique symbol

/**
 * Carries the names of a model table that a route refers to. It is a phantom type: its member exists for the compiler only, so
 * that `models()` can check the names.
 */
export interface Refers<Ref extends string> {
  /** Phantom: exists in the type only. */
  readonly [referred]?: Ref
}

/**
 * Returns the targets for a request, best first. An empty list means that the model is unknown.
 *
 * `Name` are the models that it serves. `Ref` are the names of a model table that it refers to: a route that has some can only
 * be used as an entry of that table. Both are phantom types, for the compiler only.
 */
export interface Route<Name extends string = string, Ref extends string = never> extends Refers<Ref> {
  (draft: Draft, context: RouteContext): readonly RoutedTarget[] | Promise<readonly RoutedTarget[]>
  /** Returns the models for `GET /models`. */
  list?(): readonly ModelCard[]
  /** Returns the patterns of names that it serves beside those that it lists. Absent: they are not known. */
  patterns?(): readonly string[]
  /** Returns every target that is known in advance. */
  targets?(): readonly Target[]
  /** Returns the targets that could serve a listed model, in the order of configuration. */
  targetsOf?(model: string): readonly Target[]
  /**
   * Returns each way from a listed model to a target: the `via` of the target, which are the further names of the table that
   * lead to it. `GET /models` omits a model if the principal may use none of its ways. Default: the name of the model decides.
   */
  waysOf?(model: string): readonly (readonly string[])[]
  /** Phantom: exists in the type only. */
  readonly [named]?: Name
}

/** The names of a model table that a route refers to, from its phantom type. */
export type ReferredBy<R> = typeof referred extends keyof R ? NonNullable<R[typeof referred]> : never

/** Returns the error for a model that no route serves. */
export type UnknownModel = (model: string, principal: Principal) => GatewayError | Promise<GatewayError>
