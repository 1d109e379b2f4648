import type { Fleet } from '../servers/fleet.ts'
import { floorOf, nanoDollarsOf, usageOf } from '../traffic/call.ts'
import { slotLimit } from '../traffic/tenants.ts'
import { type BudgetAllowance, now, type Results, recoveryOf, type Scenario, seconds } from './scenario.ts'

/** Capacity that a crashed process held is released after `leaseMs`. */
const leaseMs = 30_000

export const vanishedHost: Scenario = {
  name: 'vanished-host',
  title: 'the host of gateway-4 vanishes with 4 streams of a key that may have 4',
  async run(fleet, load) {
    const { network } = fleet
    const gateway = fleet.gateway('gateway-4')
    const slot = { tenant: 'slots', stream: true, tokens: 4_000, paceMs: 50 } as const
    const held = Array.from({ length: slotLimit }, () => load.send(slot, gateway.origin))
    await seconds(5)
    const whileHeld = await load.send({ ...slot, tokens: 1 })
    await network.link('gateway-4', 'down')
    await gateway.kill()
    const killedAt = now()
    let admittedAt: number | undefined
    while (admittedAt === undefined && now() < killedAt + 2 * leaseMs) {
      await seconds(0.5)
      const { end, sentAt } = await load.send({ ...slot, tokens: 1 })
      if (end.how === 'completed') admittedAt = sentAt
    }
    await Promise.all(held)
    // The ledger closes what the process left open while it is used.
    await seconds(10)
    await network.link('gateway-4', 'up')
    await fleet.startGateway('gateway-4')
    const released = admittedAt === undefined ? Number.NaN : (admittedAt - killedAt) / 1_000
    return {
      killedAt,
      budget: results => unsettledBudget(fleet, results, killedAt),
      figures: ({ calls, rows }) => [
        `slots of the key were free again ${released.toFixed(1)} s after the kill, at most ${leaseMs / 1_000} s`,
        `all answered again after the kill: ${recoveryOf(calls, killedAt)}`,
        `${rows.filter(({ outcome }) => outcome === 'lost').length} rows were closed as lost`,
      ],
      check: () => [
        ...(whileHeld.end.how === 'refused'
          ? []
          : ['a fifth stream of the key was admitted before the kill']),
        ...(released <= leaseMs / 1_000 + 1 ? [] : [`the slots were free after ${released} s`]),
      ],
    }
  },
}

export const crash: Scenario = {
  name: 'crash',
  title: 'gateway-4 does not reach PgBouncer, crashes after 6 s, and is started again',
  async run(fleet) {
    const { network } = fleet
    const gateway = fleet.gateway('gateway-4')
    await seconds(4)
    const from = now()
    await network.fault(['gateway-4'], ['pgbouncer'], { loss: 1 })
    await seconds(6)
    await gateway.kill()
    const killedAt = now()
    await network.clear()
    await fleet.startGateway('gateway-4')
    await seconds(10)
    return {
      killedAt,
      budget: results => unsettledBudget(fleet, results, killedAt),
      figures: ({ calls, rows }) => {
        const logged = new Set(gateway.lines.map(({ clientRequestId }) => clientRequestId))
        const meanwhile = calls.filter(
          ({ call, sentAt, endedAt }) => logged.has(call.mark) && sentAt > from && endedAt < killedAt,
        )
        const marks = new Set(meanwhile.map(({ call }) => call.mark))
        const closed = rows.filter(({ mark, outcome }) => marks.has(mark) && outcome !== 'lost')
        return [
          `${closed.length} rows of calls that ended without PostgreSQL, from the journal of the crashed process`,
          `all answered again after the crash: ${recoveryOf(calls, killedAt)}`,
        ]
      },
    }
  },
}

/**
 * What a killed process did not settle stays charged with its prompt, and its row has an estimate. Either may have been
 * written before the kill, with the usage.
 */
function unsettledBudget(fleet: Fleet, { calls, rows }: Results, killedAt: number): BudgetAllowance {
  const row = new Map(rows.map(each => [each.mark, each]))
  const logged = new Map(fleet.lines.map(line => [line.clientRequestId, line.gateway]))
  let least = 0
  let most = 0
  let count = 0
  for (const { call, sentAt, endedAt } of calls) {
    const { mark, tenant } = call
    const near = sentAt <= killedAt && endedAt >= killedAt - 1_000
    const elsewhere = (logged.get(mark) ?? 'gateway-4') !== 'gateway-4'
    if (tenant !== 'acme' || elsewhere || !(near || row.get(mark)?.outcome === 'lost')) continue
    const { promptTokens, completionTokens } = usageOf(call)
    const charges = [floorOf(call), nanoDollarsOf(promptTokens, completionTokens)]
    const inLedger = row.get(mark)?.nanoDollars ?? 0
    least += Math.min(...charges, inLedger) - inLedger
    most += Math.max(...charges, inLedger) - inLedger
    count++
  }
  return {
    least,
    most,
    because: `${count} calls of gateway-4 ran at the kill or ended in the second before it`,
  }
}

const shifts = { 'gateway-3': 300_000, 'gateway-4': -30_000 } as const
type Shifted = keyof typeof shifts
const shifted = Object.keys(shifts) as Shifted[]

export const clockSkew: Scenario = {
  name: 'clock-skew',
  title: 'the clock of gateway-3 is 5 min ahead, that of gateway-4 30 s behind',
  async prepare(fleet) {
    for (const name of shifted) {
      await fleet.gateway(name).stop()
      await fleet.startGateway(name, shifts[name])
    }
  },
  async run(fleet) {
    const from = now()
    const fromDate = Date.now()
    await seconds(20)
    return {
      figures: ({ calls }) => [`all answered with wrong clocks: ${recoveryOf(calls, from)}`],
      check: ({ calls, rows }) => {
        const sentAt = new Map(calls.map(record => [record.call.mark, record.sentAt]))
        const gateways = new Map(fleet.lines.map(line => [line.clientRequestId, line.gateway]))
        return rows.flatMap(({ mark, openedAt }) => {
          const gateway = gateways.get(mark)
          const sent = sentAt.get(mark) ?? 0
          if (sent < from) return []
          const shiftMs =
            shifted.find(name => name === gateway) === undefined ? 0 : shifts[gateway as Shifted]
          const late = openedAt - shiftMs - (fromDate + sent - from)
          return Math.abs(late) < 5_000
            ? []
            : [`${mark}: opened ${late.toFixed(0)} ms after it was sent to ${gateway}`]
        })
      },
    }
  },
  async restore(fleet) {
    for (const name of shifted) {
      await fleet.gateway(name).stop()
      await fleet.startGateway(name)
    }
  },
}
