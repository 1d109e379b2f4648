import {
  budget,
  fallback,
  type GatewayOptions,
  idempotency,
  type ModelEntry,
  priceTable,
  responseCache,
  tokens,
} from '@sluice/core'
import { azure, llamacpp, mistral, ollama, openai, openaiCompatible, vllm } from '@sluice/providers'
import { local } from '@sluice/providers/local'
import { type RawExchange, type RecordedRequest, type Script, startUpstream, steps } from '@sluice/testing'
import OpenAI from 'openai'
import { expect, it, onTestFinished } from 'vitest'
import { expectError } from '../expect-error.ts'
import { memoryLedger } from './memory-ledger.ts'
import { overPlaces } from './over-places.ts'

const apiKey = 'sk-vendor-canary'
const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 }
const origin = {
  id: 'cmpl-1',
  object: 'text_completion',
  created: 1,
  model: 'gpt-3.5-turbo-instruct:20230824',
}
const choice = (text: string, finish_reason: string | null = null, index = 0) => ({
  text,
  index,
  logprobs: null,
  finish_reason,
})
const whole = { ...origin, choices: [choice(' world', 'stop')], usage }
const chunk = (...choices: object[]) => `data: ${JSON.stringify({ ...origin, choices })}\n\n`
const counted = `data: ${JSON.stringify({ ...origin, choices: [], usage })}\n\n`
const done = 'data: [DONE]\n\n'
const events = [chunk(choice(' wor')), chunk(choice('ld', 'stop')), counted, done]
const streamed = (...texts: string[]): Script => [
  steps.head(),
  ...texts.map(text => steps.body(text)),
  steps.end(),
]

const shape: Script = ({ json }: RecordedRequest) =>
  (json as { stream?: boolean }).stream === true
    ? [steps.head(), ...events.map(text => steps.body(text)), steps.end()]
    : steps.reply(whole)

async function vendor(...scripts: Script[]) {
  const upstream = await startUpstream(...(scripts.length === 0 ? [shape] : scripts))
  onTestFinished(() => upstream.close())
  const { baseURL, url } = upstream
  const own = openai({ apiKey, baseURL })('gpt-3.5-turbo-instruct')
  return { upstream, own, baseURL, url }
}

/** The data of the events of a stream. */
const dataOf = ({ body }: RawExchange) =>
  body
    .split('\n\n')
    .filter(text => text.startsWith('data: '))
    .map(text => text.slice('data: '.length))

