import { type Lease, type Limiter, limits, type Usage } from '@sluice/core'

/** A limiter that keeps count. */
export interface CountingLimiter extends Limiter {
  /** Leases taken. */
  readonly admitted: number
  /** Leases given back, each with its usage. */
  readonly settled: readonly (Usage | undefined)[]
}

/** Makes one of another, which says who is let in. Default: whom its own limits let in. */
export function countingLimiter(limiter: Limiter = limits([])): CountingLimiter {
  const settled: (Usage | undefined)[] = []
  let admitted = 0
  const counted = (lease: Lease): Lease => {
    admitted++
    const settle: Lease['settle'] = (usage, cost) => {
      settled.push(usage)
      return lease.settle(usage, cost)
    }
    return { ...lease, settle }
  }
  const { maxWaitMs, appliesToAll, enforcesPrincipalLimits = false } = limiter
  return {
    get admitted() {
      return admitted
    },
    settled,
    enforcesPrincipalLimits,
    ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
    ...(appliesToAll === undefined ? {} : { appliesToAll }),
    admit(principal, draft, context) {
      const lease = limiter.admit(principal, draft, context)
      return lease instanceof Promise ? lease.then(counted) : counted(lease)
    },
  }
}
