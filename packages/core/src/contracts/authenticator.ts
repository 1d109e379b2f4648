import type { AuthFailure } from '../errors/auth-failure.ts'
import type { Principal } from './principal.ts'

/**
 * Identifies the caller of a request. Returns `undefined` if nobody can be identified: the response is a 401.
 *
 * `Host` is the request type of the host: the server framework that the gateway is mounted in. `host` is that request: `req`
 * of Express, `ctx` of Koa. It is `undefined` when `gateway.fetch` is called directly.
 *
 * `report` records why the result is `undefined`, for events and logs. It does not change the response: a caller cannot
 * distinguish an expired key from an unknown one. If it is called more than once, the most specific reason counts.
 *
 * It may throw a `GatewayError`, which becomes the response. Any other error becomes a 500.
 */
export interface Authenticator<Host = unknown> {
  (
    request: Request,
    host: Host | undefined,
    report?: (failure: AuthFailure) => void,
  ): Principal | undefined | Promise<Principal | undefined>
  /** Returns the principals that are known in advance, such as those of a list of keys. */
  principals?(): readonly Principal[]
}
