import { localAdmissions } from '../records/bounds.ts'
import { floodPerSecond } from '../traffic/tenants.ts'
import {
  mostStalled,
  now,
  recoveryOf,
  refusedBudget,
  type Scenario,
  seconds,
  timedOutSeconds,
} from './scenario.ts'

// One gateway of four does not reach a store that works.

export const redisPartition: Scenario = {
  name: 'redis-partition',
  title: 'gateway-4 does not reach Redis for 12 s',
  async run(fleet) {
    const { network } = fleet
    await seconds(4)
    const from = Date.now()
    await network.fault(['gateway-4'], ['redis-1', 'redis-2'], { loss: 1 })
    await seconds(12)
    await network.clear()
    const healed = now()
    await seconds(25)
    const local = fleet.gateway('gateway-4').failingSeconds(from)
    return {
      codes: ['limiter_unavailable'],
      overAdmissions: {
        most: localAdmissions(floodPerSecond, 4, [local + timedOutSeconds]),
        because: `1 process counted its share on its own for ${local.toFixed(1)} s`,
      },
      budget: ({ calls }) => refusedBudget(calls),
      figures: ({ calls }) => [`all answered again after the partition: ${recoveryOf(calls, healed)}`],
      check: ({ calls }) => {
        const gateways = new Map(fleet.lines.map(line => [line.clientRequestId, line.gateway]))
        const refused = calls
          .filter(({ end }) => end.how === 'refused' && end.code === 'limiter_unavailable')
          .map(({ call }) => gateways.get(call.mark))
        const elsewhere = refused.filter(gateway => gateway !== 'gateway-4').length
        return [
          ...(refused.length > elsewhere ? [] : ['no budget was refused in the partition']),
          ...(elsewhere <= mostStalled * calls.length
            ? []
            : [`${elsewhere} budgets were refused by gateways that reached Redis`]),
        ]
      },
    }
  },
}

export const postgresPartition: Scenario = {
  name: 'postgres-partition',
  title: 'gateway-4 does not reach PgBouncer for 12 s',
  async run({ network }) {
    await seconds(4)
    await network.fault(['gateway-4'], ['pgbouncer'], { loss: 1 })
    await seconds(12)
    await network.clear()
    const healed = now()
    await seconds(10)
    return {
      figures: ({ calls }) => [`all answered again after the partition: ${recoveryOf(calls, healed)}`],
    }
  },
}
