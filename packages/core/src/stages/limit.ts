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

/** Is there room? Throws 429, and `TypeError` for what is no lease: nobody is let in by mistake. */
export async function limit(
  principal: Principal,
  draft: Draft,
  limiter: Limiter | undefined,
): Promise<Lease> {
  if (limiter === undefined) return unlimited
  const lease: unknown = await limiter.admit(principal, draft)
  if (isLease(lease)) return lease
  throw new TypeError('limit gave something that is no lease: expected an object with a function settle.')
}

function isLease(value: unknown): value is Lease {
  return (
    typeof value === 'object' && value !== null && 'settle' in value && typeof value.settle === 'function'
  )
}
