import { apiKeys, budget, concurrent, limits, models, priceTable } from '@sluice/core'
import { openaiCompatible } from '@sluice/providers'
import {
  allInvariants,
  type Invariant,
  type SimulationOptions,
  type SimulationParts,
  shrinkSimulation,
  simulate,
} from '@sluice/testing/simulation'
import { describe, expect, it } from 'vitest'
import { recorded } from './recorded.ts'

const ann = { id: 'ann', key: 'sk-ann' }
const targets = ['a', 'b'].map(name =>
  openaiCompatible({ name, baseURL: `http://${name}.invalid/v1`, apiKey: 'k' })('m'),
)
const expectedLimits = [{ key: 'ann', concurrent: 60, budget: 100 }]

/** Options of gateways whose requests take ten seconds each. */
function optionsOf(more: Partial<SimulationOptions> = {}): SimulationOptions {
  return {
    gateways: 2,
    createOptions: ({ clock, generateId, limitStore, ledger, sharedHealth, simulated }) => ({
      authenticate: apiKeys([ann], { clock }),
      route: models({ m: targets.map(simulated) }),
      prices: priceTable({ m: { input: 1, output: 2 } }),
      limits: limits([concurrent(60), budget(100, 'usd').per('day')], {
        store: limitStore,
        clock,
        generateId,
      }),
      ledger,
      ...(more.stores?.health !== undefined && { sharedHealth }),
    }),
    upstreams: { a: { firstTokenMs: 9_000, tokensPerSecond: 1_000 } },
    traffic: {
      durationMs: 180_000,
      clients: [{ rate: 2, keys: [ann], models: [{ model: 'm' }], streamed: 0.5 }],
    },
    invariants: allInvariants({ gateways: 2, limits: expectedLimits }),
    ...more,
  }
}

describe('crashes', () => {
  const crashes = [{ gateway: 0, atMs: 60_000, downMs: 20_000 }]

  it('ends what is in flight, and releases and closes it by expiry', async () => {
    const { result, of, report } = await recorded(optionsOf({ crashes }))
    expect(result.violations).toEqual([])
    expect(of('crash')).toEqual([{ type: 'crash', at: 60_000, gateway: 0 }])
    const cut = of('request').filter(({ end }) => end === 'failed')
    expect(cut.length).toBeGreaterThan(5)
    for (const { at, ms, gateway, status } of cut) expect([at + ms, gateway, status]).toEqual([60_000, 0, 0])
    expect(report.failures).toEqual({ 'no response': cut.length })
    expect(of('call').filter(({ end }) => end === 'cancelled')).toHaveLength(cut.length)
    const lost = of('lost')
    expect(lost.map(({ entry }) => entry.requestId).sort()).toEqual(
      cut.map(({ requestId }) => requestId).sort(),
    )
    // Without a heartbeat of 5 seconds for 30 seconds, then the next sweep.
    expect(lost.every(({ at }) => at >= 85_000 && at < 125_000)).toBe(true)
    const ofGateway = of('request').filter(({ gateway }) => gateway === 0)
    expect(ofGateway.some(({ at }) => at >= 60_000 && at < 80_000)).toBe(false)
    expect(ofGateway.some(({ at }) => at >= 80_000)).toBe(true)
  })

  it('is noticed by clients that retry, also when no gateway is left', async () => {
    const { traffic } = optionsOf()
    const { result, of } = await recorded(
      optionsOf({
        crashes: [...crashes, { gateway: 1, atMs: 61_000 }],
        traffic: { ...traffic, clients: traffic.clients.map(group => ({ ...group, retries: { max: 5 } })) },
      }),
    )
    expect(result.violations).toEqual([])
    const requests = of('request')
    const refused = requests.filter(({ gateway }) => gateway === -1)
    expect(refused.length).toBeGreaterThan(3)
    expect(
      refused.every(({ at, ms, status }) => at >= 61_000 && at < 66_000 && ms === 0 && status === 0),
    ).toBe(true)
    const again = requests.filter(({ attempt, end }) => attempt > 0 && end === 'completed')
    expect(again.length).toBeGreaterThan(10)
  })

  it('holds the reservations of a crashed gateway until they expire', async () => {
    const { of } = await recorded(optionsOf({ crashes, upstreams: { a: { firstTokenMs: 50_000 } } }))
    const refused = of('request').filter(({ status }) => status === 429)
    // Both gateways are full before, and the store knows of all that runs.
    expect(refused.length).toBeGreaterThan(10)
    /** Claims that were admitted by then, and not settled. */
    const held = (now: number) =>
      of('claim').filter(({ at, decision }) => at < now && decision.allowed).length -
      of('settlement').filter(({ at }) => at < now).length
    expect(held(70_000)).toBeLessThanOrEqual(60)
    expect(held(100_000)).toBeGreaterThan(75)
  })

  it('rejects a crash of a gateway that does not exist, or at no time', async () => {
    for (const crash of [
      { gateway: 2, atMs: 1 },
      { gateway: 0, atMs: -1 },
      { gateway: 0, atMs: 1, downMs: Number.NaN },
    ])
      await expect(simulate(optionsOf({ crashes: [crash] }))).rejects.toThrow('expected a gateway below 2')
    await expect(simulate(optionsOf({ skewMs: -1 }))).rejects.toThrow('skewMs is -1')
  })

  it('shrinks to the crash that fails', async () => {
    const parts: SimulationParts = {
      gateways: 4,
      traffic: { ...optionsOf().traffic, durationMs: 70_000, maxRequests: 100 },
      crashes: [
        { gateway: 3, atMs: 20_000 },
        { gateway: 0, atMs: 60_000 },
      ],
      skewMs: 1_000,
    }
    /** A limit of what crashes of the first gateway may cut. */
    const nothingCut = (): Invariant => {
      let found = 0
      return {
        name: 'nothing cut',
        record: record => {
          if (record.type === 'request' && record.gateway === 0 && record.status === 0) found++
        },
        violations: ({ now }) =>
          found === 0 ? [] : [{ invariant: 'nothing cut', at: now, message: `${found}`, requests: 1 }],
      }
    }
    const shrunk = await shrinkSimulation({
      options: given => ({ ...optionsOf(), ...given, invariants: [nothingCut()] }),
      parts,
    })
    expect(shrunk?.parts).toMatchObject({
      gateways: 1,
      crashes: [{ gateway: 0, atMs: 60_000 }],
      skewMs: 0,
    })
  })
})

