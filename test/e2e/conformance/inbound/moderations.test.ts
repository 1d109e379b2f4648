import {
  budget,
  fallback,
  type GatewayOptions,
  idempotency,
  type ModelEntry,
  priceTable,
  responseCache,
} from '@sluice/core'
import { azure, mistral, openai, openaiCompatible } from '@sluice/providers'
import { local } from '@sluice/providers/local'
import { type RecordedRequest, type Script, startUpstream, steps } from '@sluice/testing'
import OpenAI, { BadRequestError } from 'openai'
import { expect, it, onTestFinished } from 'vitest'
import { expectError } from '../expect-error.ts'
import { memoryLedger } from './memory-ledger.ts'
import { overPlaces } from './over-places.ts'
import { recordedExchanges } from './recorded.ts'

const apiKey = 'sk-vendor-canary'
const result = { flagged: true, categories: { violence: true }, category_scores: { violence: 0.9 } }
const answerOf = ({ json }: RecordedRequest, results?: number) => {
  const { input } = json as { input: string | unknown[] }
  const isList = Array.isArray(input) && typeof input[0] === 'string'
  const count = results ?? (isList ? input.length : 1)
  return { id: 'modr-1', model: 'omni-moderation-2024-09-26', results: Array(count).fill(result) }
}
const shape: Script = request => steps.reply(answerOf(request))

async function vendor(...scripts: Script[]) {
  const upstream = await startUpstream(...(scripts.length === 0 ? [shape] : scripts))
  onTestFinished(() => upstream.close())
  const own = openai({ apiKey, baseURL: upstream.baseURL })('omni-moderation-latest')
  return { upstream, own, url: upstream.url, baseURL: upstream.baseURL }
}

