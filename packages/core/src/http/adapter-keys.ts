/**
 * The key of a response's `GatewayResponse`, for adapters that set `plainResponses` in their `FetchContext`. Absent if the
 * response is not the gateway's own, or its native body has been used: then read it as any other `Response`.
 */
export const gatewayResponseKey: unique symbol = Symbol.for('sluice.gatewayResponse')

/**
 * The key under which a `Request` that implements `DisconnectSource` itself refers to itself, for adapters that report a
 * disconnect without an `AbortSignal`. The gateway uses `request.signal` for any other value: a copy of the request may have it.
 */
export const disconnectSourceKey: unique symbol = Symbol.for('sluice.disconnectSource')