describe('skew', () => {
  it('gives each gateway a wrong time of day, and limits stay exact', async () => {
    const startAt = Date.UTC(2026, 5, 1)
    const { result, of } = await recorded(optionsOf({ gateways: 5, skewMs: 60_000, startAt }))
    expect(result.violations).toEqual([])
    const sentAt = new Map(of('request').map(({ requestId, at }) => [requestId, at]))
    const skews = [0, 1, 2, 3, 4].map(gateway => {
      const closings = of('ledger').filter(record => record.gateway === gateway)
      const each = closings.map(
        ({ closing: { entry } }) => entry.openedAt - startAt - sentAt.get(entry.requestId)!,
      )
      expect(Math.max(...each) - Math.min(...each)).toBeLessThan(50)
      return each[0]!
    })
    expect(Math.max(...skews.map(Math.abs))).toBeLessThanOrEqual(60_050)
    expect(Math.max(...skews) - Math.min(...skews)).toBeGreaterThan(5_000)
  })
})

describe('shared health', () => {
  const failing = {
    gateways: 10,
    traffic: {
      durationMs: 80_000,
      clients: [{ rate: 10, keys: [ann], models: [{ model: 'm' }], streamed: 0 }],
    },
    upstreams: { a: { outages: [{ fromMs: 20_000, toMs: 70_000 }], firstTokenMs: 100 } },
    invariants: [],
  }
  /** Calls of the target in the outage, once each gateway may know of it. */
  const callsInOutage = async (more: Partial<SimulationOptions>) => {
    const { of } = await recorded(optionsOf({ ...failing, ...more }))
    return of('call').filter(({ at, provider }) => provider === 'a' && at >= 25_000 && at < 70_000).length
  }

  it('lets one gateway test a target for all, unless they cannot reach the store', async () => {
    const [alone, shared] = [await callsInOutage({}), await callsInOutage({ stores: { health: {} } })]
    expect(shared).toBeLessThan(alone / 2)
    const partitions = [{ fromMs: 0, toMs: 180_000 }]
    expect(await callsInOutage({ stores: { health: { partitions } } })).toBeGreaterThan(shared * 1.5)
  })

  it('holds every invariant', async () => {
    const { result } = await recorded(
      optionsOf({
        ...failing,
        stores: { health: { latencyMs: { uniform: { min: 0.2, max: 20 } } } },
        invariants: allInvariants({ gateways: 10, limits: expectedLimits, herd: { shared: true } }),
      }),
    )
    expect(result.violations).toEqual([])
  })
})
