import type { Redis } from 'ioredis'

/** What the limits of all gateways have in Redis. */
export interface Counters {
  /** The sums of all budgets, in billionths of a dollar. */
  readonly spent: number
  /** What unsettled requests hold of any counter. */
  readonly held: number
  /** Keys that would never expire. */
  readonly endless: readonly string[]
}

/** A reservation that has expired, as of a process that was killed, holds nothing: the next operation refunds it. */
export async function readCounters(redis: Redis): Promise<Counters> {
  const [seconds = 0, microseconds = 0] = (await redis.time()).map(Number)
  const now = seconds * 1_000_000 + microseconds
  let spent = 0
  let held = 0
  const endless: string[] = []
  for (const key of await redis.keys('{sluice}:*')) {
    if (/^\{sluice\}:sum-ever:/.test(key)) spent += Number((await redis.get(key))?.split(':')[1] ?? 0)
    if (/^\{sluice\}:[a-z-]+-held:/.test(key)) held += await redis.zcount(key, `(${now}`, '+inf')
    if (/^\{sluice\}:sum-ever-held:/.test(key))
      for (const expired of await redis.zrangebyscore(key, '-inf', now)) spent -= refundOf(expired)
    if ((await redis.pttl(key)) === -1) endless.push(key)
  }
  return { spent, held, endless }
}

/** Of a member `id:refund:window`. */
function refundOf(member: string): number {
  return Number(member.split(':')[1])
}
