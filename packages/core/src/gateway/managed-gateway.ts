import type { FetchContext } from '../contracts/host.ts'
import type { TracedTarget } from '../contracts/trace.ts'
import type { AuthFailure } from '../errors/auth-failure.ts'
import type { GatewayError } from '../errors/errors.ts'
import type { GatewayOptions } from './config.ts'
import type { ModelTargets } from './model-targets.ts'

/** What would become of a request: nobody was asked, and no room was taken. */
export interface Explanation {
  /** The caller's, where one is known. */
  readonly principal: string | undefined
  /** Why nobody was authenticated, where that is so. */
  readonly authFailure: AuthFailure | undefined
  readonly model: string | undefined
  /** In the order in which they would be asked; those that would be skipped included. At most 100. */
  readonly candidates: readonly TracedTarget[]
  /** How many are left out; absent where none are. */
  readonly more?: number
  /** What chance was decided with. */
  readonly seed: number
  /** Why it would be refused before any upstream is asked; `undefined` where it would not. */
  readonly refusal: GatewayError | undefined
}

/** A chat-completions service as a function over Web `Request` and `Response`. */
export interface Gateway<Host = unknown> {
  /**
   * Answers a request. May be passed about unbound, and stand where a `fetch` is asked for: called with a
   * URL and a `RequestInit` it answers in process, and rejects when the `signal` given there aborts.
   * Called with a `Request` it never rejects.
   */
  readonly fetch: (
    input: Request | string | URL,
    init?: FetchContext<Host> | RequestInit,
  ) => Promise<Response>
  /**
   * Whether a path is the gateway's: everything under its base. `mount` is the path under which the host
   * mounted it; where the mount itself ends with the base (`app.use('/v1', ...)`), all below the mount is.
   */
  readonly matches: (pathname: string, mount?: string) => boolean
  /**
   * Stops: refuses new requests with 503, lets running answers end for `drainMs` (default 30,000), then
   * ends them, and closes the transport that it made itself. Resolves when nothing runs any more and what limits and
   * ledger had to be told is told, for which it waits up to 5 seconds. Of several calls the shortest `drainMs` counts.
   */
  readonly close: (options?: { readonly drainMs?: number }) => Promise<void>
}

/**
 * What `createGateway` makes: a gateway, and what its owner does with it. `Model` are the names of the models that it was
 * made with; with a type argument of its own for `Host`, `createGateway` does not infer them.
 */
export interface ManagedGateway<Host = unknown, Model extends string = string> extends Gateway<Host> {
  /**
   * Takes other options from now on, as a whole: what they do not name has its default. Requests that run finish with
   * those that they began with, and then the transport is closed that the gateway had made for them. What is of your
   * making is not closed, but for a load shedder that the new options do not have. What is known of the health of
   * targets stays, and so do the counts of rules that name no store; a limiter of its own counts for itself.
   *
   * Options that cannot be used change nothing: throws `TypeError` naming every one that is wrong, and after `close`.
   */
  reload(options: GatewayOptions<Host>): void
  /**
   * What would become of a request to chat completions, as far as it is decided before room is taken: who asks, where it
   * may be answered, in which order, and who would be skipped. No upstream is asked, no room taken, nothing recorded.
   * `authenticate`, `route` and `authorize` are asked as for a request, and its body is read. `seed` is that of a trace
   * whose decisions are wanted again; absent: a fresh one.
   *
   * What refuses the request is in `refusal`. Rejects with `TypeError` for what is no seed.
   */
  readonly explain: (
    request: Request,
    context?: FetchContext<Host> & { readonly seed?: number },
  ) => Promise<Explanation>
  /** Whether it takes requests: `false` from the moment that `close` is called. For a readiness probe. */
  readonly ready: boolean
  /** The names that callers use, as `GET /models` lists them: after a `reload`, those of the other options. */
  readonly models: readonly Model[]
  /**
   * For each of `models` the places that could answer it, and how they do now: for a page or a probe of your own. After a
   * `reload`, those of the other options. Throws what a function of your own route throws that is asked for them.
   */
  targets(): readonly ModelTargets[]
}
