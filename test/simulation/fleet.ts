import { apiKeys, budget, concurrent, limits, models, priceTable, requests, tokens } from '@sluice/core'
import { anthropic, gemini, openaiCompatible } from '@sluice/providers'
import {
  allInvariants,
  type ExpectedLimits,
  type Partition,
  type SimulationOptions,
  type SimulationParts,
} from '@sluice/testing/simulation'

/** The size of a fleet and of its traffic. */
export interface FleetSize {
  readonly seed: number
  readonly gateways: number
  readonly requests: number
}

/** Requests of the quiet and of the noisy clients, of all. */
const shares = { quiet: 0.7, noisy: 0.25, spender: 0.05 }
const quietKeys = Array.from({ length: 20 }, (_, index) => `quiet-${index}`)
const noisyKeys = ['noisy-0', 'noisy-1']
const keysOf = (ids: readonly string[]) => ids.map(id => ({ id, key: `sk-${id}` }))

/** Milliseconds in which so many requests arrive: ten minutes at least, and at most eight requests per second and gateway. */
function durationOf({ gateways, requests }: FleetSize): number {
  return Math.max(600_000, (requests / (8 * gateways)) * 1_000)
}

/** When gateways crash, as shares of the time: alone, and in outages and partitions. */
const crashTimes = [0.07, 0.15, 0.33, 0.57, 0.62, 0.74, 0.84, 0.98]

/**
 * Partitions of stores, outages of upstreams, and crashes, alone and at the same time. With an even seed gateways share the
 * health of targets.
 */
export function fleetParts(size: FleetSize): SimulationParts {
  const durationMs = durationOf(size)
  const between = (from: number, to: number) => ({ fromMs: from * durationMs, toMs: to * durationMs })
  const half = Array.from({ length: Math.ceil(size.gateways / 2) }, (_, index) => index)
  const crashes = crashTimes.map((at, index) => ({ gateway: index % size.gateways, atMs: at * durationMs }))
  const rate = size.requests / (durationMs / 1_000)
  const models = [
    { model: 'smart', weight: 3 },
    { model: 'small', weight: 1 },
  ]
  const tokensOf = {
    promptTokens: { lognormal: { median: 150, p99: 1_500 } },
    completionTokens: { lognormal: { median: 60, p99: 500 } },
  }
  return {
    gateways: size.gateways,
    upstreams: {
      primary: {
        failures: [
          { kind: 500, share: 0.004 },
          { kind: 'cut', share: 0.002 },
        ],
        outages: [
          between(0.1, 0.2),
          { ...between(0.35, 0.4), kind: 'unreachable' },
          { ...between(0.5, 0.52), kind: 'timeout', share: 0.2 },
          { ...between(0.8, 0.85), kind: 500 },
        ],
      },
      anthropic: {
        firstTokenMs: { lognormal: { median: 600, p99: 4_000 } },
        failures: [{ kind: 529, share: 0.01 }],
        outages: [between(0.82, 0.84)],
        quota: { requestsPerMinute: Math.ceil(rate * 45) },
      },
      gemini: { failures: [{ kind: 'unreachable', share: 0.002 }] },
    },
    stores: {
      limits: {
        latencyMs: { lognormal: { median: 0.3, p99: 3 } },
        partitions: [
          { ...between(0.55, 0.6), gateways: half },
          { ...between(0.65, 0.67), kind: 'refused' },
          between(0.83, 0.86),
        ],
      },
      ledger: {
        latencyMs: { lognormal: { median: 8, p99: 80 } },
        partitions: [
          ...[0.22, 0.28, 0.42, 0.48, 0.9, 0.95].map(at => between(at, at + 0.005)),
          between(0.72, 0.76),
          { ...between(0.84, 0.87), gateways: half, kind: 'refused' },
        ],
      },
      health: { partitions: [between(0.12, 0.14), { ...between(0.5, 0.51), kind: 'refused' }] },
    },
    crashes,
    skewMs: 3_000,
    traffic: {
      durationMs: durationMs * 2,
      maxRequests: size.requests,
      clients: [
        {
          ...tokensOf,
          name: 'quiet',
          rate: rate * shares.quiet,
          keys: keysOf(quietKeys),
          models,
          diurnal: { share: 0.3, periodMs: durationMs / 3 },
          retries: { max: 2 },
          disconnects: { share: 0.02, afterMs: { exponential: { mean: 1_500 } } },
        },
        {
          ...tokensOf,
          name: 'noisy',
          rate: rate * shares.noisy,
          keys: keysOf(noisyKeys),
          models,
          bursts: [{ ...between(0.3, 0.32), factor: 5 }],
          retries: { max: 3, obeysRetryAfter: false },
        },
        { ...tokensOf, name: 'spender', rate: rate * shares.spender, keys: keysOf(['spender']), models },
      ],
    },
  }
}

