import type { Principal } from './stages/authenticate.ts'

/** A request's body that the host holds already, or hands over in a cheaper form than a Web stream. */
export type HostBody =
  | { readonly kind: 'stream'; readonly stream: AsyncIterable<Uint8Array> }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** A body parser has run: this is what it made of the body. */
  | { readonly kind: 'parsed'; readonly value: unknown }

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
  /** Text, or pieces of text that come one by one. Leaving the pieces early ends the upstream call. */
  readonly body: string | AsyncIterable<string>
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
   * ledger had to be told is told, for which it waits up to 5 seconds.
   */
  readonly close: (options?: { readonly drainMs?: number }) => Promise<void>
}
