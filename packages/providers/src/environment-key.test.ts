import { ConfigurationError } from '@sluice/core'
import type { Call, Target } from '@sluice/core/provider'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  alibaba,
  anthropic,
  azure,
  bedrock,
  cerebras,
  cloudflare,
  databricks,
  deepseek,
  fireworks,
  gemini,
  github,
  groq,
  huggingface,
  mistral,
  moonshot,
  nebius,
  nvidia,
  ollama,
  openai,
  openaiCompatible,
  openrouter,
  perplexity,
  presets,
  together,
  vllm,
  xai,
  zai,
} from './index.ts'

const variables = [
  ...['HF_TOKEN', 'GITHUB_TOKEN', 'CLOUDFLARE_API_TOKEN', 'DATABRICKS_TOKEN'],
  ...[
    ...['OPENAI', 'ANTHROPIC', 'GEMINI', 'GOOGLE', 'AZURE_OPENAI', 'GROQ', 'MISTRAL', 'DEEPSEEK', 'XAI'],
    ...['OPENROUTER', 'TOGETHER', 'FIREWORKS', 'CEREBRAS', 'PERPLEXITY'],
    ...['NVIDIA', 'NEBIUS', 'MOONSHOT', 'ZAI', 'DASHSCOPE'],
  ].map(name => `${name}_API_KEY`),
]
const ofAws = [
  ...['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_BEARER_TOKEN_BEDROCK'],
  ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'],
]

