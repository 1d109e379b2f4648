import { apiKeys, concurrent, type GatewayOptions, limits, models, priceTable, requests } from '@sluice/core'
import type { Target } from '@sluice/core/provider'
import { anthropic, gemini, local, openai, openaiCompatible } from '@sluice/providers'
import {
  allInvariants,
  type ClientGroup,
  type GatewayEnvironment,
  type SimulationOptions,
  shrinkSimulation,
  simulate,
} from '@sluice/testing/simulation'
import { describe, expect, it } from 'vitest'
import { recorded } from './recorded.ts'

const ann = { id: 'ann', key: 'sk-ann' }
const prices = priceTable({ m: { input: 1, output: 2 } })
const compatible = (name: string) =>
  openaiCompatible({ name, baseURL: `http://${name}.invalid/v1`, apiKey: 'k' })

/** Options of a simulation of one model with these targets. */
function optionsOf(
  targets: readonly Target[],
  more: Partial<Omit<SimulationOptions, 'traffic' | 'createOptions'>> & {
    readonly clients?: Partial<ClientGroup>
    readonly maxRequests?: number
    readonly gateway?: (environment: GatewayEnvironment) => Partial<GatewayOptions>
  } = {},
): SimulationOptions {
  const { clients, maxRequests = 200, gateway, ...rest } = more
  return {
    createOptions: environment => ({
      authenticate: apiKeys([ann], { clock: environment.clock }),
      route: models({ m: targets.map(environment.simulated) }),
      prices,
      ledger: environment.ledger,
      ...gateway?.(environment),
    }),
    traffic: {
      durationMs: 600_000,
      maxRequests,
      clients: [{ rate: 10, keys: [ann], models: [{ model: 'm' }], ...clients }],
    },
    ...rest,
  }
}

