import { localAdmissions, lostAdmissions } from '../records/bounds.ts'
import { floodPerSecond, offeredPerSecond } from '../traffic/tenants.ts'
import {
  mostPerCall,
  now,
  recoveryOf,
  refusedBudget,
  type Scenario,
  seconds,
  timedOutSeconds,
} from './scenario.ts'

/** How long the replica receives nothing before the host of its master vanishes, in milliseconds: its lag. */
const replicaLagMs = 500

export const redisSwitchover: Scenario = {
  name: 'redis-switchover',
  title: 'Redis and its replica change roles as planned; the name follows 3 s later',
  async run({ redis, running }) {
    await seconds(5)
    const from = Date.now()
    await redis.switchRoles()
    await seconds(3)
    redis.rename()
    const renamed = now()
    await seconds(12)
    const local = running.map(gateway => gateway.failingSeconds(from))
    return {
      codes: ['limiter_unavailable'],
      overAdmissions: localBound(local),
      budget: ({ calls }) => refusedBudget(calls),
      figures: ({ calls }) => [`all answered again after the name changed: ${recoveryOf(calls, renamed)}`],
    }
  },
}

export const redisFailover: Scenario = {
  name: 'redis-failover',
  title: 'the host of Redis vanishes; its replica is promoted after 3 s and gets its name',
  async run({ network, redis, running }) {
    await seconds(6)
    const cutAt = Date.now()
    await network.fault(['redis-1'], ['redis-2'], { loss: 1 })
    await seconds(replicaLagMs / 1_000)
    const lagBytes = await redis.lagBytes()
    const from = Date.now()
    await redis.loseMaster()
    const lagMs = Date.now() - cutAt
    await network.clear()
    await seconds(3)
    await redis.promote()
    const promoted = now()
    await seconds(20)
    const local = running.map(gateway => gateway.failingSeconds(from))
    const unknown = lostAdmissions(floodPerSecond, lagMs)
    const operations = lostAdmissions(offeredPerSecond.acme * 2, lagMs)
    const shares = localBound(local)
    return {
      codes: ['limiter_unavailable'],
      overAdmissions: {
        most: unknown + shares.most,
        because: `lag ${lagMs} ms x ${floodPerSecond}/s = ${unknown}; ${shares.because}`,
      },
      budget: ({ calls }) => {
        const refused = refusedBudget(calls)
        return {
          least: -operations * mostPerCall,
          most: operations * mostPerCall + refused.most,
          because: `lag ${lagMs} ms x ${offeredPerSecond.acme * 2} operations/s = ${operations} of at most ${mostPerCall}; ${refused.because}`,
        }
      },
      figures: ({ calls }) => [
        `the replica was ${lagBytes} bytes behind`,
        `all answered again after the promotion: ${recoveryOf(calls, promoted)}`,
      ],
    }
  },
}

export const postgresFailover: Scenario = {
  name: 'postgres-failover',
  title:
    'the host of PostgreSQL vanishes; its synchronous standby is promoted after 3 s, and PgBouncer repointed',
  async run({ postgres }) {
    await seconds(5)
    const replication = await postgres.standby()
    await postgres.losePrimary()
    await seconds(3)
    await postgres.promote()
    await postgres.repoint()
    const repointed = now()
    await seconds(15)
    return {
      figures: ({ calls, rows }) => [
        `replication was ${replication}; ${rows.length} rows after the failover`,
        `all answered again after PgBouncer was repointed: ${recoveryOf(calls, repointed)}`,
      ],
    }
  },
}

/** Each process counts its share on its own while its limit store is failing. */
function localBound(failing: readonly number[]): { readonly most: number; readonly because: string } {
  const most = localAdmissions(
    floodPerSecond,
    4,
    failing.map(each => each + timedOutSeconds),
  )
  const each = failing.map(count => count.toFixed(1)).join(', ')
  return { most, because: `4 processes counted their share on their own for ${each} s` }
}
