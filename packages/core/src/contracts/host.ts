import type { Principal } from '../auth/authenticate.ts'
import type { AuthFailure } from '../errors/auth-failure.ts'
import type { GatewayError } from '../errors/errors.ts'
import type { GatewayOptions } from '../gateway/config.ts'
import type { ModelTargets } from '../gateway/model-targets.ts'
import type { TracedCandidate } from './trace.ts'

/** A request's body that the host holds already, or hands over in a cheaper form than a Web stream. */
export type HostBody =
  | {
      readonly kind: 'stream'
      readonly stream: AsyncIterable<Uint8Array>
      /** All of the body, where it has come as a whole: cheaper than its pieces. `undefined`: nothing was taken. */
      arrived?(): Uint8Array | undefined
    }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** A body parser has run: this is what it made of the body. */
  | { readonly kind: 'parsed'; readonly value: unknown }

/** Is told once, when the client of a request leaves before its answer has ended. */
export interface LeaveListener {
  clientLeft(): void
}

/**
 * A `Request` whose adapter can tell that the client leaves without making an `AbortSignal` for it. It has itself under
 * the key `Symbol.for('sluice.leaving')`; `signal` says the same.
 */
export interface Leaving {
  readonly signal: AbortSignal
  /** Whether the client has left. */
  readonly left: boolean
  onLeave(listener: LeaveListener): void
  /** Takes back `onLeave`. */
  offLeave(listener: LeaveListener): void
}

/** What an adapter knows of its host, beyond the `Request`. All of it is optional. */
export interface FetchContext<Host = unknown> {
  /** The host's own request, handed to `authenticate`: Express's `req`, Koa's `ctx`. */
  readonly host?: Host | undefined
  /** The path under which the host mounted the gateway, without a trailing slash: `/api/ai`. */
  readonly mount?: string | undefined
  /** Replaces `request.body`. */
  readonly body?: HostBody | undefined
  /** Called once with the principal, as soon as it is known. */
  readonly identified?: ((principal: Principal) => void) | undefined
  /**
   * The adapter reads answers by their `sluice.answer` symbol: the `Response` may then be made without its
   * native parts, which is cheaper. See `Answer`.
   */
  readonly plainAnswers?: boolean | undefined
}

/**
 * What a `Response` of the gateway is made of, under the key `Symbol.for('sluice.answer')`, when the adapter
 * asked for `plainAnswers`. It is `undefined` once the native body has been asked for.
 */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /**
   * The same, names and values by turns, where each name is in lower case and each value printable ASCII: they can be
   * written as they are. Absent where that is not so.
   */
  readonly headerList?: readonly string[] | undefined
  /** Text, or pieces of text that come one by one. Leaving the pieces early ends the upstream call. */
  readonly body: string | AsyncIterable<string>
}

/** What would become of a request: nobody was asked, and no room was taken. */
export interface Explanation {
  /** The caller's, where one is known. */
  readonly principal: string | undefined
  /** Why nobody was authenticated, where that is so. */
  readonly authFailure: AuthFailure | undefined
  readonly model: string | undefined
  /** In the order in which they would be asked; those that would be skipped included. At most 100. */
  readonly candidates: readonly TracedCandidate[]
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
