import type { Principal } from './principal.ts'

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
export interface DisconnectListener {
  clientDisconnected(): void
}

/**
 * A `Request` that reports a disconnect of its client without an `AbortSignal` of its own. It returns itself under
 * `disconnectSourceKey`; `signal` reports the same disconnect.
 */
export interface DisconnectSource {
  readonly signal: AbortSignal
  /** Whether the client has left. */
  readonly disconnected: boolean
  onDisconnect(listener: DisconnectListener): void
  /** Takes back `onDisconnect`. */
  offDisconnect(listener: DisconnectListener): void
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
   * The adapter reads responses under `gatewayResponseKey`: the `Response` may then be made without its native parts,
   * which is cheaper. See `GatewayResponse`.
   */
  readonly plainResponses?: boolean | undefined
}

/**
 * The parts of a gateway's `Response`, under `gatewayResponseKey`, where the adapter set `plainResponses`. They are
 * `undefined` once the native body has been used.
 */
export interface GatewayResponse {
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
