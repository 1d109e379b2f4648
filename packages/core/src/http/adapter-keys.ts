/**
 * The key of a response's `GatewayResponse`, for adapters that set `plainResponses` in their `FetchContext`. Absent if the
 * response is not the gateway's own, or its native body has been used: then read it as any other `Response`.
 */
export const gatewayResponseKey: unique symbol = Symbol.for('sluice.gatewayResponse')

/**
 * The key of a request's `DisconnectSource`, for adapters that report a disconnect without an `AbortSignal`. The gateway
 * uses it only if the value is the request itself, and `request.signal` otherwise.
 */
export const disconnectSourceKey: unique symbol = Symbol.for('sluice.disconnectSource')
