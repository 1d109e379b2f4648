/** A request to a vendor, complete: nothing of the caller's headers is ever added to it. */
export interface UpstreamRequest {
  readonly method: 'POST' | 'GET'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** A vendor's answer, as bytes. */
export interface TransportResponse {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  /** Can be read once. Leaving it early closes the connection or drains it. */
  readonly body: AsyncIterable<Uint8Array>
}

/** A vendor's answer, as a provider reads it: either by `body` or by `text`. */
export interface UpstreamResponse extends TransportResponse {
  /** The whole body as UTF-8 text. Throws `UpstreamError` of kind `garbled` above 32 MiB. */
  text(): Promise<string>
  /** The same at once, where all of the body has come and nothing of it was read; else `undefined`, and nothing is read. */
  arrivedText?(): string | undefined
}

/**
 * Carries bytes to a vendor and back. It follows no redirect and reads no environment.
 *
 * It rejects when the vendor cannot be reached, with `UpstreamError` of kind `unreachable` or
 * `connect_timeout`; with `staleConnection` where a connection that had served before was closed as the request was
 * sent, for which the gateway asks once more. When `signal` aborts it closes the connection and rejects with `signal.reason`,
 * also while the body is read.
 */
export interface Transport {
  (request: UpstreamRequest, signal: AbortSignal): Promise<TransportResponse>
  /** Gives back what the transport holds: pools, sockets. */
  close?(): Promise<void>
}