describe('simulate', () => {
  it('has the same history for the same seed, and another one for another seed', async () => {
    const options = optionsOf([compatible('a')('m'), compatible('b')('m')], {
      gateways: 3,
      upstreams: { a: { failures: [{ kind: 503, share: 0.1 }] } },
      clients: {
        retries: { max: 2 },
        disconnects: { share: 0.1, afterMs: { uniform: { min: 10, max: 2_000 } } },
      },
    })
    const lines: string[][] = [[], []]
    const [first, second] = [
      await simulate({ ...options, onLine: line => lines[0]!.push(line) }),
      await simulate({ ...options, onLine: line => lines[1]!.push(line) }),
    ]
    expect(second).toEqual(first)
    expect(lines[1]).toEqual(lines[0])
    expect(lines[0]!.length).toBeGreaterThan(400)
    expect((await simulate({ ...options, seed: 2 })).digest).not.toBe(first.digest)
  })

  it.each([
    ['chat completions', compatible('a')('m')],
    ['OpenAI', openai({ apiKey: 'k' })('gpt-4o')],
    ['the Responses API', openai({ apiKey: 'k' })('gpt-5')],
    ['Messages', anthropic({ apiKey: 'k' })('claude-sonnet-4-5')],
    ['Gemini', gemini({ apiKey: 'k' })('gemini-2.5-flash')],
    ['the local provider', local()('m')],
  ])('answers by the API of %s', async (_, target) => {
    for (const dialect of ['chat', 'messages'] as const) {
      const { of, report } = await recorded(
        optionsOf([target], { clients: { dialect, streamed: 0.5 }, maxRequests: 40 }),
      )
      expect(of('request').map(({ end }) => end)).toEqual(Array.from({ length: 40 }, () => 'completed'))
      const closings = of('ledger').map(({ closing }) => closing)
      const tokens = closings.reduce(
        (sum, { charge }) => sum + charge!.promptTokens + charge!.completionTokens,
        0,
      )
      const [{ promptTokens, completionTokens }] = report.targets as [(typeof report.targets)[number]]
      expect(tokens).toBe(promptTokens + completionTokens)
      expect(closings.every(({ estimated }) => !estimated)).toBe(true)
    }
  })

  it('fails calls as the model says', async () => {
    const outages = [
      { fromMs: 0, toMs: 3_000 },
      { fromMs: 3_000, toMs: 6_000, kind: 'unreachable' },
      { fromMs: 6_000, toMs: 9_000, kind: 'cut' },
      { fromMs: 9_000, toMs: 12_000, kind: 'timeout' },
    ] as const
    const { of, report } = await recorded(
      optionsOf([compatible('a')('m')], {
        upstreams: { a: { outages, firstTokenMs: 10, tokensPerSecond: 100_000 } },
        gateway: () => ({ breaker: false, retry: false, timeouts: { firstByteMs: 500, responseMs: 500 } }),
      }),
    )
    const during = (from: number, to: number) =>
      of('request').filter(({ at, ms }) => at >= from && at + ms < to)
    expect(new Set(during(0, 3_000).map(({ status }) => status))).toEqual(new Set([503]))
    expect(new Set(during(3_000, 6_000).map(({ status }) => status))).toEqual(new Set([502]))
    expect(during(6_000, 9_000).every(({ end }) => end === 'failed')).toBe(true)
    expect(new Set(during(9_000, 12_000).map(({ status }) => status))).toEqual(new Set([504]))
    expect(during(12_000, 60_000).every(({ end }) => end === 'completed')).toBe(true)
    const [{ calls }] = report.targets as [(typeof report.targets)[number]]
    expect(
      Math.min(calls.refused, calls.unreachable, calls.cut, calls.cancelled, calls.completed),
    ).toBeGreaterThan(10)
  })

  it('answers 429 beyond a quota, with the time until it is renewed', async () => {
    const { of } = await recorded(
      optionsOf([compatible('a')('m')], { upstreams: { a: { quota: { requestsPerMinute: 20 } } } }),
    )
    expect(of('request').filter(({ at, end }) => at < 60_000 && end === 'completed')).toHaveLength(20)
    expect(of('request').some(({ status }) => status === 429)).toBe(true)
  })

  it('cuts gateways off from the limit store, which then count by themselves', async () => {
    const partitions = [{ fromMs: 5_000, toMs: 15_000 }]
    const { of, result, report } = await recorded(
      optionsOf([compatible('a')('m')], {
        gateways: 2,
        stores: { limits: { partitions } },
        gateway: ({ limitStore, clock, generateId }) => ({
          limits: limits([requests(60).per('minute'), concurrent(50)], {
            store: limitStore,
            clock,
            generateId,
            instances: 2,
          }),
        }),
        invariants: allInvariants({
          gateways: 2,
          instances: 2,
          partitions,
          limits: [{ key: 'ann', requests: { limit: 60, windowMs: 60_000 }, concurrent: 50 }],
        }),
      }),
    )
    expect(result.violations).toEqual([])
    expect(report.rateLimited.ann).toBeGreaterThan(20)
    // More than the store alone would have admitted, and no more than the shares of both.
    const admitted = of('request').filter(({ at, status }) => at < 20_000 && status === 200).length
    expect(admitted).toBeGreaterThan(80)
    expect(admitted).toBeLessThanOrEqual(60 + 60 + 40)
  })

  it('refuses what it cannot simulate', async () => {
    const target = compatible('a')('m')
    const unwrapped = optionsOf([target], { gateway: () => ({ route: models({ m: target }) }) })
    await expect(simulate(unwrapped)).rejects.toThrow('A call to a.invalid is not simulated')
    const provider = {
      ...target.provider,
      encode: () => ({ method: 'POST' as const, url: 'http://a.invalid/other', headers: {} }),
    } as const
    await expect(simulate(optionsOf([{ provider, model: 'm' }]))).rejects.toThrow(
      "The simulation cannot answer for the provider 'a': it knows no API at http://a.invalid/other.",
    )
    const waiting = optionsOf([target], {
      gateway: () => ({ route: () => new Promise(() => {}), timeouts: { policyMs: 1e9 } }),
    })
    await expect(simulate(waiting)).rejects.toThrow()
  })

  it('ends when its signal aborts', async () => {
    const controller = new AbortController()
    const options = optionsOf([compatible('a')('m')], { signal: controller.signal })
    const pending = simulate({ ...options, onLine: () => controller.abort(new Error('enough')) })
    await expect(pending).rejects.toThrow('enough')
  })
})

describe('shrinkSimulation', () => {
  const target = compatible('a')('m')
  const { traffic } = optionsOf([target], { maxRequests: 400, clients: { retries: { max: 2 } } })
  const upstreams = {
    a: { failures: [{ kind: 500, share: 0.05 }], outages: [{ fromMs: 9e6, toMs: 9e6 + 1 }] },
  } as const
  /** A limiter that forgets every request: as if a limit of ten per minute did nothing. */
  const options =
    (limit: number) => (parts: Parameters<Parameters<typeof shrinkSimulation>[0]['options']>[0]) => ({
      ...optionsOf([target], {
        invariants: allInvariants({
          gateways: parts.gateways,
          limits: [{ key: 'ann', requests: { limit, windowMs: 60_000 } }],
        }),
      }),
      ...parts,
    })

  it('finds the few requests that violate an invariant', async () => {
    const shrunk = await shrinkSimulation({
      options: options(10),
      parts: { gateways: 5, upstreams, traffic },
    })
    expect(shrunk?.result.violations[0]).toMatchObject({ invariant: 'limits' })
    expect(shrunk!.result.requests).toBeLessThan(20)
    expect(shrunk!.parts.gateways).toBe(1)
    expect(shrunk!.parts.upstreams!.a).toEqual({ failures: [], outages: [] })
    expect(shrunk!.parts.traffic.clients[0]).not.toHaveProperty('retries')
    expect(shrunk!.runs).toBeLessThan(60)
  })

  it('has nothing to shrink where nothing fails', async () => {
    expect(
      await shrinkSimulation({ options: options(5_000), parts: { gateways: 1, traffic } }),
    ).toBeUndefined()
  })
})
