import {
  budget,
  fallback,
  type GatewayOptions,
  idempotency,
  type ModelEntry,
  priceTable,
  requests,
  responseCache,
  tokens,
} from '@sluice/core'
import { bedrock, cohere, jina, llamacpp, openaiCompatible, vllm, voyage } from '@sluice/providers'
import { local } from '@sluice/providers/local'
import { type RawExchange, type Script, startUpstream, steps } from '@sluice/testing'
import { expect, it, onTestFinished } from 'vitest'
import { memoryLedger } from './memory-ledger.ts'
import { overPlaces } from './over-places.ts'
import { recordedExchanges } from './recorded.ts'

const query = 'What is the capital?'
const documents = ['Paris is a city.', 'The capital is Bern.', 'Cats sleep.']
const apiKey = 'sk-vendor-canary'

/** Scores for three documents, in the order of the documents. */
const scores = [0.3, 0.9, 0.1]
const inOrder = (top: number = scores.length) =>
  [1, 0, 2].slice(0, top).map(index => ({ index, relevance_score: scores[index]! }))
const cohereAnswer = {
  id: 'vendor-id',
  results: inOrder(),
  meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
}

async function vendor(...scripts: Script[]) {
  const upstream = await startUpstream(...(scripts.length === 0 ? [steps.reply(cohereAnswer)] : scripts))
  onTestFinished(() => upstream.close())
  const own = cohere({ apiKey, baseURL: `${upstream.url}/v2` })('rerank-v3.5')
  return { upstream, own, url: upstream.url }
}

interface Answer {
  readonly id: string
  readonly results: readonly {
    readonly index: number
    readonly relevance_score: number
    readonly document?: object
  }[]
  readonly meta: Readonly<Record<string, unknown>>
}

function expectRerankError(answer: RawExchange, status: number, message: RegExp = /\S/): void {
  expect(answer.status, answer.body).toBe(status)
  expect(answer.json).toEqual({
    id: answer.headers['x-request-id'],
    message: expect.stringMatching(message) as unknown as string,
  })
}

