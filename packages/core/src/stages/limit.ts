import type { Usage } from '../protocol/chat.ts'
import type { Principal } from './authenticate.ts'
import type { Draft } from './read.ts'

/** Room that a request holds until its answer has ended. */
export interface Lease {
  /** What the caller is told of the limit, on the answer whatever it is. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * Gives the room back. Called exactly once. `usage` is `undefined` when no model was asked or none
   * answered.
   */
  settle(usage: Usage | undefined): void | Promise<void>
}

/** Says whether there is room. */
export interface Limiter {
  /** Takes room, or throws `GatewayError` (429) with its headers and takes none. */
  admit(principal: Principal, draft: Draft): Lease | Promise<Lease>
}

const unlimited: Lease = { headers: {}, settle() {} }

/** Is there room? Throws 429. */
export function limit(
  principal: Principal,
  draft: Draft,
  limiter: Limiter | undefined,
): Lease | Promise<Lease> {
  return limiter === undefined ? unlimited : limiter.admit(principal, draft)
}