/** Returns the options of a fleet's simulation with these parts. */
export function fleetOptions(size: FleetSize, parts: SimulationParts): SimulationOptions {
  const perMinute = (size.requests / durationOf(size)) * 60_000
  const quietLimit = Math.ceil(Math.max(20, (perMinute * shares.quiet * 4) / quietKeys.length))
  // A request takes two seconds on average, and more in an outage.
  const quietConcurrent = Math.ceil(Math.max(500, (perMinute / 60) * 8 * (shares.quiet / quietKeys.length)))
  const noisyLimit = Math.ceil(Math.max(5, (perMinute * shares.noisy) / noisyKeys.length / 2))
  // Used up halfway.
  const budgetUsd = Math.max(0.01, size.requests * shares.spender * 0.0003)
  const partitions: readonly Partition[] = parts.stores?.limits?.partitions ?? []
  const sharesHealth = size.seed % 2 === 0
  const minute = 60_000
  const expected: readonly ExpectedLimits[] = [
    ...quietKeys.map(key => ({
      key,
      requests: { limit: quietLimit, windowMs: minute },
      concurrent: quietConcurrent,
    })),
    ...noisyKeys.map(key => ({ key, requests: { limit: noisyLimit, windowMs: minute }, concurrent: 20 })),
    { key: 'spender', budget: budgetUsd },
  ]
  return {
    ...parts,
    seed: size.seed,
    createOptions: ({ clock, generateId, ledger, limitStore, sharedHealth, simulated }) => {
      const primary = simulated(
        openaiCompatible({ name: 'primary', baseURL: 'http://primary.invalid/v1', apiKey: 'k' })('large'),
      )
      const second = simulated(anthropic({ apiKey: 'k' })('claude-sonnet-4-5'))
      const third = simulated(gemini({ apiKey: 'k' })('gemini-2.5-flash'))
      return {
        authenticate: apiKeys(
          [
            ...keysOf(quietKeys).map(key => ({
              ...key,
              limits: [requests(quietLimit).per('minute'), concurrent(quietConcurrent)],
            })),
            ...keysOf(noisyKeys).map(key => ({
              ...key,
              limits: [
                requests(noisyLimit).per('minute'),
                concurrent(20),
                tokens(noisyLimit * 5_000).per('minute'),
              ],
            })),
            { id: 'spender', key: 'sk-spender', limits: [budget(budgetUsd, 'usd').per('day')] },
          ],
          { clock },
        ),
        route: models({ smart: [primary, second, third], small: [third, primary] }),
        prices: priceTable({
          'primary/large': { input: 1, output: 4 },
          'anthropic/claude-sonnet-4-5': { input: 3, output: 15 },
          'gemini/gemini-2.5-flash': { input: 0.3, output: 2.5 },
        }),
        limits: limits([], { store: limitStore, clock, generateId, instances: size.gateways }),
        ledger,
        ...(sharesHealth && { sharedHealth }),
        timeouts: { firstByteMs: 20_000, responseMs: 60_000 },
      }
    },
    invariants: allInvariants({
      gateways: parts.gateways,
      instances: size.gateways,
      limits: expected,
      partitions,
      ledgerPartitions: parts.stores?.ledger?.partitions ?? [],
      herd: { shared: sharesHealth },
      fairness: { quiet: ['quiet'], noisy: ['noisy'], except: partitions },
    }),
  }
}
