import { fallback, idempotency, type ModelEntry, requests, responseCache, tokens } from '@sluice/core'
import { bedrock, cohere, gemini, openai, openaiCompatible, vertex, voyage } from '@sluice/providers'
import { local } from '@sluice/providers/local'
import { type RecordedRequest, type Script, type Steps, startUpstream, steps } from '@sluice/testing'
import { expect, it, onTestFinished } from 'vitest'
import { expectError } from '../expect-error.ts'
import { overPlaces } from './over-places.ts'

/** The vector of an input: each text and each list of token ids has one of its own, with digits that a float32 has exactly. */
const vectorOf = (input: unknown): readonly number[] =>
  [typeof input === 'string' ? input.length : (input as number[]).length, 0.1, -2.5, 4].map(Math.fround)
const base64 = (vector: readonly number[]) => Buffer.from(Float32Array.from(vector).buffer).toString('base64')
const floats = (text: string) => {
  const bytes = Buffer.from(text, 'base64')
  expect(text).toMatch(/^[A-Za-z0-9+/]+={0,2}$/)
  expect(bytes.length % 4).toBe(0)
  return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4))
}

/** The body of OpenAI's shape for a request, in its encoding. */
function openaiBody({ json }: RecordedRequest, encoding = json?.encoding_format): object {
  const { input } = json as { input: string | unknown[] }
  const inputs: readonly unknown[] =
    typeof input === 'string' || typeof input[0] === 'number' ? [input] : (input as unknown[])
  const data = inputs.map((each, index) => ({
    object: 'embedding',
    index,
    embedding: encoding === 'base64' ? base64(vectorOf(each)) : vectorOf(each),
  }))
  return { object: 'list', data, model: 'vendor-model', usage: { prompt_tokens: 3, total_tokens: 3 } }
}

const openaiShape = (request: RecordedRequest): Steps => steps.reply(openaiBody(request))

async function vendor(...scripts: Script[]) {
  const upstream = await startUpstream(...(scripts.length === 0 ? [openaiShape] : scripts))
  onTestFinished(() => upstream.close())
  const { baseURL, url } = upstream
  const own = openai({ apiKey: 'sk-vendor', baseURL })('text-embedding-3-small')
  const compatible = openaiCompatible({ name: 'server', baseURL })('vendor-model')
  return { upstream, own, compatible, baseURL, url }
}

interface Vectors {
  readonly object: string
  readonly data: readonly {
    readonly object: string
    readonly index: number
    readonly embedding: number[] | string
  }[]
  readonly model: string
  readonly usage: { readonly prompt_tokens: number; readonly total_tokens: number }
}

