import { describe, expect, it } from 'vitest'
import type { DiscardedCallEvent } from '../../src/contracts/events.ts'
import type { LedgerClosing } from '../../src/contracts/ledger.ts'
import type { Provider, Reply } from '../../src/contracts/provider.ts'
import { UpstreamError } from '../../src/errors/upstream-error.ts'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import { limits } from '../../src/rate-limiting/limits.ts'
import { budget, tokens } from '../../src/rate-limiting/rule.ts'
import type { AbandonedCallOptions } from '../../src/usage/abandoned-calls.ts'
import { priceTable } from '../../src/usage/price-table.ts'
import { chunks, forever, scripted, serving, stop, text, whole } from '../support/scripted-gateway.ts'
import { scriptedLedger } from '../support/scripted-ledger.ts'

const prices = priceTable({ m: { input: 20, output: 40 } })
/** 40,000 bytes: a reservation of 13,333 tokens and some, an estimate of 10,000. */
const messages = [{ role: 'user', content: 'x'.repeat(40_000) }]

/** A stream that comes so far and no further. */
const stuck = (signal: AbortSignal, ...reads: Parameters<typeof chunks>): Reply => ({
  kind: 'stream',
  chunks: (async function* () {
    yield* chunks(...reads)
    await forever(signal)
  })(),
})
const silent = (more: Partial<Provider> = {}) =>
  scripted(signal => forever(signal), { transport: (_, signal) => forever(signal), ...more })

/** A budget that tells what it is charged, and all that is told of a request that was left. */
async function left(
  answer: (signal: AbortSignal) => Reply | Promise<Reply>,
  body: object,
  options: Partial<GatewayOptions> = {},
) {
  const charged: (readonly [tokens: number | undefined, cost: number | null])[] = []
  const limiter = limits([tokens(100_000_000).per('day'), budget(1_000, 'usd').per('day')])
  const limit = {
    admit: async (...given: Parameters<typeof limiter.admit>) => {
      const lease = await limiter.admit(...given)
      const settle: typeof lease.settle = (usage, cost) => {
        charged.push([usage?.total_tokens, cost])
        return lease.settle(usage, cost)
      }
      return { ...lease, settle }
    },
  }
  const ledger = scriptedLedger()
  const upstream = scripted(answer)
  const { post, ends } = serving(upstream.target, { prices, ledger, limits: limit, ...options })
  const caller = new AbortController()
  const answering = post({ messages, ...body }, { signal: caller.signal })
  await expect.poll(() => upstream.signals).toHaveLength(1)
  const reader = answering.then(({ body }) => body?.getReader().read()).catch(() => {})
  await new Promise(resolve => setTimeout(resolve, 20))
  caller.abort()
  await Promise.all([answering, reader])
  await expect.poll(() => ledger.closings).toHaveLength(1)
  return { end: ends()[0]!, charged: charged[0]!, closing: ledger.closings[0]! }
}

describe('a caller who leaves before anything of the answer has come', () => {
  it.each([
    ['whole', {}],
    ['streamed', { stream: true }],
  ])('is charged what was reserved, by limits, ledger and event alike: %s', async (_, form) => {
    const { end, charged, closing } = await left(forever, { max_tokens: 1_000_000, ...form })
    // A third of the bytes of the body, and all of the output that was asked for.
    expect(end.usage?.completion_tokens).toBe(1_000_000)
    expect(end.usage?.prompt_tokens).toBeGreaterThan(13_333)
    expect(end.usage?.prompt_tokens).toBeLessThan(13_400)
    expect(end).toMatchObject({ outcome: 'client_disconnected', usageEstimated: true })
    expect(end.cost).toBeCloseTo(40.27, 2)
    expect(charged).toEqual([end.usage?.total_tokens, end.cost])
    expect(closing).toMatchObject({
      estimated: true,
      charge: { promptTokens: end.usage?.prompt_tokens, completionTokens: 1_000_000, cost: end.cost },
    })
  })

  const charges: [Partial<AbandonedCallOptions> | undefined, object, number][] = [
    [undefined, { max_tokens: 100, max_completion_tokens: 300 }, 300],
    [undefined, { max_tokens: 100, n: 3 }, 300],
    // The bound that the limiter gives to who names none.
    [undefined, {}, 4_096],
    [{ charge: 'prompt' }, { max_tokens: 100 }, 0],
    [{ charge: 'time', outputTokensPerSecond: 2_000_000_000 }, { max_tokens: 100, n: 2 }, 200],
    [{ charge: 'time', outputTokensPerSecond: 0.000_001 }, { max_tokens: 100 }, 1],
  ]
  it.each(charges)('with %j is charged for %j as said', async (abandonedCalls, body, completion) => {
    const options = abandonedCalls === undefined ? {} : { abandonedCalls }
    const { end } = await left(forever, body, options)
    expect(end.usage?.completion_tokens).toBe(completion)
  })

  it('is charged by the bound of the request where nothing is reserved, or by the one of the option', async () => {
    const free = { limits: { admit: () => ({ settle() {} }) } }
    expect((await left(forever, { max_tokens: 70 }, free)).end.usage).toMatchObject({
      prompt_tokens: 10_000,
      completion_tokens: 70,
    })
    expect((await left(forever, {}, free)).end.usage?.completion_tokens).toBe(4_096)
    const bounded = { ...free, abandonedCalls: { maxOutputTokens: 50 } }
    expect((await left(forever, { n: 2 }, bounded)).end.usage?.completion_tokens).toBe(100)
  })

  it('is charged so where the vendor has only begun: a role, or counts of the beginning', async () => {
    const role = { choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] }
    const counted = { choices: [], usage: { prompt_tokens: 12_345, completion_tokens: 1, cached_tokens: 5 } }
    for (const begun of [[role], [counted, role]]) {
      const { end } = await left(
        signal => stuck(signal, begun),
        { stream: true, max_tokens: 500 },
        { stream: { holdMs: 1 } },
      )
      expect(end.usage?.completion_tokens).toBe(500)
      if (begun.length === 2) {
        expect(end.usage).toMatchObject({
          prompt_tokens: 12_345,
          prompt_tokens_details: { cached_tokens: 5 },
        })
      }
    }
  })

  it('is charged for what came where something did', async () => {
    const { end } = await left(signal => stuck(signal, [text('x'.repeat(40))]), {
      stream: true,
      max_tokens: 500,
    })
    expect(end).toMatchObject({ usage: { completion_tokens: 10 }, usageEstimated: true })
  })

  it('is charged nothing where no upstream was asked, or the connection was never made', async () => {
    const queued = scripted(forever, { maxConcurrent: 1 })
    const { post, ends } = serving(queued.target)
    const [first, second] = [new AbortController(), new AbortController()]
    const answers = [first, second].map(({ signal }) => post({ messages }, { signal }))
    await expect.poll(() => queued.signals).toHaveLength(1)
    second.abort()
    await answers[1]
    expect(ends()).toMatchObject([{ outcome: 'client_disconnected', usage: undefined, cost: null }])
    first.abort()
    await answers[0]
  })
})

