import { readFileSync } from 'node:fs'
import { apiKeys, createGateway, type Gateway, models, type Target } from '@sluice/core'
import type {
  Call,
  EmbedCodec,
  EncodedRequest,
  GenerateRequest,
  NativeCall,
  Provider,
} from '@sluice/core/provider'
import * as providers from '@sluice/providers'
import { completion, type Script, startUpstream, steps } from '@sluice/testing'
import { expect, it } from 'vitest'
import { decodedEmbeddings, encodedEmbeddings } from '../../packages/providers/test/embeddings.ts'
import { ask } from './runner/ask.ts'
import { describePage, type Snippet } from './runner/describe-page.ts'
import { expectVendors, fakeVendors } from './runner/fake-vendors.ts'
import { fencesOf, readPage, tableUnder } from './runner/markdown.ts'
import { runSnippet } from './runner/run-snippet.ts'

const page = 'docs/providers.md'
const here = 'http://sluice.test/v1'
const events = (...answers: object[]) => answers.map(answer => `data: ${JSON.stringify(answer)}\n\n`)

/** A call whose caller speaks the dialect of the vendor, as far as a provider reads it. */
function nativeCall(): NativeCall {
  const text = '{"model":"public","messages":[],"n": 1.0}'
  const request = { dialect: 'messages', model: 'public', stream: false, body: JSON.parse(text) }
  const call: Omit<NativeCall, 'input'> = {
    request: request as GenerateRequest,
    model: 'acme-1',
    text,
    edits: [],
    headers: {},
  }
  return call as NativeCall
}

/** The snippet's provider behind a gateway, and Acme played by a script. */
async function acmeBy(snippet: Snippet, ...scripts: [Script, ...Script[]]) {
  const upstream = await startUpstream(...scripts)
  const running = await snippet.run()
  const acme = running.exports.acme as (options: {
    apiKey: string
    baseURL: string
  }) => (model: string) => Target
  const gateway = createGateway({
    authenticate: apiKeys([{ id: 'me', key: 'sk-test' }]),
    route: models({ demo: acme({ apiKey: 'the key', baseURL: upstream.url })('acme-1') }),
    retry: false,
    breaker: false,
  })
  return { upstream, gateway }
}

