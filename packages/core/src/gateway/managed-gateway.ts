import type { FetchContext } from '../contracts/host.ts'
import type { TracedTarget } from '../contracts/trace.ts'
import type { AuthFailure } from '../errors/auth-failure.ts'
import type { GatewayError } from '../errors/errors.ts'
import type { GatewayOptions } from './config.ts'
import type { ModelTargets } from './model-targets.ts'

/** The result of `explain`: how a request would be routed. */
export interface Explanation {
  /** The id of the principal; `undefined` if the request was not authenticated. */
  readonly principal: string | undefined
  /** Why authentication failed, if it did. */
  readonly authFailure: AuthFailure | undefined
  readonly model: string | undefined
  /** The targets in the order of attempts, including those that would be skipped. At most 100. */
  readonly candidates: readonly TracedTarget[]
  /** How many candidates are omitted; absent if none are. */
  readonly more?: number
  /** The seed of the random decisions. */
  readonly seed: number
  /** The error that would reject the request before any upstream call; `undefined` if it would be accepted. */
  readonly refusal: GatewayError | undefined
}

/** A chat completions API as a function from `Request` to `Response`. */
export interface Gateway<Host = unknown> {
  /**
   * Handles a request. It needs no `this`, and can replace `fetch` in a client: called with a URL and a `RequestInit`, it
   * responds in process, and rejects when the `signal` aborts. Called with a `Request`, it never rejects.
   */
  readonly fetch: (
    input: Request | string | URL,
    init?: FetchContext<Host> | RequestInit,
  ) => Promise<Response>
  /**
   * Returns whether a path belongs to the gateway, which is everything below its `basePath`. `mount` is the path under which
   * the host framework mounted it. If the mount itself ends with the base path (`app.use('/v1', ...)`), every path below the
   * mount matches.
   */
  readonly matches: (pathname: string, mount?: string) => boolean
  /**
   * Shuts down gracefully. Rejects new requests with a 503, waits up to `drainMs` milliseconds (default 30,000) for open ones,
   * then aborts them, and closes its own transport.
   *
   * Resolves when no request is open, and limits and ledger have been written, for which it waits up to 5 seconds more. If
   * called repeatedly, the shortest `drainMs` applies.
   */
  readonly close: (options?: { readonly drainMs?: number }) => Promise<void>
}

/**
 * The gateway that `createGateway` returns, with functions to operate it. `Model` are the names of its models; they are not
 * inferred if you pass a type argument for `Host`.
 */
export interface ManagedGateway<Host = unknown, Model extends string = string> extends Gateway<Host> {
  /**
   * Replaces all options: those that are absent get their defaults. Open requests finish with the options that they started
   * with; then their transport is closed, if the gateway created it. Your own objects are not closed, except a load shedder
   * that the new options do not contain. The health of targets and the counters of rules without a store are kept. A
   * `Limiter` of your own keeps its own counters.
   *
   * Throws `ConfigurationError` that lists all invalid options, and changes nothing. Throws `TypeError` after `close`.
   */
  reload(options: GatewayOptions<Host>): void
  /**
   * Returns how a chat completion would be routed: its principal, and its targets in order, with those that would be skipped.
   * It calls no upstream, takes nothing from limits, and records nothing. It does call `authenticate`, `route` and
   * `authorize`, and reads the body. Pass the `seed` of a trace to reproduce its random decisions; default: a random one.
   *
   * If the request would be rejected, `refusal` has the error. Rejects with `TypeError` for an invalid seed.
   */
  readonly explain: (
    request: Request,
    context?: FetchContext<Host> & { readonly seed?: number },
  ) => Promise<Explanation>
  /** Whether the gateway accepts requests: `false` once `close` is called. For readiness probes. */
  readonly ready: boolean
  /** The names of the models, as in `GET /models`. They are those of the current options. */
  readonly models: readonly Model[]
  /**
   * Returns the targets of each model with their current health, for your own status page or probe. They are those of the
   * current options. Throws what your own route throws.
   */
  targets(): readonly ModelTargets[]
}