describe('a call that times out', () => {
  it('is charged as one that was left where nobody else answers', async () => {
    const { post, ends } = serving(silent().target, { prices, timeouts: { firstByteMs: 20, responseMs: 20 } })
    expect((await post({ messages, max_tokens: 1_000_000 })).status).toBe(504)
    expect(ends()).toMatchObject([
      {
        outcome: 'upstream_failed',
        usage: { prompt_tokens: 10_000, completion_tokens: 1_000_000 },
        usageEstimated: true,
        cost: 40.2,
      },
    ])
  })

  it('is told of and kept beside the request where another target answers', async () => {
    const unused: LedgerClosing[] = []
    const ledger = {
      ...scriptedLedger(),
      recordDiscarded: (closing: LedgerClosing) => void unused.push(closing),
    }
    const quick = scripted(() => whole('Hi.'))
    const targets = [silent({ name: 'slow' }).target, quick.target]
    const { post, ends, events } = serving(targets, {
      prices,
      ledger,
      timeouts: { firstByteMs: 20, responseMs: 20 },
    })
    expect((await post({ messages, max_tokens: 1_000_000 })).status).toBe(200)
    expect(ends()).toMatchObject([{ usage: { total_tokens: 5 }, usageEstimated: false }])
    const told = events.filter((event): event is DiscardedCallEvent => event.type === 'discarded_call')
    expect(told).toMatchObject([{ attempt: { provider: 'slow' }, usageEstimated: true, cost: 40.2 }])
    expect(unused).toMatchObject([
      { entry: { kind: 'timeout' }, outcome: 'upstream_failed', status: 504, charge: { cost: 40.2 } },
    ])
  })

  it.each(['unreachable', 'connect_timeout', 'truncated', 'garbled', 'refused'] as const)(
    'is no call that has failed otherwise: %s costs nothing',
    async kind => {
      const { post, ends } = serving(
        scripted(() => {
          throw new UpstreamError('no', { kind, status: 500 })
        }).target,
        { prices },
      )
      expect((await post({ messages, stream: true })).status).toBe(kind === 'connect_timeout' ? 504 : 502)
      expect(ends()).toMatchObject([{ usage: undefined, cost: null }])
    },
  )
})

it('charges a gateway that is closed, and the loser of a hedge, alike', async () => {
  const closing = serving(scripted(forever).target, { prices })
  const answer = closing.post({ messages, max_tokens: 1_000_000 })
  await new Promise(resolve => setTimeout(resolve, 10))
  await closing.gateway.close({ drainMs: 1 })
  expect((await answer).status).toBe(503)
  expect(closing.ends()).toMatchObject([{ outcome: 'gateway_closed', usageEstimated: true, cost: 40.2 }])

  const targets = [{ ...scripted(forever).target, hedgeAfterMs: 5 }, scripted(() => whole('Hi.')).target]
  const hedging = serving(targets, { prices })
  expect((await hedging.post({ messages, max_tokens: 1_000_000 })).status).toBe(200)
  expect(hedging.events.filter(({ type }) => type === 'discarded_call')).toMatchObject([{ cost: 40.2 }])
})

it('charges nothing beyond its counts to an answer that is whole', async () => {
  const { post, ends } = serving(
    scripted(() => ({ kind: 'stream', chunks: chunks([text('Hi'), stop]) })).target,
    { prices },
  )
  await (await post({ stream: true, max_tokens: 1_000_000 })).text()
  expect(ends()).toMatchObject([{ outcome: 'completed', usage: { completion_tokens: 1 } }])
})

it.each([
  [{ charge: 'all' }, 'abandonedCalls.charge'],
  [{ outputTokensPerSecond: 0 }, 'abandonedCalls.outputTokensPerSecond'],
  [{ maxOutputTokens: 1.5 }, 'abandonedCalls.maxOutputTokens'],
  ['prompt', 'abandonedCalls: got'],
])('does not take %j for how abandoned calls are charged', (abandonedCalls, fault) => {
  expect(() => serving(scripted(forever).target, { abandonedCalls: abandonedCalls as never })).toThrow(fault)
})
