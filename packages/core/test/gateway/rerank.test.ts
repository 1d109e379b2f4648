import { describe, expect, it } from 'vitest'
import { responseCache } from '../../src/caching/response-cache.ts'
import type { Provider, RerankCall, RerankReply, Target } from '../../src/contracts/provider.ts'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import type { ModelEntry } from '../../src/routing/combined-route.ts'
import { hedge } from '../../src/routing/hedge.ts'
import { mirror } from '../../src/routing/mirror.ts'
import { models } from '../../src/routing/models.ts'
import { forever, scripted, serving, whole } from '../support/scripted-gateway.ts'

type Answer = (call: RerankCall, signal: AbortSignal) => RerankReply | Promise<RerankReply>

/** A document for each, in the reverse order. */
const reversed: Answer = ({ request }) => ({
  results: request.documents.map((_, index) => ({ index, score: index })),
})

/** A provider that ranks in process. */
function ranker(answer: Answer = reversed, more: Partial<Provider> = {}) {
  const calls: RerankCall[] = []
  const signals: AbortSignal[] = []
  const { target } = scripted(() => whole('generated'), {
    name: 'ranker',
    transport: async (_, signal) => {
      signals.push(signal)
      return { status: 200, headers: { get: () => null }, body: (async function* () {})() }
    },
    rerank: {
      encode: call => {
        calls.push(call)
        return { method: 'POST', url: 'scripted:', headers: {} }
      },
      decode: (_, call) => answer(call, signals.at(-1)!),
    },
    ...more,
  })
  return { target: { ...target, model: 'rank-1' } as Target, calls, signals }
}

function ranking(entry: Exclude<ModelEntry<'m'>, string>, options: Partial<GatewayOptions> = {}) {
  const served = serving(ranker().target, { route: models({ m: entry }), ...options })
  const post = (body: object = {}, init: RequestInit = {}) =>
    served.gateway.fetch(
      new Request('http://sluice.test/v1/rerank', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', query: 'four', documents: ['a', 'three', 'to'], ...body }),
        ...init,
      }),
    )
  return { ...served, post }
}

const prices: GatewayOptions['prices'] = ({ prompt_tokens }, { searchUnits = 0 }) =>
  prompt_tokens + searchUnits * 1_000

describe('a ranking', () => {
  it('is sorted, and told to observers with its price', async () => {
    const upstream = ranker(call => ({
      ...(reversed(call, call.signal!) as RerankReply),
      model: 'rank-1b',
      searchUnits: 2,
    }))
    const { post, ends } = ranking(upstream.target, { prices })
    const response = await post({ top_n: 2 })
    expect((await response.json()).results).toEqual([
      { index: 2, relevance_score: 2 },
      { index: 1, relevance_score: 1 },
    ])
    expect(upstream.calls[0]).toMatchObject({ model: 'rank-1', request: { query: 'four', topN: 2 } })
    // Twelve characters of the query, and eight of documents.
    expect(ends()).toMatchObject([
      {
        operation: 'rerank',
        dialect: 'rerank',
        outcome: 'completed',
        responseModel: 'rank-1b',
        usage: { prompt_tokens: 5, completion_tokens: 0 },
        usageEstimated: true,
        cost: 2_005,
      },
    ])
  })

  it('is hedged, and what is discarded is charged by an estimate', async () => {
    const slow = ranker((_, signal) => forever(signal))
    const quick = ranker(reversed, { name: 'quick' })
    const { post, events } = ranking(hedge(slow.target, quick.target, { afterMs: 5 }), { prices })
    expect((await post()).status).toBe(200)
    expect(slow.signals[0]!.aborted).toBe(true)
    expect(events.filter(({ type }) => type === 'discarded_call')).toMatchObject([
      { operation: 'rerank', usage: { prompt_tokens: 5 }, usageEstimated: true, cost: 1_005 },
    ])
  })

  it('is mirrored to targets that rank', async () => {
    const shadow = ranker(call => ({
      ...(reversed(call, call.signal!) as RerankReply),
      promptTokens: 40,
      searchUnits: 1,
    }))
    const chat = scripted(() => whole('Hello'))
    const entry = mirror(mirror(ranker().target, shadow.target), chat.target)
    const { post, events, gateway } = ranking(entry, { prices })
    expect((await post()).status).toBe(200)
    await gateway.close()
    expect(events.filter(({ type }) => type === 'discarded_call')).toMatchObject([
      { operation: 'rerank', attempt: { why: 'shadow', error: undefined }, cost: 1_040 },
    ])
    expect(chat.inputs).toEqual([])
  })

  it('is charged by an estimate where its client leaves', async () => {
    const leaving = new AbortController()
    const slow = ranker((_, signal) => {
      leaving.abort()
      return forever(signal)
    })
    const { post, ends } = ranking(slow.target, { prices })
    await post({}, { signal: leaving.signal })
    expect(ends()).toMatchObject([
      { outcome: 'client_disconnected', usage: { prompt_tokens: 5 }, usageEstimated: true, cost: 1_005 },
    ])
  })

  it('skips targets that take fewer documents', async () => {
    const few = ranker(reversed, { rerank: { ...ranker().target.provider.rerank!, maxDocuments: 2 } })
    const many = ranker()
    const { post } = ranking([few.target, many.target])
    expect((await post()).status).toBe(200)
    expect(many.calls).toHaveLength(1)
    const alone = await ranking(few.target).post()
    expect([alone.status, (await alone.json()).message]).toEqual([
      400,
      "Invalid 'documents': array too long. This model ranks at most 2 documents, but got 3.",
    ])
  })

  it('is not cached by a cache that knows no rankings, and an invalid key is an error', async () => {
    const upstream = ranker()
    const { singleKeyOf: _, ...older } = responseCache({ ttlMs: 60_000 })
    const { post } = ranking(upstream.target, { cache: older })
    await post()
    await post()
    expect(upstream.calls).toHaveLength(2)
    const cache = { ...older, singleKeyOf: () => 'ann' as never }
    expect((await ranking(upstream.target, { cache }).post()).status).toBe(500)
  })
})