describePage(page, {
  first: async snippet => {
    const { env, edit, openai, anthropic } = await fakeVendors()
    const address = anthropic.baseURL
    const { gateway } = (
      await snippet.run({ ...env, CLAUDE_KEY: 'sk-claude' }, code =>
        edit(code).replace('apiKey: process.env.CLAUDE_KEY', `$&, baseURL: '${address}'`),
      )
    ).exports as { gateway: Gateway }
    await expectVendors('http://sluice.test/v1', gateway.fetch)
    expect(openai.requests[0]!.headers.authorization).toBe('Bearer sk-openai')
    expect(anthropic.requests[0]!.headers['x-api-key']).toBe('sk-claude')
  },
  fields: async ({ run }) => {
    const more = { timings: { predicted_ms: 8, host: 'gpu-7' }, build: 'build-of-acme' }
    const upstream = await startUpstream(steps.reply({ ...completion(), ...more }))
    const { exports } = await run({ ACME_BASE_URL: upstream.baseURL })
    const post = async (vendor: unknown) => {
      const gateway = createGateway({
        authenticate: () => ({ id: 'me' }),
        route: models({ m: (vendor as providers.ProviderInstance)('m') }),
      })
      const response = await gateway.fetch(`${here}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] }),
      })
      await gateway.close()
      return response.text()
    }
    const text = await post(exports.acme)
    expect(JSON.parse(text).provider_specific_fields).toEqual({ timings: { predicted_ms: 8 } })
    expect(text).not.toMatch(/gpu-7|build-of-acme/)
    expect(exports.quiet).toHaveProperty('provider.name', 'openrouter')
    await upstream.close()
  },
  compatible: async ({ run }) => {
    const upstream = await startUpstream()
    const running = await run({ ACME_BASE_URL: upstream.baseURL, ACME_API_KEY: 'the-key' })
    const gateway = running.exports.gateway as Gateway
    const post = async (body: object) => {
      const response = await gateway.fetch(`${here}/chat/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'large', messages: [{ role: 'user', content: 'Hello' }], ...body }),
      })
      return response.status
    }
    expect(await post({ max_completion_tokens: 5, store: true, n: 1 })).toBe(200)
    expect(upstream.requests[0]?.headers.authorization).toBe('Bearer the-key')
    expect(upstream.requests[0]?.json).toMatchObject({ model: 'acme-large-2', max_tokens: 5 })
    expect(upstream.requests[0]?.json).not.toHaveProperty('max_completion_tokens')
    expect(upstream.requests[0]?.json).not.toHaveProperty('store')
    expect(await post({ n: 2 })).toBe(400)
    const image = { type: 'image_url', image_url: { url: 'https://there.test/a.png' } }
    expect(await post({ model: 'text', messages: [{ role: 'user', content: [image] }] })).toBe(400)
    expect(upstream.requests).toHaveLength(1)
    await gateway.close()
    await upstream.close()
  },

  several: async ({ run }) => {
    const limited = steps.reply(
      { error: { message: 'Slow down.' } },
      { status: 429, headers: { 'retry-after': '9' } },
    )
    const upstream = await startUpstream(limited, limited, steps.answer())
    const running = await run({ ACME_BASE_URL: upstream.baseURL })
    const gateway = running.exports.gateway as Gateway
    const response = await gateway.fetch(`${here}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'large', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    expect(response.status).toBe(200)
    const sent = upstream.requests.map(({ headers }) => headers.authorization)
    expect(sent.slice(0, 2).toSorted()).toEqual(['Bearer sk-acme-1', 'Bearer sk-acme-2'])
    expect(sent[2]).toBe('Bearer sk-acme-3')
    await gateway.close()
    await upstream.close()
  },

  vendors: async ({ run }) => {
    const failing = await startUpstream(
      steps.reply({ type: 'error', error: { type: 'overloaded_error' } }, { status: 529 }),
    )
    const aws = await startUpstream(
      steps.reply({
        output: { message: { role: 'assistant', content: [{ text: 'From Bedrock.' }] } },
        stopReason: 'end_turn',
        usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 },
      }),
    )
    const running = await run({
      ANTHROPIC_API_KEY: 'key-a',
      ANTHROPIC_BASE_URL: failing.url,
      GEMINI_API_KEY: 'key-g',
      GEMINI_BASE_URL: failing.url,
      AWS_BEARER_TOKEN_BEDROCK: 'key-b',
      BEDROCK_BASE_URL: aws.url,
    })
    const gateway = running.exports.gateway as Gateway
    const got = await ask(here, { fetch: gateway.fetch, model: 'sonnet' })
    expect(got).toMatchObject({ status: 200, text: 'From Bedrock.' })
    expect(failing.requests[0]?.json).toMatchObject({ model: 'claude-sonnet-4-20250514', max_tokens: 4096 })
    expect(failing.requests[0]?.headers['x-api-key']).toBe('key-a')
    expect(aws.requests[0]?.path).toBe('/model/us.anthropic.claude-sonnet-4-20250514-v1%3A0/converse')
    expect(aws.requests[0]?.headers.authorization).toBe('Bearer key-b')
    await gateway.close()
    await Promise.all([failing.close(), aws.close()])
  },

  speaks: async ({ run }) => {
    const { exports } = await run({ ACME_BASE_URL: 'https://own.example/v1' })
    const { acme, local, translated } = exports as Readonly<Record<string, providers.ProviderInstance>>
    expect([acme, local, translated].map(made => made?.provider.speaks)).toEqual([
      ['messages'],
      ['messages'],
      undefined,
    ])
    const { url, body, headers } = await acme!.provider.encodeNative!(nativeCall())
    expect(url).toBe('https://own.example/anthropic/v1/messages')
    expect(body).toBe('{"model":"acme-1","messages":[],"n": 1.0}')
    expect(headers.authorization).toBe('Bearer the-key')
  },

  'reasoning-api': async ({ run }) => {
    const { exports } = await run()
    const { chat, ours, target } = exports as {
      chat: providers.ProviderInstance
      ours: providers.ProviderInstance
      target: Target
    }
    const urlOf = async ({ provider, ...rest }: Target) => {
      const input = { model: 'public', messages: [{ role: 'user' as const, content: 'Hi' }] }
      return (await provider.encode({ input, ...rest })).url
    }
    expect(await Promise.all([chat('gpt-5'), ours('gpt-5'), ours('gpt-4o'), target].map(urlOf))).toEqual([
      'https://api.openai.com/v1/chat/completions',
      'https://ours.openai.azure.com/openai/v1/responses',
      'https://ours.openai.azure.com/openai/v1/chat/completions',
      'https://llm.acme.example/v1/responses',
    ])
  },

  embeddings: async ({ run }) => {
    const acme = (await run()).exports.acme as providers.ProviderInstance
    const parts = {
      inputs: ['a'],
      encoding: 'base64',
      dimensions: 8,
      extra: { input_type: 'query', other: 1 },
    } as const
    const { body, adjustments } = await encodedEmbeddings(acme('acme-embed-2'), parts)
    expect(body).toEqual({
      model: 'acme-embed-2',
      input: ['a'],
      encoding_format: 'base64',
      output_dimension: 8,
      input_type: 'query',
    })
    expect(adjustments).toMatchObject([{ parameter: 'other', action: 'dropped' }])
    expect(acme.provider.embed?.maxInputs).toBe(128)
    await expect(encodedEmbeddings(acme('acme-embed-1b'), parts)).rejects.toMatchObject({
      param: 'dimensions',
    })
    const tokens = encodedEmbeddings(acme('acme-embed-2'), { inputs: [[1]] })
    await expect(tokens).rejects.toMatchObject({ param: 'input' })
  },
})

describePage('docs/writing-a-provider.md', {
  native: async ({ run }) => {
    const { exports } = await run({ ACME_KEY: 'the-key' })
    const encode = exports.encodeNative as (call: NativeCall) => EncodedRequest
    const { body, headers } = encode({ ...nativeCall(), edits: [{ path: ['n'], value: 2 }] })
    expect(body).toBe('{"model":"acme-1","messages":[],"n": 2}')
    expect(headers['x-acme-key']).toBe('the-key')
  },

  turns: async ({ run }) => {
    const acmeTurns = (await run()).exports.acmeTurns as (call: Call) => object[]
    const callWith = (url: string): Call => ({
      model: 'acme-2',
      input: {
        model: 'm',
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url } }] },
          {
            role: 'assistant',
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{' } }],
          },
          { role: 'tool', tool_call_id: 'a', content: 'done' },
        ],
      },
    })
    const image = 'data:image/png;base64,AQID'
    expect(acmeTurns(callWith(image))).toEqual([
      { who: 'user', say: [{ image }] },
      { who: 'assistant', say: [{ call: 'a', name: 'f', arguments: '{' }] },
      { who: 'tool', say: [{ result: 'a', failed: false, say: [{ text: 'done' }] }] },
    ])
    expect(() => acmeTurns(callWith('https://there.test/a'))).toThrow(
      expect.objectContaining({ status: 400, param: 'messages[0].content[0].image_url.url' }),
    )
  },

  acme: async snippet => {
    expect(snippet.code.trim().split('\n').length).toBeLessThan(70)
    const { upstream, gateway } = await acmeBy(
      snippet,
      steps.reply({ text: 'Hello.', end: 'done', tokens: { in: 3, out: 2 } }),
      steps.stream(events({ text: 'Hel' }, { text: 'lo.' }, { end: 'cut', tokens: { in: 3, out: 2 } })),
      steps.reply({ problem: 'too many' }, { status: 429 }),
      steps.reply('<html>'),
      steps.stream(events({ text: 'Hel' })),
    )
    const { fetch } = gateway
    const whole = await fetch(`${here}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
      body: '{"model":"demo","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}',
    })
    expect(await whole.json()).toMatchObject({
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    })
    expect(upstream.requests[0]?.path).toBe('/generate')
    expect(upstream.requests[0]?.headers['x-acme-key']).toBe('the key')
    expect(upstream.requests[0]?.json).toEqual({
      model: 'acme-1',
      stream: false,
      length: 9,
      turns: [{ who: 'user', say: 'Hi' }],
    })
    expect(await ask(here, { stream: true, fetch })).toMatchObject({ status: 200, text: 'Hello.' })
    expect(await ask(here, { fetch })).toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
    expect(await ask(here, { fetch })).toMatchObject({ status: 502, code: 'bad_gateway' })
    await expect(ask(here, { stream: true, fetch })).rejects.toThrow(/no end mark.*bad_gateway/s)
    const post = (body: object) =>
      fetch(`${here}/chat/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Hi' }], ...body }),
      })
    const told = await post({ seed: 7, stream: true, stream_options: { include_usage: true } })
    expect(told.headers.get('x-sluice-adjustments')).toBe('"seed";action=dropped')
    await told.text()
    const lacking = await post({ seed: 7, logprobs: true })
    expect(lacking.status).toBe(400)
    expect(await lacking.json()).toMatchObject({
      error: { code: 'unsupported_parameter', param: 'logprobs' },
    })
    const parts = await fetch(`${here}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
      body: '{"model":"demo","messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]}',
    })
    expect(await parts.json()).toMatchObject({
      error: { code: 'unsupported_value', param: 'messages[0].content' },
    })
    await gateway.close()
    await upstream.close()
  },

  embed: async snippet => {
    const acmeEmbeddings = (await snippet.run()).exports.acmeEmbeddings as (options: object) => EmbedCodec
    const embed = acmeEmbeddings({ apiKey: 'the key', baseURL: 'https://acme.example' })
    const provider = { name: 'acme', embed } as Provider
    const target = { provider, model: 'acme-e' }
    const { url, body, adjustments } = await encodedEmbeddings(target, {
      inputs: ['a', 'b'],
      dimensions: 2,
      user: 'ann',
      extra: { input_type: 'query' },
    })
    expect([url, body]).toEqual([
      'https://acme.example/embed',
      { model: 'acme-e', texts: ['a', 'b'], length: 2, format: 'base64' },
    ])
    expect(adjustments.map(({ parameter }) => parameter)).toEqual(['user', 'input_type'])
    await expect(encodedEmbeddings(target, { inputs: [[1]] })).rejects.toMatchObject({ status: 400 })
    const vectors = ['AAAAPw==']
    expect(await decodedEmbeddings(target, { json: { vectors, tokens: 3 } })).toEqual({
      vectors: [{ kind: 'base64', text: 'AAAAPw==' }],
      promptTokens: 3,
    })
    for (const answer of [{ json: { vectors } }, { body: '<html>' }]) {
      const reply = decodedEmbeddings(target, answer, { inputs: ['a', 'b'] })
      await expect(reply).rejects.toMatchObject({ kind: 'garbled' })
    }
    const refused = decodedEmbeddings(target, { status: 429, body: 'Slow down.' })
    await expect(refused).rejects.toMatchObject({ kind: 'refused', status: 429, vendorMessage: 'Slow down.' })
  },

  conformance: async ({ run }, others) => {
    const acme = others('acme').code
    const { printed } = await run({}, code => acme + code.replace("import { acme } from './acme.ts'\n", ''))
    expect(printed.length).toBeGreaterThan(20)
    expect(printed.every(line => line.startsWith('passed: '))).toBe(true)
  },
})