overPlaces(open => {
  const opened = async (entry: ModelEntry, options: Partial<GatewayOptions> = {}) => {
    const site = await open({ c: entry }, options)
    const ask = (fields: object = {}, asking = {}) =>
      site.send('/completions', {
        method: 'POST',
        body: { model: 'c', prompt: 'Hello', ...fields },
        ...asking,
      })
    return { site, ask }
  }

  it('X1 comes to the official client, whole and streamed', async () => {
    const { own } = await vendor()
    const { site } = await opened(own)
    const client = new OpenAI({ baseURL: site.place.baseURL, apiKey: 'good-key', maxRetries: 0 })
    const one = await client.completions.create({ model: 'c', prompt: 'Hello' })
    expect([one.id, one.model, one.choices[0]!.text, one.usage]).toEqual(['cmpl-1', 'c', ' world', usage])
    let text = ''
    let chunks = 0
    for await (const { choices, model } of await client.completions.create({
      model: 'c',
      prompt: 'Hello',
      stream: true,
    })) {
      expect(model).toBe('c')
      text += choices[0]!.text
      chunks++
    }
    expect([text, chunks]).toEqual([' world', 2])
  })

  it('X1 passes the request on as it came, with the name of the model', async () => {
    const { own, upstream } = await vendor()
    const { ask } = await opened(own)
    const text =
      '{ "prompt":["caf\\u00e9"], "model" : "c", "temperature":0.70, "logprobs":3, "x_new":{"a":[1.0]}, "stop":null }'
    const sent = { body: text, headers: { 'content-type': 'application/json' } }
    const answer = await ask({}, sent)
    expect(answer.status, answer.body).toBe(200)
    expect(upstream.requests[0]!.body).toBe(text.replace('"c"', '"gpt-3.5-turbo-instruct"'))
    expect(upstream.requests[0]!.path).toBe('/v1/completions')
    expect(answer.json).toEqual({ ...whole, model: 'c' })
    expect(JSON.stringify(upstream.requests[0]!.rawHeaders)).not.toContain('good-key')
  })

  it('X1 asks for usage in a stream, and passes it on to who asked for it', async () => {
    const { own, upstream } = await vendor()
    const { ask } = await opened(own)
    const plain = dataOf(await ask({ stream: true }))
    expect(plain.at(-1)).toBe('[DONE]')
    expect(plain.slice(0, -1).map(data => JSON.parse(data).choices[0].text)).toEqual([' wor', 'ld'])
    const asked = dataOf(await ask({ stream: true, stream_options: { include_usage: true } }))
    expect(asked).toHaveLength(4)
    expect(JSON.parse(asked[2]!)).toEqual({ ...origin, model: 'c', choices: [], usage })
    for (const { json } of upstream.requests)
      expect(json).toMatchObject({ stream: true, stream_options: { include_usage: true } })
  })

  it('X1 is asked of servers that have it, by their own paths', async () => {
    const { upstream, url, baseURL } = await vendor()
    const site = await open({
      azure: azure({ apiKey, baseURL: url })('ours'),
      vllm: vllm({ baseURL })('m'),
      llamacpp: llamacpp({ baseURL })('m'),
      ollama: ollama({ baseURL })('m'),
      server: openaiCompatible({ name: 's', baseURL, completions: { path: '/old/completions' } })('m'),
    })
    const paths = {
      azure: '/openai/v1/completions',
      vllm: '/v1/completions',
      llamacpp: '/v1/completions',
      ollama: '/v1/completions',
      server: '/v1/old/completions',
    }
    for (const [model, path] of Object.entries(paths)) {
      const answer = await site.send('/completions', { body: { model, prompt: 'Hello' } })
      expect(answer.json, `${model}: ${answer.body}`).toEqual({ ...whole, model })
      expect(upstream.requests.at(-1)!.path).toBe(path)
    }
  })

  it('X1 fills in the middle by Mistral, whose choices have messages', async () => {
    const message = { role: 'assistant', content: 'return a' }
    const piece = (content: string, finish_reason: string | null) =>
      `data: ${JSON.stringify({ id: 'f', object: 'chat.completion.chunk', model: 'codestral', choices: [{ index: 0, delta: { content }, finish_reason }] })}\n\n`
    const { upstream, baseURL } = await vendor(({ json }) =>
      (json as { stream?: boolean }).stream === true
        ? [steps.head(), steps.body(piece('return', null) + piece(' a', 'stop') + done), steps.end()]
        : steps.reply({
            id: 'f',
            object: 'chat.completion',
            choices: [{ index: 0, message, finish_reason: 'stop' }],
            usage,
          }),
    )
    const { ask } = await opened(mistral({ apiKey, baseURL })('codestral-latest'))
    const fields = { prompt: 'def f(a):', suffix: 'print(f(1))' }
    const answer = await ask(fields)
    expect(answer.json).toMatchObject({ object: 'text_completion', choices: [choice('return a', 'stop')] })
    expect(upstream.requests[0]!.path).toBe('/v1/fim/completions')
    const data = dataOf(await ask({ ...fields, stream: true, stream_options: { include_usage: true } }))
    expect(data.slice(0, -1).map(text => JSON.parse(text).choices[0].text)).toEqual(['return', ' a'])
    expect(data.at(-1)).toBe('[DONE]')
    expect(upstream.requests[1]!.json).toEqual({ ...fields, model: 'codestral-latest', stream: true })
  })

  it.each<[string, Script]>([
    ['is cut', [steps.head(), steps.body(chunk(choice(' wor'))), steps.cut()]],
    ['is reset', [steps.head(), steps.body(chunk(choice(' wor'))), steps.reset()]],
    ['ends early', streamed(chunk(choice(' wor')))],
    [
      'ends within an event',
      [steps.head(), steps.body(chunk(choice(' wor'))), steps.body('data: {"choi'), steps.end()],
    ],
    ['ends after an error', streamed(chunk(choice(' wor')), 'data: {"error":{"message":"canary died"}}\n\n')],
    ['goes on with garbage', streamed(chunk(choice(' wor')), 'data: what\n\n', done)],
    ['has a choice without a text', streamed(chunk(choice(' wor')), chunk({ index: 0 }), done)],
  ])('X1 never ends a stream well that %s', async (_, script) => {
    const { own } = await vendor(script)
    const { ledger, closings } = memoryLedger()
    const { ask } = await opened(own, { ledger })
    const answer = await ask({ stream: true })
    expect(answer.status).toBe(200)
    const data = dataOf(answer)
    expect(JSON.parse(data[0]!)).toMatchObject({ model: 'c', choices: [{ text: ' wor' }] })
    expect(JSON.parse(data.at(-1)!)).toMatchObject({ error: { type: 'server_error' } })
    expect(answer.body).not.toContain('[DONE]')
    expect(answer.body).not.toContain('canary')
    expect(await closings(1)).toMatchObject([{ outcome: 'upstream_failed' }])
  })

  it('X1 ends a stream well without [DONE] where each choice has ended', async () => {
    const { own } = await vendor(
      streamed(chunk(choice('a', 'stop')), chunk(choice('b', 'length', 1))),
      streamed(chunk(choice('a', 'stop'))),
    )
    const { ask } = await opened(own)
    expect(dataOf(await ask({ stream: true, n: 2 })).at(-1)).toBe('[DONE]')
    expect((await ask({ stream: true, n: 2 })).body).not.toContain('[DONE]')
  })

  it('X1 falls back before the first content, and only to who has it', async () => {
    const dead = await vendor([steps.head(), steps.cut()])
    const good = await vendor()
    const chat = openaiCompatible({ name: 'chat', baseURL: dead.baseURL })('m')
    const { ask } = await opened(fallback(chat, dead.own, good.own))
    expect(dataOf(await ask({ stream: true })).at(-1)).toBe('[DONE]')
    expect(dead.upstream.requests.map(({ path }) => path)).toEqual(['/v1/completions'])
    const only = await opened(chat)
    const message = 'This model does not support text completions. Use chat completions instead.'
    expectError(await only.ask(), 400, { code: 'unsupported_value', param: 'model', message })
    expectError(await (await opened(local()('m'))).ask(), 400, { message })
    expect((await (await opened(good.own)).site.chat({ model: 'c' })).status).toBe(400)
  })

  it.each<[string, unknown]>([
    ['no choices', { ...whole, choices: [] }],
    ['a chat completion', { ...whole, choices: [{ index: 0, message: { content: 'a' } }] }],
    ['a list', []],
  ])('X1 is a 502 where the vendor answers %s', async (_, body) => {
    const { own } = await vendor(steps.reply(body as object))
    expectError(await (await opened(own)).ask(), 502, { type: 'server_error' })
  })

  it('X1 leaves to the vendor what only it can judge, and refuses what the gateway reads', async () => {
    const message = "'best_of' must be at least 'n'."
    const error = { message, type: 'invalid_request_error', param: 'best_of', code: null }
    const { own, upstream } = await vendor(steps.reply({ error }, { status: 400 }))
    const { ask } = await opened(own)
    expectError(await ask({ temperature: 'hot', n: 2, best_of: 1 }), 400, { message, param: 'best_of' })
    expect(upstream.requests[0]!.json).toMatchObject({ temperature: 'hot' })
    for (const [fields, param] of [
      [{ prompt: 7 }, 'prompt'],
      [{ prompt: [] }, 'prompt'],
      [{ prompt: ['a', 7] }, 'prompt'],
      [{ prompt: [1.5] }, 'prompt'],
      [{ max_tokens: -1 }, 'max_tokens'],
      [{ max_tokens: '9' }, 'max_tokens'],
      [{ max_completion_tokens: 9 }, 'max_completion_tokens'],
      [{ n: 0 }, 'n'],
      [{ n: 129 }, 'n'],
      [{ prompt: ['a', 'b'], best_of: 65 }, 'best_of'],
      [{ stream: 'yes' }, 'stream'],
      [{ stream_options: [] }, 'stream_options'],
    ] as const)
      expectError(await ask(fields), 400, { param })
    expectError(await ask({ model: 'none' }), 404, { code: 'model_not_found' })
    expectError(await ask({}, { key: null }), 401)
    expectError(await ask({}, { key: 'narrow-key' }), 403)
    const strict = await opened(own, { unknownParameters: 'reject' })
    expectError(await strict.ask({ top_k: 1 }), 400, { code: 'unknown_parameter', param: 'top_k' })
    expect(upstream.requests).toHaveLength(1)
  })

  it('X1 refuses fields of a server that a caller with limits may not send', async () => {
    const { upstream, baseURL } = await vendor()
    const { ask } = await opened(llamacpp({ baseURL })('m'), { limits: [tokens(10_000).per('hour')] })
    expectError(await ask({ n_predict: 99_999 }), 400, { param: 'n_predict' })
    expect(upstream.requests).toHaveLength(0)
  })

  it('X1 reserves all answers, bounds them, and settles what the vendor counts', async () => {
    const { own, upstream } = await vendor()
    const { ledger, entries, closings } = memoryLedger()
    const limits = [tokens(1_000).per('hour')]
    const { ask } = await opened(own, { limits, ledger })
    expectError(await ask({ max_tokens: 100, best_of: 11 }), 429, { type: 'tokens' })
    expectError(await ask({ max_tokens: 100, prompt: Array(11).fill('a') }), 429, { type: 'tokens' })
    expectError(await ask({ prompt: Array(1_001).fill(7), max_tokens: 1 }), 429, { type: 'tokens' })
    expect(upstream.requests).toHaveLength(0)
    expect((await ask({ max_tokens: 900 })).status).toBe(200)
    expect((await ask({ max_tokens: 900, stream: true })).status).toBe(200)
    const charge = { promptTokens: 5, completionTokens: 7 }
    expect(await closings(2)).toMatchObject([
      { status: 200, charge, estimated: false },
      { status: 200, charge, estimated: false },
    ])
    expect(entries).toMatchObject([
      { operation: 'complete', dialect: 'completions', stream: false },
      { operation: 'complete', dialect: 'completions', stream: true },
    ])
    const bounded = await opened(own, { limits: [tokens(1_000_000).per('hour')] })
    const answer = await bounded.ask()
    const { max_tokens } = upstream.requests.at(-1)!.json as { max_tokens: number }
    expect(max_tokens).toBeGreaterThan(0)
    expect(answer.headers['x-sluice-adjustments']).toBe(
      `"max_tokens";action=defaulted;detail="${max_tokens}"`,
    )
  })

  it('X1 applies the parameters of a target, and prices both kinds of tokens', async () => {
    const { own, upstream } = await vendor()
    const { ledger, closings } = memoryLedger()
    const entry = { ...own, parameters: { temperature: 0, max_completion_tokens: 50, user: null } }
    const prices = priceTable({ c: { input: 1_000, output: 10_000 } })
    const { ask } = await opened(entry, { ledger, prices, limits: [budget(9, 'usd').per('day')] })
    expect((await ask({ max_tokens: 99, temperature: 1, user: 'eve' })).status).toBe(200)
    expect(upstream.requests[0]!.json).toEqual({
      model: 'gpt-3.5-turbo-instruct',
      prompt: 'Hello',
      max_tokens: 50,
      temperature: 0,
    })
    expect((await closings(1))[0]!.charge!.cost).toBeCloseTo(0.075, 6)
    const unpriced = await opened(own, {
      prices: priceTable({ x: { input: 1, output: 1 } }),
      limits: [budget(1, 'usd').per('day')],
    })
    expectError(await unpriced.ask(), 403, { code: 'model_not_priced' })
  })

  it('X1 keeps answers for the cache and for idempotency, each principal its own', async () => {
    const { own, upstream } = await vendor()
    const options = { cache: responseCache({ ttlMs: 60_000 }), idempotency: idempotency() }
    const site = await open({ other: own }, options)
    const body = { model: 'other', prompt: 'Hello', temperature: 0 }
    const ask = (more: object, asking: object = {}) =>
      site.send('/completions', { body: { ...body, ...more }, ...asking })
    const first = await ask({})
    expect((await ask({})).body).toBe(first.body)
    expect((await ask({}, { key: 'narrow-key' })).headers['x-sluice-cache']).toBe('miss')
    expect(upstream.requests).toHaveLength(2)
    expect((await ask({ prompt: 'Other' })).headers['x-sluice-cache']).toBe('miss')
    const keyed = { headers: { 'idempotency-key': 'k' } }
    const stream = await ask({ stream: true }, keyed)
    const again = await ask({ stream: true }, keyed)
    expect([again.body, again.headers['idempotency-replayed']]).toEqual([stream.body, 'true'])
    expect(upstream.requests).toHaveLength(4)
  })

  it.each([false, true])('X1 has hooks that change its prompt and its text: stream %s', async stream => {
    const { own, upstream } = await vendor()
    const { ask } = await opened(own, {
      hooks: [
        {
          name: 'words',
          onRequest: ({ texts }) => ({
            edits: texts.map(({ path, text }) => ({ path, value: text.replaceAll('secret', 'public') })),
          }),
          holdBack: 8,
          onChunk: ({ text }) => {
            const start = text.indexOf('world')
            return start < 0 ? undefined : { replacements: [{ start, end: start + 5, text: 'planet' }] }
          },
        },
      ],
    })
    const answer = await ask({ prompt: ['a secret'], stream })
    expect(upstream.requests[0]!.json).toMatchObject({ prompt: ['a public'] })
    const text = stream
      ? dataOf(answer)
          .filter(data => data !== '[DONE]')
          .map(data => JSON.parse(data).choices[0].text)
          .join('')
      : (answer.json as unknown as typeof whole).choices[0]!.text
    expect(text).toBe(' planet')
    if (stream) expect(dataOf(answer).at(-1)).toBe('[DONE]')
    const again = await opened(own, {
      hooks: [{ name: 'again', onResponse: () => ({ retry: { message: 'No.' } }) }],
    })
    expectError(await again.ask(), 400, { message: 'No.' })
  })

  it.each([false, true])('X1 ends the call of a client that leaves: stream %s', async stream => {
    const script: Script = stream
      ? [steps.head(), steps.body(chunk(choice(' wor'))), steps.hang()]
      : [steps.hang()]
    const { own } = await vendor(script)
    const { ledger, closings } = memoryLedger()
    const { ask } = await opened(own, { ledger })
    await expect(ask({ stream }, { timeout: 200 })).rejects.toThrow()
    expect(await closings(1)).toMatchObject([{ outcome: 'client_disconnected' }])
  })
})