overPlaces(open => {
  const opened = async (entry: ModelEntry, options = {}) => {
    const site = await open({ e: entry }, options)
    return {
      site,
      embed: async (fields: object = {}) => {
        const answer = await site.embed(fields)
        expect(answer.status, answer.body).toBe(200)
        return answer.json as unknown as Vectors
      },
    }
  }

  it('E1 E2 answers one vector for each input, in order', async () => {
    const { own } = await vendor(({ json }) =>
      steps.reply({
        ...openaiBody({ json } as RecordedRequest),
        data: (openaiBody({ json } as RecordedRequest) as Vectors).data.toReversed(),
      }),
    )
    const { embed } = await opened(own)
    const many = await embed({ input: ['a', 'four', 'to'] })
    expect(many).toEqual({
      object: 'list',
      data: ['a', 'four', 'to'].map((text, index) => ({
        object: 'embedding',
        index,
        embedding: vectorOf(text).map(value => expect.closeTo(value, 6)),
      })),
      model: 'e',
      usage: { prompt_tokens: 3, total_tokens: 3 },
    })
    expect((await embed({ input: 'four' })).data).toHaveLength(1)
    expect((await embed({ input: ['four'] })).data).toEqual((await embed({ input: 'four' })).data)
  })

  it.each([0, 1, 3])('E1 T40 fails where the vendor answers another number of vectors: %s', async count => {
    const { own } = await vendor(request => {
      const { data, ...body } = openaiBody(request) as Vectors
      return steps.reply({
        ...body,
        data: Array.from({ length: count }, (_, index) => ({ ...data[0]!, index })),
      })
    })
    const { site } = await opened(own)
    expectError(await site.embed({ input: ['a', 'b'] }), 502, { type: 'server_error' })
  })

  it('T40 embeds lists of token ids, each to a vector', async () => {
    const { own, upstream } = await vendor()
    const { embed } = await opened(own)
    expect((await embed({ input: [1, 2, 3] })).data).toHaveLength(1)
    expect((await embed({ input: [[1, 2], [3], [4, 5, 6]] })).data.map(({ index }) => index)).toEqual([
      0, 1, 2,
    ])
    expect(upstream.requests.map(({ json }) => json?.input)).toEqual([[[1, 2, 3]], [[1, 2], [3], [4, 5, 6]]])
  })

  it.each(['base64', 'float'])(
    'E3 T39 T41 answers in the encoding that was asked for, of a vendor with %s',
    async has => {
      const { own } = await vendor(request => steps.reply(openaiBody(request, has)))
      const { embed } = await opened(own)
      const inFloats = (await embed({ input: 'abc', encoding_format: 'float' })).data[0]!.embedding
      expect((inFloats as number[]).map(Math.fround)).toEqual(vectorOf('abc'))
      expect((await embed({ input: 'abc' })).data[0]!.embedding).toEqual(inFloats)
      const inBase64 = (await embed({ input: 'abc', encoding_format: 'base64' })).data[0]!.embedding
      expect(floats(inBase64 as string)).toEqual(vectorOf('abc'))
    },
  )

  it('E4 passes vectors on as they came where both agree', async () => {
    const text =
      '{"object":"list","data":[{"object":"embedding","index":0,"embedding":[1.0000000000000000001,-0.0, 3e-2]}],"model":"m","usage":{"prompt_tokens":1,"total_tokens":1}}'
    const { own } = await vendor(steps.reply(text, { headers: { 'content-type': 'application/json' } }))
    const { site } = await opened(own)
    expect((await site.embed({ encoding_format: 'float' })).body).toMatch(
      /\[1\.0000000000000000001, ?-0\.0, ?3e-2\]/,
    )
  })

  it('E4 keeps every bit of a vector whose encoding it turns', async () => {
    const odd = [1e-45, -0, 3.4028234e38, 1 / 3, 16_777_217].map(Math.fround)
    const { own } = await vendor(request => {
      const body = openaiBody(request) as Vectors
      return steps.reply({ ...body, data: [{ ...body.data[0], embedding: base64(odd) }] })
    })
    const { embed } = await opened(own)
    const turned = (await embed({ encoding_format: 'float' })).data[0]!.embedding as number[]
    expect(base64(turned)).toBe(base64(odd))
  })

  it('E5 T43 asks a vendor only for an encoding that it takes', async () => {
    const { compatible, own, upstream, baseURL } = await vendor()
    const site = await open({ own, compatible, voyage: voyage({ apiKey: 'k', baseURL })('voyage-3.5') })
    for (const model of ['own', 'compatible', 'voyage']) {
      for (const encoding_format of ['float', 'base64']) {
        const answer = await site.embed({ model, encoding_format })
        expect(answer.status, answer.body).toBe(200)
        const { embedding } = (answer.json as unknown as Vectors).data[0]!
        expect(typeof embedding).toBe(encoding_format === 'float' ? 'object' : 'string')
      }
    }
    expect(upstream.requests.map(({ json }) => json?.encoding_format)).toEqual([
      ...['float', 'base64'],
      ...[undefined, undefined],
      ...[undefined, 'base64'],
    ])
  })

  it('E6 splits what is too much for one call, and counts it once', async () => {
    const running = { now: 0, most: 0 }
    const { upstream, url } = await vendor(async ({ json }) => {
      running.most = Math.max(running.most, ++running.now)
      await new Promise(resolve => setTimeout(resolve, 5))
      running.now--
      const { texts } = json as unknown as { texts: string[] }
      return steps.reply({
        id: '1',
        embeddings: { float: texts.map(text => vectorOf(text)) },
        texts,
        meta: { billed_units: { input_tokens: texts.length } },
      })
    })
    const { embed, site } = await opened(cohere({ apiKey: 'k', baseURL: `${url}/v2` })('embed-v4.0'), {
      limits: [requests(2).per('hour')],
    })
    const input = Array.from({ length: 1_000 }, (_, at) => 'x'.repeat(at + 1))
    const { data, usage } = await embed({ input })
    expect(data.map(({ embedding }) => (embedding as number[])[0])).toEqual(input.map(({ length }) => length))
    expect(usage).toEqual({ prompt_tokens: 1_000, total_tokens: 1_000 })
    expect(upstream.requests.map(({ json }) => (json!.texts as string[]).length).toSorted()).toEqual(
      [...Array.from({ length: 10 }, () => 96), 40].toSorted(),
    )
    expect(running.most).toBeLessThanOrEqual(4)
    await embed({ input: 'one more' })
    expectError(await site.embed(), 429, { type: 'requests', code: 'rate_limit_exceeded' })
  })

  it('E6 fails as a whole where a part fails', async () => {
    const { url } = await vendor(({ json }) => {
      const { texts } = json as unknown as { texts: string[] }
      if (texts.includes('bad')) return steps.reply({ message: 'too long' }, { status: 400 })
      return steps.reply({ id: '1', embeddings: { float: texts.map(vectorOf) }, meta: {} })
    })
    const { site } = await opened(cohere({ apiKey: 'k', baseURL: `${url}/v2` })('embed-v4.0'))
    const input = Array.from({ length: 100 }, (_, at) => (at === 98 ? 'bad' : 'good'))
    expectError(await site.embed({ input }), 400, { type: 'invalid_request_error' })
  })

  it('E7 T42 asks Gemini for each input on its own', async () => {
    const { upstream, url } = await vendor(({ json }) =>
      steps.reply({
        embeddings: (json!.requests as { content: { parts: { text: string }[] } }[]).map(({ content }) => ({
          values: vectorOf(content.parts.map(({ text }) => text).join('')),
        })),
      }),
    )
    const { embed } = await opened(gemini({ apiKey: 'k', baseURL: `${url}/v1beta` })('gemini-embedding-001'))
    const { data } = await embed({ input: ['one', 'three'], dimensions: 4, task_type: 'RETRIEVAL_QUERY' })
    expect(data.map(({ embedding }) => (embedding as number[])[0])).toEqual([3, 5])
    const more = {
      model: 'models/gemini-embedding-001',
      taskType: 'RETRIEVAL_QUERY',
      outputDimensionality: 4,
    }
    expect(upstream.requests[0]!.path).toBe('/v1beta/models/gemini-embedding-001:batchEmbedContents')
    expect(upstream.requests[0]!.json).toEqual({
      requests: ['one', 'three'].map(text => ({ ...more, content: { parts: [{ text }] } })),
    })
  })

  it('E7 asks Bedrock in the words of each model', async () => {
    const { upstream, url } = await vendor(({ path }) => {
      const count = { 'x-amzn-bedrock-input-token-count': '5' }
      if (path.includes('titan')) return steps.reply({ embedding: vectorOf('x'), inputTextTokenCount: 5 })
      return steps.reply({ embeddings: { float: [vectorOf('x')] } }, { headers: count })
    })
    const aws = bedrock({ region: 'us-east-1', bearerToken: 'k', baseURL: url })
    const site = await open({ titan: aws('amazon.titan-embed-text-v2:0'), cohere: aws('cohere.embed-v4:0') })
    for (const model of ['titan', 'cohere']) {
      const answer = await site.embed({ model, input: ['x'], dimensions: 4 })
      expect(answer.status, answer.body).toBe(200)
      expect((answer.json as unknown as Vectors).usage).toEqual({ prompt_tokens: 5, total_tokens: 5 })
    }
    expect(upstream.requests.map(({ json }) => json)).toMatchObject([
      { inputText: 'x', dimensions: 4 },
      { texts: ['x'], input_type: 'search_document', output_dimension: 4 },
    ])
  })

  it('E8 passes vectors on at the length that they have', async () => {
    const short = [0.5, 0.25, 0, 0].map(Math.fround)
    const { url } = await vendor(steps.reply({ embeddings: [{ values: short }] }))
    const { embed } = await opened(gemini({ apiKey: 'k', baseURL: `${url}/v1beta` })('gemini-embedding-001'))
    expect((await embed({ dimensions: 4 })).data[0]!.embedding).toEqual(short)
  })

  it('E9 estimates the tokens where the vendor counts none', async () => {
    const { url } = await vendor(steps.reply({ embeddings: [{ values: [1, 2] }] }))
    const { embed } = await opened(gemini({ apiKey: 'k', baseURL: `${url}/v1beta` })('gemini-embedding-001'))
    const { usage } = await embed({ input: 'word '.repeat(200) })
    expect(usage.prompt_tokens).toBeGreaterThan(100)
    expect(usage.prompt_tokens).toBeLessThan(500)
    expect(usage.total_tokens).toBe(usage.prompt_tokens)
  })

  it('E10 T43 lets no vendor cut a text', async () => {
    const { upstream, url, baseURL } = await vendor(request => {
      const { path, json } = request
      if (path.includes(':predict')) {
        return steps.reply({
          predictions: (json!.instances as object[]).map(() => ({
            embeddings: { values: [1], statistics: { token_count: 1 } },
          })),
        })
      }
      if (path.includes('/embed') && json?.texts)
        return steps.reply({ embeddings: { float: [[1]] }, meta: {} })
      return openaiShape(request)
    })
    const site = await open({
      vertex: vertex({ project: 'p', location: 'us-central1', token: 't', baseURL: url } as never)(
        'text-embedding-005',
      ),
      cohere: cohere({ apiKey: 'k', baseURL: `${url}/v2` })('embed-v4.0'),
      voyage: voyage({ apiKey: 'k', baseURL })('voyage-3.5'),
    })
    for (const fields of [
      { model: 'vertex' },
      { model: 'cohere' },
      { model: 'cohere', truncate: 'END' },
      { model: 'voyage' },
    ]) {
      const answer = await site.embed(fields)
      expect(answer.status, answer.body).toBe(200)
    }
    const [google, plain, cut, far] = upstream.requests.map(({ json }) => json as Record<string, unknown>)
    expect(google!.parameters).toMatchObject({ autoTruncate: false })
    expect([plain!.truncate, cut!.truncate]).toEqual(['NONE', 'END'])
    expect(far!.truncation).toBe(false)
  })

  it('E10 T43 tells what the vendor says of a text that is too long', async () => {
    const message = 'the input is too long'
    const { own } = await vendor(
      steps.reply(
        { error: { message, type: 'invalid_request_error', param: 'input', code: null } },
        { status: 400 },
      ),
    )
    const { site } = await opened(own)
    expectError(await site.embed({ input: 'x'.repeat(100_000) }), 400, { message: /too long/ })
  })

  it('E11 refuses what is not valid, in the words of the protocol', async () => {
    const { own } = await vendor()
    const { site } = await opened(own)
    expectError(await site.embed({ dimensions: -1 }), 400, {
      code: null,
      param: null,
      message: "-1 is less than the minimum of 1 - 'dimensions'",
    })
    expectError(await site.embed({ model: 'none' }), 404, { code: 'model_not_found' })
    expectError(await site.embed({ model: undefined }), 400, {
      message: 'you must provide a model parameter',
    })
    for (const input of [
      undefined,
      null,
      '',
      [],
      [''],
      ['a', ''],
      [[]],
      7,
      ['a', 7],
      { a: 1 },
      [[1, 'a']],
      [1.5],
      Array.from({ length: 2_049 }, () => 'a'),
    ]) {
      expectError(await site.embed({ input }), 400)
    }
    expectError(await site.embed({ encoding_format: 'hex' }), 400, { param: 'encoding_format' })
    expect((await site.embed({ encoding_format: null, dimensions: null, user: null })).status).toBe(200)
  })

  it('E11 asks a model only for what it does', async () => {
    const { own, url } = await vendor()
    const only = cohere({ apiKey: 'k', baseURL: `${url}/v2` })('embed-v4.0')
    const site = await open({
      e: own,
      only,
      chat: { ...local()('m'), capabilities: { operations: ['generate'] } } as never,
    })
    expectError(await site.embed({ model: 'chat' }), 400, { message: /embeddings/ })
    expectError(await site.chat({ model: 'only' }), 400)
  })

  it('E11 G16 reserves tokens for all inputs, and token ids exactly', async () => {
    const { own, upstream } = await vendor(({ json }) =>
      steps.reply({
        ...openaiBody({ json } as RecordedRequest),
        usage: { prompt_tokens: 90, total_tokens: 90 },
      }),
    )
    const { site } = await opened(own, { limits: [tokens(100).per('hour')] })
    const ids = Array.from({ length: 101 }, () => 7)
    expectError(await site.embed({ input: ids }), 429, { code: 'rate_limit_exceeded', type: 'tokens' })
    expectError(await site.embed({ input: Array.from({ length: 60 }, () => 'two words') }), 429, {
      type: 'tokens',
    })
    expect(upstream.requests).toHaveLength(0)
    expect((await site.embed({ input: ids.slice(0, 99) })).status).toBe(200)
    // What the vendor counted has replaced the estimate.
    expect((await site.embed({ input: ids.slice(0, 8) })).status).toBe(200)
    expectError(await site.embed({ input: ids.slice(0, 50) }), 429, { type: 'tokens' })
  })

  it('E12 falls back, but never to another space', async () => {
    const busy = await vendor(steps.reply({ error: { message: 'busy' } }, { status: 503 }))
    const good = await vendor()
    const { compatible: first } = busy
    const other = openaiCompatible({ name: 'b', baseURL: good.baseURL })('another-model')
    const site = await open({
      e: fallback(first, good.compatible),
      apart: fallback(first, other),
      joined: fallback({ ...first, embeddingSpace: 's' }, { ...other, embeddingSpace: 's' }),
    })
    expect((await site.embed()).status).toBe(200)
    expect((await site.embed({ model: 'joined' })).status).toBe(200)
    expect(good.upstream.requests).toHaveLength(2)
    expectError(await site.embed({ model: 'apart' }), 503, { type: expect.any(String) as unknown as string })
    expect(good.upstream.requests).toHaveLength(2)
  })

  it('E12 G15 keeps answers for the cache and for idempotency', async () => {
    const { own, upstream } = await vendor()
    const cached = await opened(own, { cache: responseCache({ ttlMs: 60_000 }), idempotency: idempotency() })
    const first = await cached.embed()
    expect(await cached.embed()).toEqual(first)
    expect(upstream.requests).toHaveLength(1)
    const keyed = { headers: { 'idempotency-key': 'k' } }
    const one = await cached.site.embed({ input: 'b' }, keyed)
    const two = await cached.site.embed({ input: 'b' }, keyed)
    expect(two.body).toBe(one.body)
    expect(two.headers['idempotency-replayed']).toBe('true')
    expectError(await cached.site.embed({ input: 'c' }, keyed), 422, { code: 'idempotency_key_reused' })
    expect(upstream.requests).toHaveLength(2)
  })

  it('E12 retries', async () => {
    const { own, upstream } = await vendor(
      steps.reply({ error: { message: 'busy' } }, { status: 500 }),
      openaiShape,
    )
    const { embed } = await opened(own, { retry: { baseMs: 1, maxMs: 2 } })
    await embed()
    expect(upstream.requests).toHaveLength(2)
  })

  it('T33 takes null for absent', async () => {
    const { own, upstream } = await vendor()
    const { embed } = await opened(own)
    await embed({ encoding_format: null, dimensions: null, user: null })
    expect(upstream.requests[0]!.json).toEqual({
      model: 'text-embedding-3-small',
      input: ['Hello!'],
      encoding_format: 'float',
    })
  })

  it('G8 forwards fields that it does not know where they may be known', async () => {
    const { own, compatible, upstream, url } = await vendor(request =>
      request.path.includes('batchEmbed')
        ? steps.reply({ embeddings: [{ values: [1] }] })
        : openaiShape(request),
    )
    const site = await open({
      own,
      compatible,
      gemini: gemini({ apiKey: 'k', baseURL: `${url}/v1beta` })('gemini-embedding-001'),
    })
    await site.embed({ model: 'compatible', new_field: { a: 1 } })
    expect(upstream.requests[0]!.json).toMatchObject({ new_field: { a: 1 } })
    for (const model of ['own', 'gemini']) {
      const dropped = await site.embed({ model, new_field: { a: 1 } })
      expect(dropped.status, dropped.body).toBe(200)
      expect(dropped.headers['x-sluice-adjustments']).toMatch(/^"new_field";action=dropped/)
    }
    expect(upstream.requests[1]!.json).not.toHaveProperty('new_field')
    const strict = await open({ own }, { unknownParameters: 'reject' })
    expectError(await strict.embed({ model: 'own', new_field: 1 }), 400, {
      code: 'unknown_parameter',
      message: "Unknown parameter: 'new_field'.",
    })
  })
})