/** The vendors' libraries, as far as the page uses them. */
const standIns = `
const fromNodeProviderChain = () => async () => ({ accessKeyId: 'AKID', secretAccessKey: 's', sessionToken: 'from-aws' })
class DefaultAzureCredential {}
const getBearerTokenProvider = (_credential: unknown, scope: string) => async () => 'from-entra-' + new URL(scope).host
class GoogleAuth { async getAccessToken(): Promise<string | null | undefined> { return 'from-google' } }
`

it('shows how the libraries of the vendors give tokens', async () => {
  const fence = fencesOf(page).find(({ name }) => name === 'tokens')!
  const libraries = /^import .* from '(?:google-auth-library|@azure\/identity|@aws-sdk\/.*)'\n/gm
  const running = await runSnippet(standIns + fence.code.replaceAll(libraries, ''))
  const headersOf = async (name: string) => {
    const { provider, model } = (running.exports[name] as (model: string) => Target)('m')
    return (await provider.encode({ input: hello, model })).headers
  }
  expect(await headersOf('google')).toMatchObject({ authorization: 'Bearer from-google' })
  expect(await headersOf('microsoft')).toMatchObject({
    authorization: 'Bearer from-entra-cognitiveservices.azure.com',
  })
  expect(await headersOf('amazon')).toMatchObject({ 'x-amz-security-token': 'from-aws' })
  await running.stop()
})