beforeEach(() => {
  for (const name of [...variables, ...ofAws]) vi.stubEnv(name, undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
})

/** The headers of a call. */
async function headersOf({ provider, ...target }: Target) {
  const call: Call = { input: { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }, ...target }
  return (await provider.encode(call)).headers
}

function issueOf(make: () => unknown) {
  try {
    make()
  } catch (error) {
    if (ConfigurationError.is(error)) return { ...error.issues[0], message: error.message }
    throw error
  }
  throw new Error('nothing was thrown')
}

const bearers: readonly (readonly [variable: string, make: (options?: { apiKey?: string }) => Target])[] = [
  ['OPENAI_API_KEY', options => openai(options)('m')],
  ['GROQ_API_KEY', options => groq(options)('m')],
  ['MISTRAL_API_KEY', options => mistral(options)('m')],
  ['DEEPSEEK_API_KEY', options => deepseek(options)('m')],
  ['XAI_API_KEY', options => xai(options)('m')],
  ['OPENROUTER_API_KEY', options => openrouter(options)('m')],
  ['TOGETHER_API_KEY', options => together(options)('m')],
  ['FIREWORKS_API_KEY', options => fireworks(options)('m')],
  ['CEREBRAS_API_KEY', options => cerebras(options)('m')],
  ['PERPLEXITY_API_KEY', options => perplexity(options)('m')],
  ['HF_TOKEN', options => huggingface(options)('m')],
  ['NVIDIA_API_KEY', options => nvidia(options)('m')],
  ['NEBIUS_API_KEY', options => nebius(options)('m')],
  ['MOONSHOT_API_KEY', options => moonshot(options)('m')],
  ['ZAI_API_KEY', options => zai(options)('m')],
  ['DASHSCOPE_API_KEY', options => alibaba(options)('m')],
  ['GITHUB_TOKEN', options => github(options)('m')],
  ['CLOUDFLARE_API_TOKEN', options => cloudflare({ accountId: 'a', ...options })('m')],
  ['DATABRICKS_TOKEN', options => databricks({ host: 'w.databricks.test', ...options })('m')],
]
const keyed: readonly (readonly [
  variable: string,
  header: string,
  make: (options?: { apiKey?: string }) => Target,
])[] = [
  ...bearers.map(([variable, make]) => [variable, 'authorization', make] as const),
  ['ANTHROPIC_API_KEY', 'x-api-key', options => anthropic(options)('m')],
  ['GEMINI_API_KEY', 'x-goog-api-key', options => gemini(options)('m')],
  ['AZURE_OPENAI_API_KEY', 'api-key', options => azure({ resource: 'r', ...options })('m')],
]

describe.each(keyed)('without a key in the code, %s', (variable, header, make) => {
  it('is read from the environment', async () => {
    for (const name of variables) vi.stubEnv(name, `of-${name}`)
    vi.stubEnv('GOOGLE_API_KEY', undefined)
    const own = { [header]: expect.stringMatching(new RegExp(`^(?:Bearer )?of-${variable}$`)) }
    expect(await headersOf(make())).toMatchObject(own)
    expect(await headersOf(make({ apiKey: undefined } as never))).toMatchObject(own)
  })

  it('gives way to a key in the code', async () => {
    vi.stubEnv(variable, 'of-environment')
    const headers = await headersOf(make({ apiKey: 'of-code' }))
    expect(headers[header]).toMatch(/of-code$/)
  })

  it.each([undefined, '', ' '])('is named where it is not set (%j)', value => {
    vi.stubEnv(variable, value)
    const issue = issueOf(() => make())
    expect(issue.path).toEqual(['apiKey'])
    expect(issue.message).toContain(variable)
  })

  it('does not stand in for a key that is empty', () => {
    vi.stubEnv(variable, 'of-environment')
    const issue = issueOf(() => make({ apiKey: '' }))
    expect(issue).toMatchObject({ path: ['apiKey'], received: 'an empty string' })
    expect(issue.message).not.toContain('of-environment')
  })

  it('is named, and nothing else thrown, on a runtime without a process', () => {
    const denied = new Proxy(
      {},
      {
        get: () => {
          throw new Error('denied')
        },
      },
    )
    for (const process of [undefined, { env: denied }]) {
      vi.stubGlobal('process', process)
      const issue = issueOf(() => make())
      // At once: what runs the tests needs it too.
      vi.unstubAllGlobals()
      expect(issue.message).toContain(variable)
    }
  })
})

it("Google's other variable goes first, as its own library has it", async () => {
  vi.stubEnv('GEMINI_API_KEY', 'second')
  vi.stubEnv('GOOGLE_API_KEY', 'first')
  expect(await headersOf(gemini()('gemini-2.5-flash'))).toMatchObject({ 'x-goog-api-key': 'first' })
})

it('a token for Azure is not joined by a key from the environment', async () => {
  vi.stubEnv('AZURE_OPENAI_API_KEY', 'of-environment')
  const headers = await headersOf(azure({ resource: 'r', token: 'entra' })('m'))
  expect(headers).toMatchObject({ authorization: 'Bearer entra' })
  expect(headers).not.toHaveProperty('api-key')
})

describe('Bedrock', () => {
  it('takes its region and its credentials from the environment, a token first', async () => {
    vi.stubEnv('AWS_DEFAULT_REGION', 'eu-west-1')
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAEXAMPLE')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
    vi.stubEnv('AWS_SESSION_TOKEN', 'session')
    expect(await headersOf(bedrock()('amazon.nova-lite-v1:0'))).toMatchObject({
      authorization: expect.stringContaining('Credential=AKIAEXAMPLE/'),
      'x-amz-security-token': 'session',
    })
    vi.stubEnv('AWS_BEARER_TOKEN_BEDROCK', 'token')
    vi.stubEnv('AWS_REGION', 'us-east-1')
    expect(await headersOf(bedrock()('m'))).toMatchObject({ authorization: 'Bearer token' })
    const credentials = { accessKeyId: 'AKIACODE', secretAccessKey: 'secret' }
    const headers = await headersOf(bedrock({ credentials })('m'))
    expect(headers.authorization).toMatch(/Credential=AKIACODE\/\d+\/us-east-1\//)
    expect(headers).not.toHaveProperty('x-amz-security-token')
  })

  it('names the variables that are not set', () => {
    expect(issueOf(() => bedrock()).message).toContain('AWS_REGION')
    vi.stubEnv('AWS_REGION', 'us-east-1')
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAEXAMPLE')
    const { message } = issueOf(() => bedrock())
    expect(message).toMatch(/AWS_BEARER_TOKEN_BEDROCK or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/)
  })
})

it('no key of a vendor reaches a server of your own', async () => {
  for (const name of variables) vi.stubEnv(name, `of-${name}`)
  const baseURL = 'https://llm.acme.example/v1'
  const own = [
    openaiCompatible({ name: 'acme', baseURL }),
    openaiCompatible({ name: 'openai', baseURL }),
    openaiCompatible({ ...presets.groq, baseURL }),
    ollama(),
    vllm({ baseURL }),
  ]
  for (const vendor of own) expect(JSON.stringify(await headersOf(vendor('m')))).not.toContain('of-')
})
