/** A complete HTTP request to a vendor. Headers of the caller's request are never added to it. */
export interface UpstreamRequest {
  readonly method: 'POST' | 'GET'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** The HTTP response of a vendor. */
export interface TransportResponse {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  /** Can be read once. Ending the iteration early closes or drains the connection. */
  readonly body: AsyncIterable<Uint8Array>
}

/** The response of a vendor, for `Provider.decode`, which reads either `body` or `text`. */
export interface UpstreamResponse extends TransportResponse {
  /** Returns the complete body as UTF-8 text. Rejects with `UpstreamError` of kind `garbled` above 32 MiB. */
  text(): Promise<string>
  /** Returns the body synchronously if it is buffered completely and unread. Otherwise returns `undefined`. */
  bufferedText?(): string | undefined
}

/**
 * Sends a request to a vendor and returns its response. It must not follow redirects or read proxy settings from the
 * environment.
 *
 * It rejects with `UpstreamError` of kind `unreachable` or `connect_timeout` if it cannot reach the vendor. It sets
 * `staleConnection` if a reused connection was closed while the request was sent: the gateway then sends the request once
 * more. When `signal` aborts, it closes the connection and rejects with `signal.reason`, also while the body is being read.
 */
export interface Transport {
  (request: UpstreamRequest, signal: AbortSignal): Promise<TransportResponse>
  /** Closes connections and releases resources. */
  close?(): Promise<void>
}