it('counts the providers on pages as there are, without local()', () => {
  const isProvider = (name: string) => !/codeChat|^presets$|^allR|^openaiCompatible$|^local$/.test(name)
  const count = Object.keys(providers).filter(isProvider).length
  for (const [file, text] of [
    ['README.md', `| ${count}, and any OpenAI-compatible server |`],
    ['docs/features.md', `[${count} providers](providers.md)`],
    ['docs/coming-from.md', `there are [${count}](providers.md)`],
  ] as const)
    expect(readPage(file), file).toContain(text)
})

it('lists the presets as they are', () => {
  const rows = tableUnder(page, '## Built-in providers').map(row => row.map(cell => cell.replaceAll('`', '')))
  const known = Object.values(providers.presets).map(({ name, baseURL }) => [name, baseURL])
  expect(rows.map(([name, baseURL]) => [name, baseURL]).sort()).toEqual(
    [['openai', 'https://api.openai.com/v1'], ...known].sort(),
  )
  for (const [name = '', , key] of rows) {
    const make = new Map<string, unknown>(Object.entries(providers)).get(name) as (options: object) => unknown
    if (key !== 'none')
      expect(() => make({}), name).toThrow(`environment variable ${key!.replaceAll('`', '')}`)
    else expect(make({}), name).toBeTypeOf('function')
  }
})

/** Options that are enough for each vendor. */
const enough: Readonly<Record<string, object>> = {
  azure: { resource: 'ours', apiKey: 'k' },
  bedrock: { region: 'us-east-1', bearerToken: 't' },
  cloudflare: { accountId: 'a', apiKey: 'k' },
  databricks: { host: 'w.databricks.test', apiKey: 'k' },
  local: {},
  openaiCompatible: { name: 'acme', baseURL: 'https://there.test/v1' },
  vertex: { project: 'p', location: 'global', token: 't' },
}

function vendorOf(name: string): providers.ProviderInstance {
  const make = new Map<string, unknown>(Object.entries(providers)).get(name) as (
    options: object,
  ) => providers.ProviderInstance
  return make(enough[name] ?? { apiKey: 'k' })
}

it('says truly which vendors embed, and how', async () => {
  const rows = tableUnder(page, '## Embeddings')
  const seen = new Set<string>()
  for (const [names = '', models = '', inputs = '', dimensions = '', tokens] of rows) {
    for (const name of names.match(/(?<=`)\w+(?=`)/g) ?? []) {
      seen.add(name)
      const vendor = vendorOf(name)
      const given = models.match(/(?<=`)[^`, ]+(?=`)/g) ?? ['some-model']
      for (const target of given.map(model => vendor(model))) {
        const { maxInputs } = target.provider.embed!
        const most = typeof maxInputs === 'function' ? maxInputs(target.model) : maxInputs
        expect(most === undefined ? 'no maximum' : `${most}`, `${name} ${target.model}`).toBe(inputs)
        const field = /^`(\w+)`/.exec(dimensions)?.[1]
        const sized = encodedEmbeddings(target, { dimensions: 8 })
        if (field === undefined) await expect(sized).rejects.toMatchObject({ param: 'dimensions' })
        else expect(JSON.stringify((await sized).body)).toContain(`"${field}":8`)
        const counted = encodedEmbeddings(target, { inputs: [[1]] })
        if (tokens === 'yes') expect((await counted).body.input).toEqual([[1]])
        else await expect(counted).rejects.toMatchObject({ param: 'input' })
      }
    }
  }
  const others = Object.keys(providers).filter(
    name => !seen.has(name) && !/codeChat|^presets$|^allR/.test(name),
  )
  for (const name of others) expect(vendorOf(name).provider.embed, name).toBeUndefined()
  const text = readFileSync(new URL('../../docs/providers.md', import.meta.url), 'utf8')
  const without = /\n(`anthropic`.*) have no embeddings\./.exec(text)?.[1]?.match(/\w+(?=`)/g)
  expect(without?.toSorted()).toEqual(others.toSorted())
})

const there = 'https://there.test'
const hello = { model: 'public', messages: [{ role: 'user' as const, content: 'Hello' }] }
const placed: Readonly<Record<string, (baseURL: string) => Target>> = {
  openai: baseURL => providers.openai({ apiKey: 'k', baseURL })('gpt-4o'),
  openaiCompatible: baseURL => providers.openaiCompatible({ name: 'acme', baseURL })('m'),
  anthropic: baseURL => providers.anthropic({ apiKey: 'k', baseURL })('claude-sonnet-4-20250514'),
  gemini: baseURL => providers.gemini({ apiKey: 'k', baseURL })('gemini-2.5-flash'),
  vertex: baseURL =>
    providers.vertex({ project: 'p', location: 'global', token: 't', baseURL })('gemini-2.5-flash'),
  bedrock: baseURL =>
    providers.bedrock({ region: 'us-east-1', bearerToken: 't', baseURL })('us.amazon.nova-lite-v1:0'),
  azure: baseURL => providers.azure({ apiKey: 'k', baseURL })('ours'),
}

it('says truly what is added to a baseURL', async () => {
  const rows = tableUnder(page, '### Base URLs')
  const seen: string[] = []
  for (const [names = '', added = '', pathless = ''] of rows) {
    for (const name of names.match(/(?<=`)\w+(?=`)/g) ?? []) {
      seen.push(name)
      const urlAt = async (baseURL: string) => {
        const { provider, model } = placed[name]!(baseURL)
        return (await provider.encode({ input: hello, model })).url
      }
      const path = added.replaceAll('`', '').replace('...', '')
      const version = /^gets `(.+)`$/.exec(pathless)?.[1] ?? ''
      expect((await urlAt(there)).startsWith(`${there}${version}${path}`), name).toBe(true)
      expect((await urlAt(`${there}/a/`)).startsWith(`${there}/a${path}`), name).toBe(true)
    }
  }
  expect(seen).toEqual(Object.keys(placed))
})
