import type { Lease, Limiter, Usage } from '@sluice/core'

/** A limiter that lets everybody in and keeps count. */
export interface CountingLimiter extends Limiter {
  /** Leases taken. */
  readonly admitted: number
  /** Leases given back, each with its usage. */
  readonly settled: readonly (Usage | undefined)[]
}

/** Makes one. A lease that is settled twice throws, into the gateway and out of `expectAllSettled`. */
export function countingLimiter(): CountingLimiter {
  const settled: (Usage | undefined)[] = []
  let admitted = 0
  return {
    get admitted() {
      return admitted
    },
    settled,
    admit(): Lease {
      admitted++
      return { headers: {}, settle: usage => void settled.push(usage) }
    },
  }
}
