import { GatewayError } from '@sluice/core'
import type { Call, ChatRequest } from '@sluice/core/provider'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openai } from './openai.ts'
import type { ProviderInstance } from './openai-compatible.ts'
import { type OpenAICompatibleOptions, openaiCompatible } from './openai-compatible.ts'
import {
  alibaba,
  cerebras,
  cloudflare,
  databricks,
  deepseek,
  fireworks,
  github,
  groq,
  type HostedOptions,
  huggingface,
  llamacpp,
  lmstudio,
  mistral,
  moonshot,
  nebius,
  nvidia,
  ollama,
  openrouter,
  perplexity,
  presets,
  together,
  vllm,
  xai,
  zai,
} from './presets.ts'

const messages: ChatRequest['messages'] = [{ role: 'user', content: 'Hello' }]
const acme = (more: Partial<OpenAICompatibleOptions> = {}) =>
  openaiCompatible({ name: 'acme', baseURL: 'https://llm.acme.example/v1', ...more })

async function encoded(vendor: ProviderInstance, input: Partial<ChatRequest> = {}, model = 'their-model') {
  const { provider, ...target } = vendor(model)
  const call: Call = { input: { model: 'public', messages, ...input }, ...target }
  const request = await provider.encode(call)
  return { ...request, body: JSON.parse(String(request.body)) as Record<string, unknown> }
}

async function refusalOf(vendor: ProviderInstance, input: Partial<ChatRequest>): Promise<GatewayError> {
  const failure = await encoded(vendor, input).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!GatewayError.is(failure)) throw new Error(`no refusal: ${failure}`)
  return failure
}

