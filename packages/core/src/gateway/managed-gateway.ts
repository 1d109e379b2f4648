import type { FetchContext } from '../contracts/host.ts'
import type { HookRecord, TracedTarget } from '../contracts/trace.ts'
import type { AuthFailure } from '../errors/auth-failure.ts'
import type { ErrorReason, GatewayError } from '../errors/errors.ts'
import type { GatewayOptions } from './config.ts'
import type { ModelTargets } from './model-targets.ts'

/** How a request would be routed. Explaining it calls no upstream and counts against no limit. */
export interface Explanation {
  /** The id of the principal; `undefined` if the request is not authenticated. */
  readonly principal: string | undefined
  /** Why the request is not authenticated; `undefined` if it is. */
  readonly authFailure: AuthFailure | undefined
  readonly model: string | undefined
  /** The targets in the order in which they would be called, skipped ones included. At most 100. */
  readonly candidates: readonly TracedTarget[]
  /** How many targets are omitted; absent if none are. */
  readonly more?: number
  /** The seed of the random decisions. */
  readonly seed: number
  /** What the hooks of the request did; absent if none applies. */
  readonly hooks?: readonly HookRecord[]
  /**
   * The error with which the gateway would reject the request; `undefined` if it would call an upstream. Not the `refusal` of a
   * message, in which a model declines to answer.
   */
  readonly refusal: GatewayError | undefined
}

/** A chat-completions gateway as a function over Web `Request` and `Response`. */
export interface Gateway<Host = unknown> {
  /**
   * Responds to a request. `HEAD` requests for the mount and for `/api/hello` below it, which coding clients send when they
   * start, get a 200 without authentication. Works unbound, and as a replacement for `fetch`: called with a URL and a `RequestInit` it
   * responds in process, and rejects when the `signal` given there aborts. Called with a `Request` it never rejects.
   */
  readonly fetch: (
    input: Request | string | URL,
    init?: FetchContext<Host> | RequestInit,
  ) => Promise<Response>
  /**
   * Whether a path belongs to the gateway: everything below `basePath`. `mount` is the path under which the host mounted
   * it; if the mount itself ends with `basePath` (`app.use('/v1', ...)`), everything below the mount does. The paths of
   * probes do not: a host with paths of its own keeps them.
   */
  readonly matches: (pathname: string, mount?: string) => boolean
  /**
   * Returns an error in the shape of the protocol of a path, for a host that rejects a request before the gateway gets it, such
   * as a body parser. `origin` is the header of that name, by which `withCors` lets a page read it.
   */
  readonly errorResponse?: (
    pathname: string,
    reason: ErrorReason,
    message: string,
    mount?: string,
    origin?: string,
  ) => Response
  /**
   * Shuts the gateway down. Rejects new requests with 503, lets running ones finish for `drainMs` (default 30,000), aborts
   * the rest, and closes the transport that it created. Resolves when nothing runs any more and limits and ledger are
   * settled, for which it waits up to 5 seconds. Of several calls the shortest `drainMs` counts.
   *
   * With `delayMs` (default 0) it accepts requests for that long before, although `ready` is `false` at once: a load balancer that
   * checks readiness sends no more by then. A call without it ends the delay of an earlier one.
   */
  readonly close: (options?: { readonly drainMs?: number; readonly delayMs?: number }) => Promise<void>
}

/**
 * What `createGateway` returns: a `Gateway` that can also be reloaded, explained and inspected. Adapters need a `Gateway` only.
 * `Model` is the union of the model names that it was created with; with an explicit type argument for `Host`, `createGateway`
 * does not infer them.
 */
export interface ManagedGateway<Host = unknown, Model extends string = string> extends Gateway<Host> {
  /**
   * Replaces all options: those that are not named have their defaults. Running requests finish with the options that they
   * began with; the transport that the gateway created for them is closed afterwards. Stores and transports of your own
   * stay open; a load shedder that the new options do not have is closed. The health of targets stays, and so do the
   * counts of rules without a store of their own.
   *
   * Throws `ConfigurationError`, a `TypeError` that names every invalid option, and then changes nothing. Throws
   * `TypeError` after `close`.
   */
  reload(options: GatewayOptions<Host>): void
  /**
   * Explains how a chat completion would be routed: its principal, its targets in order, and which would be skipped. Calls
   * `authenticate`, `route`, `authorize` and `onRequest` of the hooks, and reads the body. Does not call upstreams, count against limits or record
   * anything. With the `seed` of a `RequestTrace` it makes the random decisions of that request again; default: a random seed.
   *
   * `refusal` contains the error of a rejected request. Rejects with `TypeError` for an invalid seed.
   */
  readonly explain: (
    request: Request,
    context?: FetchContext<Host> & { readonly seed?: number },
  ) => Promise<Explanation>
  /** Whether it should get requests: `false` once `close` was called, also during its `delayMs`. For a readiness probe. */
  readonly ready: boolean
  /** The model names that `GET /models` lists: after a `reload`, those of the new options. */
  readonly models: readonly Model[]
  /**
   * Returns the targets of each of `models` with their health: for a page or a readiness check of your own. After a
   * `reload`, those of the new options. Throws what the functions of a route of your own throw.
   */
  targets(): readonly ModelTargets[]
}