overPlaces(open => {
  const opened = async (entry: ModelEntry, options: Partial<GatewayOptions> = {}) => {
    const site = await open({ r: entry }, options)
    const ask = (fields: object = {}, asking = {}) =>
      site.send('/rerank', { method: 'POST', body: { model: 'r', query, documents, ...fields }, ...asking })
    const rerank = async (fields: object = {}, asking = {}) => {
      const answer = await ask(fields, asking)
      expect(answer.status, answer.body).toBe(200)
      return answer.json as unknown as Answer
    }
    return { site, ask, rerank }
  }

  it.each(recordedExchanges('rerank'))('X3 answers as recorded: $name', async ({ request, answer }) => {
    const { own, upstream } = await vendor(steps.reply(JSON.parse(answer)))
    const { rerank } = await opened(own)
    const { id, ...rest } = await rerank({ ...request, model: 'r' })
    const { id: _, ...recorded } = JSON.parse(answer)
    expect(rest).toEqual(recorded)
    expect(id).toMatch(/^[0-9a-f]{32}$/)
    expect(upstream.requests[0]!.json).toEqual(request)
    expect(upstream.requests[0]!.path).toBe('/v2/rerank')
  })

  it('X3 is asked of each vendor by its own API', async () => {
    const { upstream, url } = await vendor(({ path }) => {
      if (path.includes('voyage'))
        return steps.reply({
          object: 'list',
          data: inOrder(2),
          model: 'rerank-2.5',
          usage: { total_tokens: 26 },
        })
      return steps.reply({ model: 'm', results: inOrder(2), usage: { total_tokens: 26 } })
    })
    const site = await open({
      cohere: cohere({ apiKey, baseURL: `${url}/v2` })('rerank-v3.5'),
      voyage: voyage({ apiKey, baseURL: `${url}/voyage` })('rerank-2.5'),
      jina: jina({ apiKey, baseURL: `${url}/jina` })('jina-reranker-v3'),
      vllm: vllm({ baseURL: `${url}/v1` })('bge'),
      llamacpp: llamacpp({ baseURL: `${url}/v1` })('bge'),
      own: openaiCompatible({
        name: 'own',
        baseURL: `${url}/own`,
        rerank: { topN: 'top_k', path: '/v2/rank' },
      })('m'),
      bedrock: bedrock({ region: 'eu-west-1', bearerToken: 't', baseURL: url })('cohere.rerank-v3-5:0'),
      amazon: bedrock({ region: 'eu-west-1', bearerToken: 't', baseURL: url })('amazon.rerank-v1:0'),
    })
    const common = { query, documents }
    const expected = {
      cohere: ['/v2/rerank', { ...common, model: 'rerank-v3.5', top_n: 2 }],
      voyage: ['/voyage/rerank', { ...common, model: 'rerank-2.5', top_k: 2, truncation: false }],
      jina: ['/jina/rerank', { ...common, model: 'jina-reranker-v3', top_n: 2, return_documents: false }],
      vllm: ['/v1/rerank', { ...common, model: 'bge', top_n: 2 }],
      llamacpp: ['/v1/rerank', { ...common, model: 'bge', top_n: 2 }],
      own: ['/own/v2/rank', { ...common, model: 'm', top_k: 2 }],
      bedrock: ['/model/cohere.rerank-v3-5%3A0/invoke', { ...common, top_n: 2, api_version: 2 }],
      amazon: ['/model/amazon.rerank-v1%3A0/invoke', { ...common, top_n: 2 }],
    }
    for (const [model, [path, body]] of Object.entries(expected)) {
      const answer = await site.send('/rerank', { body: { model, ...common, top_n: 2 } })
      expect(answer.status, `${model}: ${answer.body}`).toBe(200)
      const { results, meta } = answer.json as unknown as Answer
      expect(results).toEqual(inOrder(2))
      expect(meta.tokens).toEqual({ input_tokens: 26 })
      const asked = upstream.requests.at(-1)!
      expect([asked.path, asked.json]).toEqual([path, body])
      expect(asked.body + JSON.stringify(asked.rawHeaders)).not.toContain('good-key')
    }
  })

  it('X3 sorts the results, and leaves out what was not asked for', async () => {
    const unsorted = scores.map((relevance_score, index) => ({ index, relevance_score }))
    const { own } = await vendor(steps.reply({ results: unsorted }))
    const { rerank } = await opened(own)
    expect((await rerank()).results).toEqual(inOrder())
    expect((await rerank({ top_n: 1 })).results).toEqual(inOrder(1))
    expect((await rerank({ top_n: 99 })).results).toEqual(inOrder())
    expect((await rerank()).meta).toEqual({ api_version: { version: '2' } })
  })

  it('X3 returns the documents of the request, never those of a vendor', async () => {
    const swapped = inOrder().map(result => ({ ...result, document: { text: 'of another tenant' } }))
    const { own } = await vendor(steps.reply({ results: swapped }))
    const { rerank, ask } = await opened(own)
    expect((await rerank({ return_documents: true })).results.map(({ document }) => document)).toEqual(
      [1, 0, 2].map(index => ({ text: documents[index] })),
    )
    const objects = [{ text: documents[0], id: 7 }, documents[1], { text: documents[2] }]
    const { results } = await rerank({ documents: objects, return_documents: true })
    expect(results.map(({ document }) => document)).toEqual([{ text: documents[1] }, objects[0], objects[2]])
    for (const fields of [{}, { return_documents: false }, { return_documents: null }])
      expect((await ask(fields)).body).not.toContain('document')
  })

  it.each<[string, unknown]>([
    ['too few results', { results: inOrder(2) }],
    ['a document twice', { results: [...inOrder(2), inOrder()[0]] }],
    ['a document that is not there', { results: [...inOrder(2), { index: 3, relevance_score: 1 }] }],
    ['a negative index', { results: [...inOrder(2), { index: -1, relevance_score: 1 }] }],
    ['half an index', { results: [...inOrder(2), { index: 1.5, relevance_score: 1 }] }],
    ['no score', { results: [...inOrder(2), { index: 2 }] }],
    ['a score in words', { results: [...inOrder(2), { index: 2, relevance_score: '1' }] }],
    ['null for a result', { results: [...inOrder(2), null] }],
    ['no results', { id: 'x' }],
    ['a list', []],
  ])('X3 is a 502 where the vendor answers %s', async (_, body) => {
    const { own } = await vendor(steps.reply(body as object))
    const { ask } = await opened(own)
    expectRerankError(await ask(), 502)
  })

  it('X3 is a 502 without JSON or without an end, and tells nothing of the vendor', async () => {
    for (const script of [
      steps.reply('<html>canary</html>', { headers: { 'content-type': 'text/html' } }),
      [
        steps.head({ headers: { 'content-type': 'application/json' } }),
        steps.body('{"results":'),
        steps.cut(),
      ],
      steps.reply({ message: `invalid api token ${apiKey}` }, { status: 401 }),
    ]) {
      const { own } = await vendor(script)
      const { ask } = await opened(own)
      const answer = await ask()
      expectRerankError(answer, 502)
      expect(answer.body).not.toContain('canary')
    }
  })

  it('X3 refuses what is not valid, in the shape of the protocol', async () => {
    const { own, upstream } = await vendor()
    const { ask } = await opened(own)
    for (const fields of [
      { query: undefined },
      { query: null },
      { query: '' },
      { query: 7 },
      { documents: undefined },
      { documents: [] },
      { documents: 'text' },
      { documents: ['a', 7] },
      { documents: [{ title: 'a' }] },
      { documents: Array.from({ length: 1_001 }, () => 'a') },
      { top_n: 0 },
      { top_n: 1.5 },
      { top_n: '2' },
      { return_documents: 'yes' },
      { model: undefined },
    ]) {
      expectRerankError(await ask(fields), 400)
    }
    expectRerankError(await ask({ model: 'none' }), 404, /none/)
    expectRerankError(await ask({}, { key: null }), 401)
    expectRerankError(await ask({}, { key: 'narrow-key' }), 403)
    expectRerankError(await ask({}, { body: '{' }), 400)
    expectRerankError(await ask({}, { method: 'PUT' }), 405)
    expect(upstream.requests).toHaveLength(0)
  })

  it('X3 asks a model only for what it does', async () => {
    const { own, url } = await vendor()
    const chat = openaiCompatible({ name: 'chat', baseURL: `${url}/v1` })
    const embedder = cohere({ apiKey, baseURL: `${url}/v2` })('embed-v4.0')
    const site = await open({ r: own, chat: chat('m'), embedder, mixed: fallback(chat('m'), own) })
    const ask = (model: string) => site.send('/rerank', { body: { model, query, documents } })
    expectRerankError(await ask('chat'), 400, /^This model does not support reranking\.$/)
    expectRerankError(await ask('embedder'), 400, /It supports embeddings/)
    expect((await ask('mixed')).status).toBe(200)
    expect((await site.embed({ model: 'r' })).status).toBe(400)
    expect((await site.chat({ model: 'r' })).status).toBe(400)
  })

  it('X3 falls back within the route of its model', async () => {
    const busy = await vendor(steps.reply({ message: 'busy' }, { status: 503 }))
    const good = await vendor()
    const { rerank } = await opened(fallback(busy.own, good.own))
    expect((await rerank()).results).toEqual(inOrder())
    expect([busy.upstream.requests.length, good.upstream.requests.length]).toEqual([1, 1])
  })

  it('X3 is priced by search units, limited, and in the ledger', async () => {
    const { own, upstream } = await vendor()
    const { ledger, entries, closings } = memoryLedger()
    const prices = priceTable({ 'cohere/rerank-v3.5': { input: 0, output: 0, searchUnit: 0.002 } })
    const { rerank, ask } = await opened(own, {
      ledger,
      prices,
      limits: [budget(0.003, 'usd').per('day'), requests(9).per('hour')],
    })
    await rerank()
    // A search unit has no more than 100 documents: two of them would cost more than is left.
    const refused = await ask({ documents: Array.from({ length: 101 }, () => 'a') })
    expectRerankError(refused, 429)
    expect(await closings(1)).toMatchObject([{ status: 200, charge: { cost: 0.002, completionTokens: 0 } }])
    expect(entries).toMatchObject([{ dialect: 'rerank', operation: 'rerank', model: 'r', stream: false }])
    expect(upstream.requests).toHaveLength(1)
    const unpriced = await opened(own, {
      prices: priceTable({ other: { input: 1, output: 1 } }),
      limits: [budget(1, 'usd').per('day')],
    })
    expectRerankError(await unpriced.ask(), 403, /no price/)
  })

  it('X3 counts the query with each document', async () => {
    const { own, upstream } = await vendor()
    const { ask } = await opened(own, { limits: [tokens(1_000).per('hour')] })
    const long = { query: 'x'.repeat(300), documents: Array.from({ length: 50 }, () => 'a') }
    expectRerankError(await ask(long), 429)
    expect(upstream.requests).toHaveLength(0)
    expect((await ask()).status).toBe(200)
  })

  it('X3 keeps answers for the cache and for idempotency, each principal its own', async () => {
    const { own, upstream } = await vendor()
    const options = { cache: responseCache({ ttlMs: 60_000 }), idempotency: idempotency() }
    const { site, rerank, ask } = await opened(own, options)
    expect(await rerank()).toEqual(await rerank())
    expect(upstream.requests).toHaveLength(1)
    const keyed = { headers: { 'idempotency-key': 'k' } }
    const one = await ask({ top_n: 2 }, keyed)
    expect((await ask({ top_n: 2 }, keyed)).body).toBe(one.body)
    expectRerankError(await ask({ top_n: 1 }, keyed), 422)
    expect(upstream.requests).toHaveLength(2)
    const apart = await open({ other: own }, options)
    const body = { model: 'other', query, documents }
    for (const key of ['good-key', 'narrow-key', 'good-key'])
      expect((await apart.send('/rerank', { body, key })).status).toBe(200)
    expect(upstream.requests).toHaveLength(4)
    const off = await opened(own, { cache: responseCache({ ttlMs: 60_000, rerank: false }) })
    await off.rerank()
    await off.rerank()
    expect(upstream.requests).toHaveLength(6)
    expect(site.port).toBeGreaterThan(0)
  })

  it('X3 has hooks that change and refuse its requests', async () => {
    const { own, upstream } = await vendor()
    const { ask } = await opened(own, {
      hooks: [
        {
          name: 'words',
          onRequest: ({ body }) =>
            body.query === 'stop'
              ? { refuse: { message: 'Not that.' } }
              : { edits: [{ path: ['documents', 0], value: 'x' }] },
        },
      ],
    })
    expect((await ask()).status).toBe(200)
    expect(upstream.requests[0]!.json).toMatchObject({ documents: ['x', ...documents.slice(1)] })
    expectRerankError(await ask({ query: 'stop' }), 400, /^Not that\.$/)
  })

  it('X3 ends the call of a client that leaves', async () => {
    const { own, upstream } = await vendor([steps.hang()])
    const { ledger, closings } = memoryLedger()
    const { ask } = await opened(own, { ledger })
    await expect(ask({}, { timeout: 200 })).rejects.toThrow()
    expect(await closings(1)).toMatchObject([{ outcome: 'client_disconnected' }])
    expect(upstream.requests).toHaveLength(1)
  })

  it('X3 drops fields that a vendor does not know, and says so', async () => {
    const { own, upstream } = await vendor()
    const { ask } = await opened(own)
    const answer = await ask({ max_tokens_per_doc: 50, rank_fields: ['text'] })
    expect(upstream.requests[0]!.json).toMatchObject({ max_tokens_per_doc: 50 })
    expect(upstream.requests[0]!.json).not.toHaveProperty('rank_fields')
    expect(answer.headers['x-sluice-adjustments']).toMatch(/^"rank_fields";action=dropped/)
    const strict = await opened(own, { unknownParameters: 'reject' })
    expectRerankError(await strict.ask({ rank_fields: [] }), 400, /rank_fields/)
  })

  it('X3 is ranked in process without a key', async () => {
    const { rerank } = await opened(local()('m'))
    const { results, meta } = await rerank({ top_n: 2 })
    expect(results.map(({ index }) => index)).toEqual([1, 0])
    expect(results[0]!.relevance_score).toBeGreaterThan(results[1]!.relevance_score)
    expect(meta.tokens).toEqual({ input_tokens: expect.any(Number) as unknown as number })
    expect((await rerank({ top_n: 2 })).results).toEqual(results)
  })
})
