import type { Principal } from './principal.ts'

/**
 * The body of a request in the form that the host has it, which is cheaper than a Web stream. A host is the server framework
 * that a gateway is mounted in, such as Express.
 */
export type HostBody =
  | {
      readonly kind: 'stream'
      /** Its bytes may be sent to a vendor later: they must not change any more. */
      readonly stream: AsyncIterable<Uint8Array>
      /** Returns the body if it is already buffered completely. Otherwise returns `undefined` and consumes nothing. */
      buffered?(): Uint8Array | undefined
    }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** The result of a body parser that ran before. */
  | { readonly kind: 'parsed'; readonly value: unknown }

/** Receives the disconnect of a client. */
export interface DisconnectListener {
  /** Called once, when the client disconnects before its response has ended. */
  clientDisconnected(): void
}

/**
 * Reports the disconnect of a client without the cost of an `AbortSignal`. An adapter puts it on its `Request` under the
 * key `disconnectSourceKey`; `signal` aborts at the same time.
 */
export interface DisconnectSource {
  readonly signal: AbortSignal
  /** Whether the client has disconnected. */
  readonly disconnected: boolean
  onDisconnect(listener: DisconnectListener): void
  /** Removes a listener. */
  offDisconnect(listener: DisconnectListener): void
}

/** Names a target of a model. */
export interface TargetName {
  /** The name of the provider. */
  readonly provider: string
  /** The upstream's own name for the model. */
  readonly model: string
}

/** What an adapter passes to `gateway.fetch` beside the `Request`. `Host` is the request type of the host. */
export interface FetchContext<Host = unknown> {
  /** The request object of the host, passed to `authenticate`: `req` of Express, `ctx` of Koa. */
  readonly host?: Host | undefined
  /** The path under which the gateway is mounted, without a trailing slash: `/api/ai`. */
  readonly mount?: string | undefined
  /** Replaces `request.body`. */
  readonly body?: HostBody | undefined
  /** Called once with the principal, after authentication. */
  readonly onPrincipal?: ((principal: Principal) => void) | undefined
  /**
   * Calls this target alone, once, of those of the requested model: to test it. There is no fallback, retry, hedge or mirrored
   * call. 404 if the model has no such target. For code beside the gateway: no client can set it.
   */
  readonly onlyTarget?: TargetName | undefined
  /**
   * Whether the adapter reads responses as plain data, the `GatewayResponse` under `gatewayResponseKey`. The gateway then
   * creates a native `Response` body and `Headers` only if they are used, which is cheaper. Default `false`.
   */
  readonly plainResponses?: boolean | undefined
}

/**
 * The content of a `Response` of the gateway, for adapters that set `plainResponses`. It is a property of the response
 * under the key `gatewayResponseKey`, and `undefined` once the native body was used.
 */
export interface GatewayResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /**
   * The headers as a flat list of names and values, ready to be written. Absent unless every name is in lower case and
   * every value is printable ASCII.
   */
  readonly headerList?: readonly string[] | undefined
  /** The text, or an iterable of its pieces. Ending the iteration early cancels the upstream call. */
  readonly body: string | AsyncIterable<string>
}
