import type { AuthFailure } from '../errors/auth-failure.ts'
import type { Principal } from './principal.ts'

/**
 * Says who is asking, or `undefined` for nobody.
 *
 * `host` is the host framework's own request where there is one: Express's `req`, Koa's `ctx`. It is
 * `undefined` when `gateway.fetch` is called directly.
 *
 * `report` takes the reason for an `undefined`. It is for events and logs: it does not change the answer, so that a caller
 * cannot tell an expired key from an unknown one. Of several reports the most specific counts.
 */
export interface Authenticator<Host = unknown> {
  (
    request: Request,
    host: Host | undefined,
    report?: (failure: AuthFailure) => void,
  ): Principal | undefined | Promise<Principal | undefined>
  /** The principals that are known beforehand, such as those of a list of keys. */
  principals?(): readonly Principal[]
}