overPlaces(open => {
  const opened = async (entry: ModelEntry, options: Partial<GatewayOptions> = {}) => {
    const site = await open({ safe: entry }, options)
    const ask = (fields: object = {}, asking = {}) =>
      site.send('/moderations', {
        method: 'POST',
        body: { model: 'safe', input: 'Hello!', ...fields },
        ...asking,
      })
    return { site, ask }
  }

  it.each(recordedExchanges('moderations'))('X2 answers as recorded: $name', async ({ request, answer }) => {
    const { own, upstream } = await vendor(
      steps.reply(answer, { headers: { 'content-type': 'application/json' } }),
    )
    const { ask } = await opened(own)
    const got = await ask({ ...request, model: 'safe' })
    expect(got.status, got.body).toBe(200)
    expect(got.body).toBe(answer.replace('"omni-moderation-latest"', '"safe"'))
    expect(upstream.requests[0]!.json).toEqual(request)
  })

  it('X2 comes to the official client', async () => {
    const { own } = await vendor()
    const { site } = await opened(own)
    const { baseURL } = site.place
    const client = new OpenAI({ baseURL, apiKey: 'good-key', maxRetries: 0 })
    const { id, model, results } = await client.moderations.create({ model: 'safe', input: ['a', 'b'] })
    expect([id, model, results.length, results[0]!.flagged]).toEqual(['modr-1', 'safe', 2, true])
    await expect(client.moderations.create({ input: 'no model' })).rejects.toBeInstanceOf(BadRequestError)
  })

  it('X2 passes the request on as it came, with the name of the model', async () => {
    const { own, upstream } = await vendor()
    const { ask } = await opened(own)
    const text = '{ "input" : ["caf\\u00e9", "\\ud83d\\ude00"],\n "model":"safe", "x":1.50, "n":null }'
    expect((await ask({}, { body: text, headers: { 'content-type': 'application/json' } })).status).toBe(200)
    expect(upstream.requests[0]!.body).toBe(text.replace('"safe"', '"omni-moderation-latest"'))
    expect(JSON.stringify(upstream.requests[0]!.rawHeaders)).not.toContain('good-key')
  })

  it('X2 is asked of OpenAI, Azure, Mistral and other servers', async () => {
    const { upstream, baseURL, url, own } = await vendor()
    const site = await open({
      openai: own,
      azure: azure({ apiKey, baseURL: url })('ours'),
      mistral: mistral({ apiKey, baseURL })('mistral-moderation-latest'),
      server: openaiCompatible({ name: 'server', baseURL, moderations: true })('guard'),
    })
    const paths = {
      openai: '/v1/moderations',
      azure: '/openai/v1/moderations',
      mistral: '/v1/moderations',
      server: '/v1/moderations',
    }
    for (const [model, path] of Object.entries(paths)) {
      const answer = await site.send('/moderations', { body: { model, input: 'Hello!' } })
      expect(answer.status, `${model}: ${answer.body}`).toBe(200)
      expect(answer.json).toMatchObject({ model })
      expect(upstream.requests.at(-1)!.path).toBe(path)
    }
  })

  it.each<[string, (request: RecordedRequest) => unknown]>([
    ['fewer results than texts', request => answerOf(request, 1)],
    ['more results than texts', request => answerOf(request, 3)],
    ['no results', request => answerOf(request, 0)],
    ['null for a result', request => ({ ...answerOf(request), results: [result, null] })],
    ['another object', () => ({ flagged: false })],
    ['no JSON', () => 'not flagged'],
  ])('X2 is a 502 where the vendor answers %s', async (_, body) => {
    const { own } = await vendor(request => {
      const answer = body(request)
      const headers = { 'content-type': 'application/json' }
      return typeof answer === 'string' ? steps.reply(answer, { headers }) : steps.reply(answer as object)
    })
    const { ask } = await opened(own)
    expectError(await ask({ input: ['a', 'b'] }), 502, { type: 'server_error' })
  })

  it('X2 is a 502 where the answer breaks off, and falls back where it can', async () => {
    const broken: Script = [
      steps.head({ headers: { 'content-type': 'application/json' } }),
      steps.body('{"results":[{"flagged":false}'),
      steps.cut(),
    ]
    const { own } = await vendor(broken)
    const good = await vendor()
    expectError(await (await opened(own)).ask(), 502, { type: 'server_error' })
    expect((await (await opened(fallback(own, good.own))).ask()).status).toBe(200)
    const refused = await vendor(steps.reply({ error: { message: `bad key ${apiKey}` } }, { status: 401 }))
    const answer = await (await opened(refused.own)).ask()
    expectError(answer, 502, { type: 'server_error' })
    expect(answer.body).not.toContain('canary')
  })

  it('X2 leaves to the vendor what only it can judge', async () => {
    const message = 'Invalid image.'
    const { own, upstream } = await vendor(
      steps.reply(
        { error: { message, type: 'invalid_request_error', param: 'input', code: null } },
        { status: 400 },
      ),
    )
    const { ask } = await opened(own)
    const input = [{ type: 'image_url', image_url: { url: 'nowhere' } }]
    expectError(await ask({ input }), 400, { message, param: 'input' })
    expect(upstream.requests).toHaveLength(1)
  })

  it('X2 refuses what it cannot read', async () => {
    const { own, upstream } = await vendor()
    const { ask } = await opened(own)
    expectError(await ask({ input: undefined }), 400, { code: 'missing_required_parameter', param: 'input' })
    for (const input of [null, 7, { text: 'a' }]) expectError(await ask({ input }), 400, { param: 'input' })
    expectError(await ask({ input: Array(2_049).fill('a') }), 400, { code: 'array_above_max_length' })
    expectError(await ask({ model: 'none' }), 404, { code: 'model_not_found' })
    expectError(await ask({}, { key: null }), 401)
    expectError(await ask({}, { key: 'narrow-key' }), 403)
    const strict = await opened(own, { unknownParameters: 'reject' })
    expectError(await strict.ask({ x: 1 }), 400, { code: 'unknown_parameter', param: 'x' })
    expect(upstream.requests).toHaveLength(0)
  })

  it('X2 asks a model only for what it does', async () => {
    const { own, baseURL } = await vendor()
    const site = await open({
      safe: own,
      chat: openaiCompatible({ name: 'server', baseURL })('m'),
      local: local()('m'),
      embedder: openai({ apiKey, baseURL })('text-embedding-3-small'),
    })
    const ask = (model: string) => site.send('/moderations', { body: { model, input: 'Hello!' } })
    for (const model of ['chat', 'local'])
      expectError(await ask(model), 400, { message: 'This model does not support moderation.' })
    expectError(await ask('embedder'), 400, { message: /It supports embeddings/ })
    expectError(await site.chat({ model: 'safe' }), 400, { message: /It supports moderation/ })
  })

  it('X2 is priced, limited and in the ledger, and kept for each principal alone', async () => {
    const { own, upstream } = await vendor()
    const { ledger, entries, closings } = memoryLedger()
    const prices = priceTable({ 'openai/omni-moderation-latest': { input: 1, output: 0, perRequest: 0.5 } })
    const options = { ledger, prices, cache: responseCache({ ttlMs: 60_000 }), idempotency: idempotency() }
    const site = await open({ other: own }, { ...options, limits: [budget(2, 'usd').per('day')] })
    const body = { model: 'other', input: 'Hello!' }
    for (const key of ['good-key', 'narrow-key', 'good-key'])
      expect((await site.send('/moderations', { body, key })).status).toBe(200)
    expect(upstream.requests).toHaveLength(2)
    const [first] = await closings(3)
    expect(first).toMatchObject({ status: 200, charge: { completionTokens: 0 }, estimated: true })
    expect(first!.charge!.cost).toBeCloseTo(0.5, 4)
    expect(entries.map(({ operation, dialect, principal }) => [operation, dialect, principal])).toEqual([
      ['moderate', 'moderations', 'ann'],
      ['moderate', 'moderations', 'bob'],
      ['moderate', 'moderations', 'ann'],
    ])
    const unpriced = await opened(own, {
      prices: priceTable({ x: { input: 1, output: 1 } }),
      limits: [budget(1, 'usd').per('day')],
    })
    expectError(await unpriced.ask(), 403, { code: 'model_not_priced' })
  })

  it('X2 has hooks that change and refuse its requests', async () => {
    const { own, upstream } = await vendor()
    const { ask } = await opened(own, {
      hooks: [
        {
          name: 'words',
          operations: ['moderate'],
          onRequest: ({ texts }) =>
            texts.some(({ text }) => text === 'stop')
              ? { refuse: { message: 'Not that.' } }
              : { edits: [{ path: ['input', 0], value: 'x' }] },
        },
      ],
    })
    expect((await ask({ input: ['a', 'b'] })).status).toBe(200)
    expect(upstream.requests[0]!.json).toEqual({ model: 'omni-moderation-latest', input: ['x', 'b'] })
    expectError(await ask({ input: 'stop' }), 400, { message: 'Not that.' })
  })

  it('X2 ends the call of a client that leaves', async () => {
    const { own } = await vendor([steps.hang()])
    const { ledger, closings } = memoryLedger()
    const { ask } = await opened(own, { ledger })
    await expect(ask({}, { timeout: 200 })).rejects.toThrow()
    expect(await closings(1)).toMatchObject([{ outcome: 'client_disconnected' }])
  })
})