describe('the request', () => {
  it("is the caller's, under the upstream's name for the model, with headers made from nothing", async () => {
    const request = await encoded(acme({ apiKey: 'key', headers: { 'X-Team': 'a' } }), {
      temperature: 0.5,
      made_up: { a: [1] },
    })
    expect(request).toEqual({
      method: 'POST',
      url: 'https://llm.acme.example/v1/chat/completions',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'accept-encoding': 'identity',
        authorization: 'Bearer key',
        'x-team': 'a',
      },
      body: { model: 'their-model', messages, temperature: 0.5, made_up: { a: [1] } },
    })
  })

  it('always asks a stream for its counts', async () => {
    const request = await encoded(acme(), { stream: true })
    expect(request.headers).toEqual({
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'accept-encoding': 'identity',
    })
    expect(request.body).toMatchObject({ stream: true, stream_options: { include_usage: true } })
    const refused = await encoded(acme(), {
      stream: true,
      stream_options: { include_usage: false, include_obfuscation: false },
    })
    expect(refused.body.stream_options).toEqual({ include_usage: true, include_obfuscation: false })
  })

  it('has no stream_options without a stream, or where the vendor rejects them', async () => {
    expect((await encoded(acme(), { stream_options: { include_usage: true } })).body).not.toHaveProperty(
      'stream_options',
    )
    expect((await encoded(acme({ streamOptions: false }), { stream: true })).body).toEqual({
      model: 'their-model',
      messages,
      stream: true,
    })
  })

  it.each<[string, ProviderInstance, string, Partial<ChatRequest>, object]>([
    ['older servers know max_tokens', acme(), 'm', { max_completion_tokens: 5 }, { max_tokens: 5 }],
    [
      'a reasoning model knows max_completion_tokens',
      openai({ apiKey: 'k' }),
      'o3-mini',
      { max_tokens: 5 },
      { max_completion_tokens: 5 },
    ],
    [
      'as does gpt-5',
      openai({ apiKey: 'k' }),
      'gpt-5.1-mini',
      { max_tokens: 5 },
      { max_completion_tokens: 5 },
    ],
    ['but not gpt-4o', openai({ apiKey: 'k' }), 'gpt-4o', { max_completion_tokens: 5 }, { max_tokens: 5 }],
    [
      'a vendor may fix it',
      acme({ maxTokensParameter: 'max_completion_tokens' }),
      'm',
      { max_tokens: 5 },
      { max_completion_tokens: 5 },
    ],
    [
      'the same bound twice is one',
      acme(),
      'm',
      { max_tokens: 5, max_completion_tokens: 5 },
      { max_tokens: 5 },
    ],
  ])('bounds the answer under one name: %s', async (_name, vendor, model, input, expected) => {
    const { max_tokens, max_completion_tokens } = (await encoded(vendor, input, model)).body
    expect(JSON.parse(JSON.stringify({ max_tokens, max_completion_tokens }))).toEqual(expected)
  })

  it('refuses two different bounds', async () => {
    expect(await refusalOf(acme(), { max_tokens: 5, max_completion_tokens: 6 })).toMatchObject({
      status: 400,
      code: 'invalid_parameter_combination',
      param: 'max_tokens',
    })
  })

  it.each<[ProviderInstance, Partial<ChatRequest>, string]>([
    [groq({ apiKey: 'k' }), { n: 2 }, 'n'],
    [groq({ apiKey: 'k' }), { logprobs: true }, 'logprobs'],
    [groq({ apiKey: 'k' }), { logit_bias: { 1: 2 } }, 'logit_bias'],
    [
      groq({ apiKey: 'k' }),
      {
        messages: [
          { role: 'system', content: 'a' },
          { role: 'user', content: 'b', name: 'Ann' },
        ],
      },
      'messages[1].name',
    ],
    [mistral({ apiKey: 'k' }), { logprobs: true }, 'logprobs'],
    [cerebras({ apiKey: 'k' }), { presence_penalty: 1 }, 'presence_penalty'],
    [ollama(), { n: 3 }, 'n'],
    [ollama(), { tool_choice: 'required' }, 'tool_choice'],
  ])('refuses what a vendor lacks and the answer depends on (%#)', async (vendor, input, param) => {
    const failure = await refusalOf(vendor, input)
    expect(failure).toMatchObject({ status: 400, code: 'unsupported_parameter', param })
    expect(failure.message).toContain(`'${param}'`)
  })

  it('leaves out what asks for nothing, and hints that a vendor rejects', async () => {
    const input = { n: 1, logprobs: false, logit_bias: {}, user: 'u', store: true, metadata: { a: 'b' } }
    expect((await encoded(groq({ apiKey: 'k' }), input)).body).toEqual({
      model: 'their-model',
      messages,
      user: 'u',
    })
    expect((await encoded(mistral({ apiKey: 'k' }), input)).body).toEqual({
      model: 'their-model',
      messages,
      n: 1,
    })
    expect((await encoded(acme(), input)).body).toEqual({ model: 'their-model', messages, ...input })
  })

  it("speaks Mistral's words", async () => {
    const call = (id: string) => ({ id, type: 'function' as const, function: { name: 'f', arguments: '{}' } })
    const { body } = await encoded(mistral({ apiKey: 'k' }), {
      seed: 7,
      tool_choice: 'required',
      max_completion_tokens: 9,
      messages: [
        { role: 'developer', content: 'a' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [call('call_00000aaaa'), call('abcDEF123'), call('c00000000')],
        },
        { role: 'tool', tool_call_id: 'abcDEF123', content: '2' },
        { role: 'tool', tool_call_id: 'call_00000aaaa', content: '1' },
        { role: 'tool', tool_call_id: 'c00000000', content: '3' },
      ],
    })
    expect(body).toEqual({
      model: 'their-model',
      random_seed: 7,
      tool_choice: 'any',
      max_tokens: 9,
      messages: [
        { role: 'system', content: 'a' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [call('c00000001'), call('abcDEF123'), call('c00000000')],
        },
        { role: 'tool', tool_call_id: 'abcDEF123', content: '2' },
        { role: 'tool', tool_call_id: 'c00000001', content: '1' },
        { role: 'tool', tool_call_id: 'c00000000', content: '3' },
      ],
    })
  })

  it('makes ids for however many calls a conversation has', async () => {
    const ids = Array.from({ length: 100_001 }, (_, at) => `foreign-${at}`)
    const tool_calls = ids.map(id => ({
      id,
      type: 'function' as const,
      function: { name: 'f', arguments: '{}' },
    }))
    const { body } = await encoded(mistral({ apiKey: 'k' }), {
      messages: [{ role: 'assistant', content: null, tool_calls }],
    })
    const [sent] = body.messages as { tool_calls: { id: string }[] }[]
    const made = new Set(sent!.tool_calls.map(({ id }) => id))
    expect(made.size).toBe(ids.length)
    expect([...made].every(id => /^[a-z0-9]{9}$/.test(id))).toBe(true)
  })

  it('sends a strict vendor nothing that an earlier answer carried beside its text and calls', async () => {
    const earlier = {
      role: 'assistant',
      content: 'a',
      refusal: null,
      annotations: [],
      reasoning_content: 'hm',
      tool_calls: [
        { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' }, extra_content: {} },
      ],
    } as unknown as ChatRequest['messages'][number]
    const { body } = await encoded(groq({ apiKey: 'k' }), { messages: [earlier] })
    expect(body.messages).toEqual([
      {
        role: 'assistant',
        content: 'a',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
    ])
    expect((await encoded(together({ apiKey: 'k' }), { messages: [earlier] })).body.messages).toEqual([
      earlier,
    ])
  })
})

describe('the configuration', () => {
  it.each<[string, Partial<OpenAICompatibleOptions>, RegExp]>([
    ['no name', { name: ' ' }, /name/],
    ['an empty key', { apiKey: '' }, /acme\(\): apiKey: got an empty string/],
    [
      'a key with a line break',
      { apiKey: 'secret\nkey' },
      /acme\(\): apiKey: got a string, expected one without/,
    ],
    [
      'a key with a space at its end',
      { apiKey: 'secret ' },
      /acme\(\): apiKey: got a string, expected one without/,
    ],
    ['an empty URL', { baseURL: '' }, /baseURL: got an empty string, expected a URL/],
    ['no URL', { baseURL: 'llm.acme.example/v1' }, /baseURL/],
    [
      'another scheme',
      { baseURL: 'ftp://llm.acme.example' },
      /baseURL: got a string, expected http or https/,
    ],
    ['credentials', { baseURL: 'https://user:secret@llm.acme.example' }, /expected no credentials/],
    ['a query', { baseURL: 'https://llm.acme.example/v1?key=secret' }, /expected no query/],
    ['an empty query', { baseURL: 'https://llm.acme.example/v1?' }, /expected no query/],
    ['a fragment', { baseURL: 'https://llm.acme.example/v1#secret' }, /expected no fragment/],
    ['the whole path', { baseURL: 'https://llm.acme.example/v1/chat/completions/' }, /path of the operation/],
    [
      'a header twice',
      { apiKey: 'secret', headers: { Authorization: 'secret' } },
      /headers\.A[a-z]*: got a string, expected each header once/,
    ],
    [
      'a header of the connection',
      { headers: { Host: 'secret' } },
      /headers\.Host: got a string, expected another header/,
    ],
    [
      'a bad header name',
      { headers: { 'a b': 'secret' } },
      /headers\['a b'\]: got a string, expected the name of a header/,
    ],
    [
      'a bad header value',
      { headers: { a: 'secret\r\nb: c' } },
      /headers\.a: got a string, expected a string without line breaks/,
    ],
    [
      'headers of another kind',
      { headers: new Headers({ a: 'secret' }) as never },
      /headers: got .*, expected an object/,
    ],
    ['no concurrency', { maxConcurrent: 0 }, /maxConcurrent: got 0, expected a whole number of 1 or more/],
    ['half a call', { maxConcurrent: 1.5 }, /maxConcurrent/],
  ])('is refused: %s', (_name, more, message) => {
    let failure: unknown
    try {
      acme(more)
    } catch (error) {
      failure = error
    }
    expect(failure).toBeInstanceOf(TypeError)
    expect(String(failure)).toMatch(message)
    expect(String(failure)).not.toContain('secret')
  })

  it('refuses a model without a name', () => {
    expect(() => acme()('')).toThrow(TypeError)
    expect(() => acme()(undefined as unknown as string)).toThrow(
      /model: got undefined, expected the provider's name for the model/,
    )
  })

  it('takes a base URL with a path and last slashes', async () => {
    expect((await encoded(acme({ baseURL: 'http://127.0.0.1:8000/a/v1//' }))).url).toBe(
      'http://127.0.0.1:8000/a/v1/chat/completions',
    )
  })

  it('gives every target of a vendor the same provider', () => {
    const vendor = acme({ maxConcurrent: 3 })
    expect(vendor('a').provider).toBe(vendor('b').provider)
    expect(vendor.provider).toMatchObject({ name: 'acme', maxConcurrent: 3 })
    expect(vendor('a')).toEqual({ provider: vendor.provider, model: 'a' })
    expect(vendor('a', { maxChoices: 1 }).capabilities).toEqual({ maxChoices: 1 })
  })
})

describe('openai', () => {
  it('sends the key, the organisation and the project', async () => {
    const request = await encoded(openai({ apiKey: 'k', organization: 'o', project: 'p' }))
    expect(request.url).toBe('https://api.openai.com/v1/chat/completions')
    expect(request.headers).toMatchObject({
      authorization: 'Bearer k',
      'openai-organization': 'o',
      'openai-project': 'p',
    })
  })

  it.each(['o1', 'o1-mini', 'o3', 'o4-mini-2025-04-16', 'gpt-5', 'gpt-5.1', 'gpt-5-nano', 'ft:o4-mini:acme'])(
    'knows that %s reasons',
    model => {
      expect(openai({ apiKey: 'k' })(model).capabilities).toEqual({ reasoning: true })
    },
  )

  it.each(['gpt-4o', 'gpt-4.1-mini', 'gpt-3.5-turbo', 'gpt-5-chat-latest', 'gpt-35-turbo', 'omni'])(
    'does not say so of %s',
    model => {
      expect(openai({ apiKey: 'k' })(model).capabilities).toBeUndefined()
    },
  )

  it('lets a target say otherwise', () => {
    expect(openai({ apiKey: 'k' })('o9', { reasoning: false, maxChoices: 1 }).capabilities).toEqual({
      reasoning: false,
      maxChoices: 1,
    })
  })

  it('refuses a missing or empty key', () => {
    expect(() => openai({ apiKey: undefined as unknown as string })).toThrow(
      /openai\(\): apiKey: got undefined/,
    )
    expect(() => openai({ apiKey: '' })).toThrow(/openai\(\): apiKey: got an empty string/)
  })
})

describe('presets', () => {
  const hosted = {
    ...{ groq, mistral, deepseek, xai, openrouter, together, fireworks, cerebras, perplexity },
    ...{ huggingface, nvidia, nebius, moonshot, zai, alibaba, github },
  }
  const ofAccounts = {
    cloudflare: (options?: HostedOptions) =>
      cloudflare({ ...options, ...(options?.baseURL === undefined && { accountId: 'ACCOUNT_ID' }) }),
    databricks: (options?: HostedOptions) =>
      databricks({ ...options, ...(options?.baseURL === undefined && { host: 'host.example' }) }),
  }
  const own = { ollama, vllm, llamacpp, lmstudio }
  const all = Object.entries({ ...hosted, ...ofAccounts, ...own })

  it('each has its function', () => {
    // That of Cohere does more than its preset.
    expect([...all.map(([name]) => name), 'cohere'].sort()).toEqual(Object.keys(presets).sort())
  })

  it.each(all)('%s works as it stands', async (name, vendorOf) => {
    const vendor = vendorOf({ apiKey: 'k', headers: { 'x-a': 'b' }, maxConcurrent: 2 })
    expect(vendor.provider).toMatchObject({ name, maxConcurrent: 2 })
    const request = await encoded(vendor, { stream: true })
    const { baseURL } = presets[name as keyof typeof presets]
    expect(request.url).toBe(`${baseURL.replace('HOST', 'host.example')}/chat/completions`)
    expect(request.headers).toMatchObject({ authorization: 'Bearer k', 'x-a': 'b' })
    const moved = vendorOf({ apiKey: 'k', baseURL: 'http://127.0.0.1:1/x' })
    expect((await encoded(moved)).url).toBe('http://127.0.0.1:1/x/chat/completions')
  })

  it.each(Object.entries(hosted))('%s is hosted: it asks for a key', (name, vendorOf) => {
    vi.stubEnv('GITHUB_TOKEN', undefined)
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(() => vendorOf({} as { apiKey: string })).toThrow(`${name}(): apiKey: got undefined`)
    expect(() => vendorOf({ apiKey: '' })).toThrow(`${name}(): apiKey: got an empty string`)
  })

  it('take the part of an account from an option or the environment', async () => {
    vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', 'acc')
    vi.stubEnv('DATABRICKS_HOST', 'https://w.cloud.databricks.com/')
    onTestFinished(() => void vi.unstubAllEnvs())
    const url = async (vendor: ProviderInstance) => (await encoded(vendor)).url
    expect(await url(cloudflare({ apiKey: 'k' }))).toContain('/accounts/acc/ai/v1/chat/completions')
    expect(await url(cloudflare({ apiKey: 'k', accountId: 'mine' }))).toContain('/accounts/mine/ai/')
    expect(await url(databricks({ apiKey: 'k' }))).toBe(
      'https://w.cloud.databricks.com/serving-endpoints/chat/completions',
    )
  })

  it.each<[string, () => unknown, RegExp]>([
    ['no account', () => cloudflare({ apiKey: 'k' }), /^cloudflare\(\): accountId: .*CLOUDFLARE_ACCOUNT_ID/],
    ['a path as account', () => cloudflare({ apiKey: 'k', accountId: 'a/../b' }), /accountId/],
    ['no host', () => databricks({ apiKey: 'k' }), /^databricks\(\): host: .*DATABRICKS_HOST/],
    ['a host without TLS', () => databricks({ apiKey: 'k', host: 'http://w.databricks.com' }), /host/],
    ['a host with a path', () => databricks({ apiKey: 'k', host: 'w.databricks.com/x' }), /host/],
    ['a host and a URL', () => databricks({ apiKey: 'k', host: 'w.x', baseURL: 'https://y.z/' }), /baseURL/],
  ])('refuse %s', (_, make, message) => {
    expect(make).toThrow(message)
  })

  it.each(Object.entries(own))('%s is your own: it asks for none', async (name, vendorOf) => {
    expect(vendorOf().provider.name).toBe(name)
    expect((await encoded(vendorOf())).headers).not.toHaveProperty('authorization')
  })
})

describe('options that are refused', () => {
  const given = openai as (options?: object) => ProviderInstance
  it.each<[string, () => unknown, RegExp]>([
    ['no object', () => given(7 as never), /^openai\(\): got 7, expected an object of options/],
    [
      'no key',
      () => given({}),
      /^openai\(\): apiKey: got undefined, expected a key, here or in the environment variable OPENAI_API_KEY/,
    ],
    [
      'a base URL that is misspelt, for the key would go to the default host',
      () => given({ apiKey: 'k', baseUrl: 'https://llm.acme.example/v1' }),
      /^openai\(\): baseUrl: got a string, expected no such option. Did you mean 'baseURL'/,
    ],
    [
      'the same of a preset',
      () => groq({ apiKey: 'k', baseUrl: 'https://llm.acme.example/v1' } as never),
      /^groq\(\): baseUrl: got a string, expected no such option/,
    ],
    [
      'and of a server of your own',
      () => ollama({ baseUrl: 'x' } as never),
      /^ollama\(\): baseUrl: got a string, expected no such option/,
    ],
    [
      'a misspelt option',
      () => acme({ maxTokenParameter: 'x' } as never),
      /maxTokenParameter: got a string, expected no such option. Did you mean 'maxTokensParameter'/,
    ],
    [
      'an unknown name for the bound',
      () => acme({ maxTokensParameter: 'tokens' as never }),
      /^acme: got maxTokensParameter "tokens", expected 'max_tokens' or 'max_completion_tokens' or 'by-model'/,
    ],
    [
      'a flag that is a text',
      () => acme({ streamOptions: 'no' as never }),
      /got streamOptions "no", expected true or false/,
    ],
    [
      'a list that is a text',
      () => acme({ drop: 'user' as never }),
      /got drop "user", expected an array of field names/,
    ],
    ['a list of other things', () => acme({ refuse: [1] as never }), /got refuse object, expected an array/],
    [
      'new names that are none',
      () => acme({ rename: { seed: 1 } as never }),
      /got rename object, expected an object/,
    ],
    ['an unknown role', () => acme({ developerRole: 'user' as never }), /got developerRole "user", expected/],
    ['unknown ids', () => acme({ toolCallIds: 'nine' as never }), /got toolCallIds "nine", expected/],
  ])('%s', (_name, make, message) => {
    expect(make).toThrow(TypeError)
    expect(make).toThrow(message)
  })

  it('takes every preset as it is', () => {
    for (const preset of Object.values(presets)) {
      expect(openaiCompatible({ ...preset, apiKey: 'k' }).provider.name).toBe(preset.name)
    }
  })
})
