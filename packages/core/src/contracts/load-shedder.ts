/** The current load of the gateway. */
export interface LoadSnapshot {
  /** Number of requests in flight, of any kind, without the current one and those whose body is still being received. */
  readonly inFlight: number
}

/**
 * Decides whether to reject a chat completion because of overload. Returns the reason, for logs, or `undefined` to accept
 * it. A rejected request gets a 503.
 *
 * The gateway calls it before anything else, and again after a body that took time to arrive. It must be synchronous and
 * cheap. If it throws, or returns anything else, the request is accepted and a `warning` event is sent once.
 */
export interface LoadShedder {
  (load: LoadSnapshot): string | undefined
  /** Releases its resources. Called by a gateway that no longer uses it; other gateways may still do. */
  close?(): void
}
