import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import { startUpstream, steps, type Upstream } from '@sluice/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse, stringify } from 'yaml'
import type { Config } from '../config/config.ts'
import { loadConfig } from '../config/load-config.ts'
import { startService } from '../service/start-service.ts'

const folder = join(import.meta.dirname, 'fixtures')
const configs = ['litellm', 'portkey'].flatMap(source =>
  readdirSync(join(folder, source, 'expected'))
    .filter(file => extname(file) === '.yaml')
    .map(file => [source, basename(file, '.yaml')] as const),
)

const expectedConfig = (source: string, name: string): Config =>
  parse(readFileSync(join(folder, source, 'expected', `${name}.yaml`), 'utf8'))

/** A value of its sort for each variable that a text names. */
function environmentOf(text: string): Record<string, string> {
  const values: readonly (readonly [RegExp, string])[] = [
    [/DATABASE_URL/, 'postgres://sluice@127.0.0.1:1/sluice'],
    [/REDIS_URL/, 'redis://127.0.0.1:1'],
    [/REDIS_HOST/, '127.0.0.1'],
    [/_URL|_BASE$/, 'http://127.0.0.1:1/v1'],
    [/REGION/, 'us-east-1'],
  ]
  const names = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name)
  return Object.fromEntries(
    names.map(name => [name, values.find(([pattern]) => pattern.test(name))?.[1] ?? `value-of-${name}`]),
  )
}

async function load(config: Config) {
  const cwd = mkdtempSync(join(tmpdir(), 'sluice-imported-'))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  const text = stringify(config)
  writeFileSync(join(cwd, 'sluice.config.yaml'), text)
  const env = environmentOf(text)
  return { ...(await loadConfig(undefined, { cwd, env })), cwd, env }
}

it.each(configs)('what came of %s %s is valid', async (source, name) => {
  const { config } = await load(expectedConfig(source, name))
  expect(Object.keys(config.models).length).toBeGreaterThan(0)
})

