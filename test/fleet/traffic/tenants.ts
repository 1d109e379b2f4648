import { budget, concurrent, type LimitRuleData, requests } from '@sluice/core'
import type { Call } from './call.ts'

export const tenantNames = ['acme', 'beta', 'flood', 'slots'] as const
export type TenantName = (typeof tenantNames)[number]

/** `flood` is refused most of the time. */
export const floodPerSecond = 10
/** Streams that `slots` may have at a time. */
export const slotLimit = 4

/** The limits of the key of each tenant. */
export const limitsOf: Readonly<Record<TenantName, readonly LimitRuleData[]>> = {
  acme: [requests(1_000).per('second'), budget(1_000, 'usd').per('ever')],
  beta: [requests(1_000).per('second')],
  flood: [requests(floodPerSecond).per('second')],
  slots: [concurrent(slotLimit)],
}

/** Requests per second of each tenant while it sends. */
export const offeredPerSecond = { acme: 45, beta: 15, flood: 40 } as const

/** A call of chance. `flood` also disconnects, and sends what is not valid. */
export function callOf(tenant: keyof typeof offeredPerSecond, mark: string, random: () => number): Call {
  const stream = random() < 0.7
  const call: Call = { mark, tenant, stream, tokens: 4 + Math.floor(random() * 16), paceMs: stream ? 20 : 8 }
  if (tenant !== 'flood') return call
  const chance = random()
  if (chance < 0.06) return { ...call, invalid: 'json' }
  if (chance < 0.12) return { ...call, invalid: 'key' }
  if (chance < 0.18) return { ...call, invalid: 'model' }
  if (chance < 0.4) return { ...call, stream: true, leavesAfter: Math.floor(random() * 5) }
  return call
}
