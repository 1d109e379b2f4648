import type { Draft } from '../contracts/draft.ts'
import type { Lease, LimitContext, Limiter } from '../contracts/limiter.ts'
import type { Principal } from '../contracts/principal.ts'
import { memberOf } from '../primitives/own-members.ts'

/** Whether a principal has `limits`, valid or not. */
export function hasLimits(principal: Principal): boolean {
  const own = memberOf(principal, 'limits')
  return own !== undefined && own !== null && !(Array.isArray(own) && own.length === 0)
}

/**
 * Admits a request, or throws 429. Throws `TypeError` where the limiter returns no lease, and for limits of a principal that it
 * does not enforce: no request is admitted by mistake.
 */
export function limit(
  principal: Principal,
  draft: Draft,
  context: LimitContext,
  limiter: Limiter,
): Lease | Promise<Lease> {
  if (limiter.enforcesPrincipalLimits !== true && hasLimits(principal)) {
    throw new TypeError(
      `The principal '${principal.id}' has limits, and the gateway's limiter does not enforce them: expected limits(), or a limiter with enforcesPrincipalLimits: true.`,
    )
  }
  const admitted: unknown = limiter.admit(principal, draft, context)
  return isLease(admitted) ? admitted : leaseOf(admitted)
}

async function leaseOf(admitted: unknown): Promise<Lease> {
  const lease: unknown = await admitted
  if (isLease(lease)) return lease
  throw new TypeError('limits returned no lease: expected an object with a settle function.')
}

function isLease(value: unknown): value is Lease {
  return (
    typeof value === 'object' && value !== null && 'settle' in value && typeof value.settle === 'function'
  )
}