/** Serves what came of a fixture, with every vendor's address in the hands of a stand-in. */
async function served(source: string, name: string, upstreams: Readonly<Record<string, Upstream>>) {
  const given = expectedConfig(source, name)
  const providers = Object.fromEntries(
    Object.entries(given.providers ?? {}).map(([vendor, options]) => [
      vendor,
      vendor in upstreams ? { ...options, baseURL: upstreams[vendor]!.baseURL } : options,
    ]),
  )
  // Other stores than those of the process have their own tests.
  const { state: _, ...rest } = given
  const telemetry = { log: 'off' } as const
  const { config, cwd, env } = await load({ ...rest, providers, telemetry, server: { port: 0 } })
  const silent = { print: () => {}, log: () => {}, terminal: false, colours: false, now: Date.now }
  const service = await startService(config, { cwd, env, ...silent }, { port: 0 })
  onTestFinished(() => service.close())
  return async (model: string, fields: object = {}) => {
    const response = await fetch(`${service.baseURL}/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${env[given.keys![0]!.key!.slice(2, -1)]}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], ...fields }),
    })
    const body = (await response.json()) as { choices?: { message: { content: string } }[] }
    return { status: response.status, text: body.choices?.[0]?.message.content, headers: response.headers }
  }
}

async function upstreamOf(...exchanges: Parameters<typeof startUpstream>): Promise<Upstream> {
  const upstream = await startUpstream(...exchanges)
  onTestFinished(() => upstream.close())
  return upstream
}

const fromAnthropic = steps.reply({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'text', text: 'from Anthropic' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 3, output_tokens: 4 },
})

describe('what came of LiteLLM', () => {
  it('asks each vendor in its own words, with the key of the environment', async () => {
    const [openai, anthropic] = [
      await upstreamOf(steps.answer({ text: 'from OpenAI' })),
      await upstreamOf(fromAnthropic),
    ]
    const ask = await served('litellm', 'quick-start', { openai, anthropic })
    expect(await ask('gpt-4o')).toMatchObject({ status: 200, text: 'from OpenAI' })
    expect(await ask('claude')).toMatchObject({ status: 200, text: 'from Anthropic' })
    expect(openai.requests[0]?.headers.authorization).toBe('Bearer value-of-OPENAI_API_KEY')
    expect(anthropic.requests[0]?.headers['x-api-key']).toBe('value-of-ANTHROPIC_API_KEY')
    expect(openai.requests[0]?.json).toMatchObject({ model: 'gpt-4o' })
  })

  it('goes on to those that stand in, and to theirs', async () => {
    const broken = { error: { message: 'no', type: 'server_error', code: null, param: null } }
    const [groq, openai] = [
      await upstreamOf(steps.reply(broken, { status: 500 })),
      await upstreamOf(steps.reply(broken, { status: 500 })),
    ]
    const mistral = await upstreamOf(steps.answer({ text: 'from Mistral' }))
    const ask = await served('litellm', 'fallbacks', { groq, openai, mistral })
    expect(await ask('fast')).toMatchObject({ status: 200, text: 'from Mistral' })
    expect([groq, openai, mistral].map(({ requests }) => requests.length)).toEqual([1, 1, 1])
  })

  it('asks for what stands under a wildcard', async () => {
    const [openai, anthropic] = [
      await upstreamOf(steps.answer({ text: 'from OpenAI' })),
      await upstreamOf(fromAnthropic),
    ]
    const ask = await served('litellm', 'wildcards', { openai, anthropic })
    expect(await ask('openai/gpt-4.1')).toMatchObject({ text: 'from OpenAI' })
    expect(await ask('claude-opus-4')).toMatchObject({ text: 'from Anthropic' })
    expect(openai.requests[0]?.json).toMatchObject({ model: 'gpt-4.1' })
    expect(anthropic.requests[0]?.json).toMatchObject({ model: 'claude-opus-4' })
    expect(await ask('mixtral')).toMatchObject({ status: 404 })
  })

  it('sets the parameters of a place', async () => {
    const house = await upstreamOf(steps.answer({ text: 'from the house' }))
    const ask = await served('litellm', 'own-servers', { 'openai-compatible': house })
    expect(await ask('house', { temperature: 1 })).toMatchObject({ text: 'from the house' })
    expect(house.requests[0]?.json).toMatchObject({ model: 'house-7b', temperature: 0.2 })
    expect(house.requests[0]?.headers).not.toHaveProperty('authorization')
  })

  it('bounds a model by the sum of its deployments', async () => {
    const [deepseek, together] = [
      await upstreamOf(steps.answer({ text: 'a' })),
      await upstreamOf(steps.answer({ text: 'a' })),
    ]
    const ask = await served('litellm', 'strategies', { deepseek, together })
    expect((await ask('chat')).headers.get('x-ratelimit-limit-requests')).toBe('180')
  })
})

describe('what came of Portkey', () => {
  const refusal = (status: number) => {
    const error = { message: 'no', type: 'x', code: null, param: null }
    return steps.reply({ error }, { status })
  }

  it.each([
    [429, 200, 1],
    [400, 400, 0],
  ])('after a %i asks the next target as its statuses say', async (status, told, asked) => {
    const [openai, anthropic] = [await upstreamOf(refusal(status)), await upstreamOf(fromAnthropic)]
    const ask = await served('portkey', 'fallback', { openai, anthropic })
    expect(await ask('anything')).toMatchObject({ status: told })
    expect(openai.requests[0]?.json).toMatchObject({ model: 'gpt-4o', temperature: 0 })
    expect(anthropic.requests).toHaveLength(asked)
  })

  it('hands the name of the caller to the one target', async () => {
    const openai = await upstreamOf(steps.answer({ text: 'from OpenAI' }))
    const ask = await served('portkey', 'single', { openai })
    expect(await ask('gpt-4.1-mini')).toMatchObject({ text: 'from OpenAI' })
    expect(openai.requests[0]?.json).toMatchObject({ model: 'gpt-4.1-mini' })
  })
})
