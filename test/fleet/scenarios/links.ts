import { gateways, upstreams } from '../network/addresses.ts'
import type { LinkFault } from '../network/network.ts'
import { localAdmissions } from '../records/bounds.ts'
import { floodPerSecond } from '../traffic/tenants.ts'
import { now, recoveryOf, type Scenario, seconds } from './scenario.ts'

// What a network does to a fleet without the failure of any host.

export const baseline: Scenario = {
  name: 'baseline',
  title: 'load, without a fault',
  async run() {
    await seconds(15)
    return {}
  },
}

/** Within the 50 ms of the limit store. A lost segment is sent again after 200 ms, which is not. */
export const loss = slowLinks('loss', '10 ms +- 4 and 2 % loss', { delayMs: 5, jitterMs: 2, loss: 0.01 })

/** Half of the operations of the limit store take longer than they may. */
export const latency = slowLinks('latency', '50 ms +- 20 and 2 % loss', {
  delayMs: 25,
  jitterMs: 10,
  loss: 0.01,
})

/** `fault` applies each way: a round trip has it twice. */
function slowLinks(name: string, what: string, fault: LinkFault): Scenario {
  return {
    name,
    title: `gateways to Redis, PgBouncer and upstreams: ${what} per round trip`,
    async run({ network }) {
      const from = now()
      await network.fault(gateways, ['redis-1', 'redis-2', 'pgbouncer', ...upstreams], fault)
      await seconds(20)
      await network.clear()
      const healed = now()
      await seconds(8)
      const local = (now() - from) / 1_000
      return {
        codes: ['limiter_unavailable'],
        // Single operations time out without an event: each process may count on its own at any moment.
        overAdmissions: {
          most: localAdmissions(
            floodPerSecond,
            4,
            gateways.map(() => local),
          ),
          because: `4 processes may count their share on their own for ${local.toFixed(0)} s`,
        },
        figures: ({ calls }) => [`all answered again after the fault: ${recoveryOf(calls, healed)}`],
      }
    },
  }
}
