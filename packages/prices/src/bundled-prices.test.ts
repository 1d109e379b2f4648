import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { calcPrice, waitForUpdate } from '@pydantic/genai-prices'
import type { PricedModel } from '@sluice/core/ledger'
import fc from 'fast-check'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { reducedTable } from '../scripts/reduced-table.ts'
import { bundledTable } from './bundled-table.ts'
import { type BundledPricesOptions, bundledPrices, pricesUpdatedAt } from './index.ts'

const at = Date.UTC(2026, 10, 21, 12)
const asked = (provider: string, upstreamModel: string, more: Partial<PricedModel> = {}): PricedModel => ({
  operation: 'generate',
  model: 'public',
  provider,
  upstreamModel,
  at,
  ...more,
})

interface Counts {
  readonly prompt?: number
  readonly cached?: number
  readonly written?: number
  readonly audio?: number
  readonly completion?: number
  readonly spoken?: number
}
const used = ({
  prompt = 1_000,
  cached = 0,
  written = 0,
  audio = 0,
  completion = 100,
  spoken = 0,
}: Counts = {}) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written, audio_tokens: audio },
  completion_tokens_details: {
    reasoning_tokens: 0,
    audio_tokens: spoken,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
})

const prices = bundledPrices({ warnAfterDays: false })
const costOf = (provider: string, model: string, counts?: Counts, more?: Partial<PricedModel>) =>
  prices(used(counts), asked(provider, model, more))

describe('bundledPrices', () => {
  it('has the date of its table', () => {
    expect(pricesUpdatedAt).toMatch(/^\d{4}-\d\d-\d\d$/)
    expect(prices.updatedAt).toBe(Date.parse(pricesUpdatedAt))
  })

  it('is the data of the installed package', async () => {
    // Otherwise: tsx packages/prices/scripts/write-table.ts DATE
    expect(bundledTable).toEqual(JSON.parse(JSON.stringify(await reducedTable())))
  })

  it.each([
    ['openai', 'gpt-4o-mini', { cached: 200 }, 0.000195],
    ['openai', 'gpt-4o-mini-2024-07-18', {}, 0.00021],
    ['azure', 'gpt-4o-mini', {}, 0.00021],
    ['anthropic', 'claude-sonnet-4-20250514', { cached: 200, written: 400 }, 0.00426],
    ['vertex', 'claude-sonnet-4@20250514', {}, 0.0045],
    ['bedrock', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', {}, 0.00495],
    ['bedrock', 'global.anthropic.claude-sonnet-4-5-20250929-v1:0', {}, 0.0045],
    ['gemini', 'gemini-2.5-pro', { prompt: 200_000 }, 0.251],
    ['gemini', 'gemini-2.5-pro', { prompt: 200_001 }, 0.5015025],
    ['gemini', 'gemini-2.5-flash', { audio: 500 }, 0.0009],
    [
      'gemini',
      'gemini-2.5-flash',
      { audio: 500, cached: 400 },
      100 * 0.3e-6 + 400 * 0.1e-6 + 500e-6 + 250e-6,
    ],
    ['groq', 'llama-3.3-70b-versatile', {}, 0.000669],
    ['openrouter', 'openai/gpt-4o-mini', {}, 0.00021],
    ['xai', 'grok-4', {}, 0.0045],
  ] as [string, string, Counts, number][])('prices %s/%s %j', (provider, model, counts, cost) => {
    expect(costOf(provider, model, counts)).toBeCloseTo(cost, 10)
  })

  it('prices embeddings by their input, and nothing else by it', () => {
    const embed = { operation: 'embed' } as const
    expect(costOf('openai', 'text-embedding-3-small', { completion: 0 }, embed)).toBeCloseTo(0.00002, 12)
    expect(costOf('gemini', 'gemini-embedding-2', { completion: 0 }, embed)).toBeCloseTo(0.0002, 12)
    expect(costOf('gemini', 'gemini-embedding-2', { completion: 0 })).toBeNull()
    expect(costOf('openai', 'text-embedding-3-small', { completion: 1 })).toBeNull()
  })

  it('prices web searches where the table does', () => {
    expect(costOf('anthropic', 'claude-sonnet-4-5', {}, { webSearches: 3 })).toBeCloseTo(0.0345, 10)
    expect(costOf('groq', 'llama-3.3-70b-versatile', {}, { webSearches: 1 })).toBeNull()
  })

  it.each([
    ['a model that it does not know', 'openai', 'no-such-model'],
    ['a provider that it does not know', 'ollama', 'gpt-4o'],
    ['a provider that is named after one', 'openai-proxy', 'gpt-4o'],
    ['names of objects', '__proto__', 'constructor'],
    ['output that is billed by images', 'gemini', 'gemini-2.5-flash-image'],
    ['what is billed by citations', 'perplexity', 'sonar-deep-research'],
    ['what is billed by pages', 'mistral', 'mistral-ocr-latest'],
    ['a name that is too long', 'openai', `gpt-4o${'-'.repeat(200)}`],
  ])('has no price for %s', (_, provider, model) => {
    expect(costOf(provider, model)).toBeNull()
  })

  it('has no price for a service tier that costs more', () => {
    expect(costOf('openai', 'gpt-4o-mini', {}, { serviceTier: 'flex' })).toBeCloseTo(0.00021, 12)
    expect(costOf('openai', 'gpt-4o-mini', {}, { serviceTier: 'priority' })).toBeNull()
  })

  it('prices the model that answered, and the time of the request', () => {
    expect(costOf('openrouter', 'openrouter/auto', {}, { responseModel: 'openai/gpt-4o-mini' })).toBeCloseTo(
      0.00021,
      12,
    )
    const night = { at: Date.UTC(2025, 5, 1, 20) }
    const day = { at: Date.UTC(2025, 5, 1, 12) }
    const [atNight, atDay] = [night, day].map(more => costOf('deepseek', 'deepseek-chat', {}, more))
    expect(atDay).toBeCloseTo(0.00038, 10)
    expect(atNight).toBeCloseTo(0.00019, 10)
  })

  it('takes your own prices first, and your names of providers and models', () => {
    const mine = bundledPrices({
      overrides: { 'openai/gpt-4o-mini': { input: 1, output: 1 }, public: { input: 2, output: 2 } },
      providers: { mine: 'xai', house: 'openai' },
      models: { chat: 'gpt-4o' },
      warnAfterDays: false,
    })
    expect(mine(used(), asked('openai', 'gpt-4o-mini'))).toBeCloseTo(0.0011, 12)
    expect(mine(used(), asked('openai', 'gpt-4o-mini', { serviceTier: 'priority' }))).toBeNull()
    expect(mine(used(), asked('openai', 'gpt-4o'))).toBeCloseTo(0.0022, 12)
    expect(mine(used(), asked('house', 'chat', { model: 'x' }))).toBeCloseTo(0.0035, 12)
    expect(mine(used(), asked('mine', 'grok-4', { model: 'x' }))).toBeCloseTo(0.0045, 12)
  })

  it.each<[BundledPricesOptions | Record<string, unknown>, RegExp]>([
    [{ override: {} }, /override/],
    [{ overrides: { a: { input: -1, output: 1 } } }, /a\.input/],
    [{ providers: { a: 1 } }, /providers\.a/],
    [{ models: [] }, /models/],
    [{ warnAfterDays: -1 }, /warnAfterDays/],
    [{ observe: 1 }, /observe/],
    [{ refresh: 'https://host/' }, /refresh: .*expected \{ from/],
    [{ refresh: { from: 'http://host.example/secret' } }, /^(?!.*secret)[\s\S]*refresh\.from: .*https/],
    [{ refresh: { from: 'https://u:secret@host/' } }, /^(?!.*secret)[\s\S]*refresh\.from/],
    [{ refresh: { from: () => '', intervalMs: 0 } }, /refresh\.intervalMs/],
    [{ refresh: { from: () => '', every: 1 } }, /refresh\.every/],
  ])('rejects %j', (options, message) => {
    expect(() => bundledPrices(options as BundledPricesOptions)).toThrow(message)
  })
})

describe('the table', async () => {
  const providers = (await waitForUpdate()) ?? []
  const all = providers.flatMap(({ id, models }) =>
    models.map(model => ({ provider: id, model: nameOf(model.match) ?? model.id })),
  )
  const arbitraryModel = fc.constantFrom(...all)
  const tokens = fc.integer({ min: 0, max: 1_500_000 })
  const counts = fc
    .record({
      prompt: tokens,
      completion: tokens,
      first: fc.double({ min: 0, max: 1, noNaN: true }),
      second: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    .map(({ prompt, completion, first, second }) => {
      const cached = Math.floor(prompt * first)
      return { prompt, completion, cached, written: Math.floor((prompt - cached) * second) }
    })

  it('agrees with the package that it comes from', () => {
    let priced = 0
    fc.assert(
      fc.property(
        arbitraryModel,
        counts,
        fc.integer({ min: Date.UTC(2024, 0), max: at }),
        (of, given, time) => {
          const cost = costOf(of.provider, of.model, given, { at: time })
          if (cost === null) return
          priced += 1
          const { prompt, completion, cached, written } = given
          const expected = calcPrice(
            {
              input_tokens: prompt,
              output_tokens: completion,
              cache_read_tokens: cached,
              cache_write_tokens: written,
            },
            of.model,
            { providerId: of.provider, timestamp: new Date(time) },
          )
          expect(cost).toBeCloseTo(expected!.total_price, 8)
        },
      ),
      { numRuns: 3_000 },
    )
    expect(priced).toBeGreaterThan(2_000)
  })

  it('has costs that are numbers from 0, and rise with tokens', () => {
    fc.assert(
      fc.property(arbitraryModel, counts, tokens, tokens, (of, given, prompt, completion) => {
        const cost = costOf(of.provider, of.model, given)
        // Some models have a price of input only.
        const inputOnly = costOf(of.provider, of.model, { completion: 1 }) === null
        if (cost === null || inputOnly) return
        const more = { ...given, prompt: given.prompt + prompt, completion: given.completion + completion }
        const higher = costOf(of.provider, of.model, more)
        expect(Number.isFinite(cost) && cost >= 0).toBe(true)
        expect(higher).not.toBeNull()
        expect(higher! - cost).toBeGreaterThanOrEqual(-1e-9)
      }),
      { numRuns: 2_000 },
    )
  })

  it('prices the known models, but for a few', () => {
    const vendors: Readonly<Record<string, string>> = {
      OpenAIModel: 'openai',
      AnthropicModel: 'anthropic',
      GeminiModel: 'gemini',
      VertexModel: 'vertex',
      BedrockModel: 'bedrock',
      GroqModel: 'groq',
      MistralModel: 'mistral',
      DeepSeekModel: 'deepseek',
      XaiModel: 'xai',
      OpenRouterModel: 'openrouter',
      TogetherModel: 'together',
      FireworksModel: 'fireworks',
      CerebrasModel: 'cerebras',
      PerplexityModel: 'perplexity',
      VoyageModel: 'voyage',
      CohereModel: 'cohere',
    }
    const known = knownModels().flatMap(([type, model]) =>
      vendors[type] === undefined ? [] : [{ provider: vendors[type], model }],
    )
    // Rankings are billed by search units, and moderations mostly by nothing: neither is in the table.
    const unpriced = known.filter(({ provider, model }) => {
      if (/rerank|moderation/.test(model)) return false
      const operation = /embed|voyage/.test(model) ? 'embed' : 'generate'
      const completion = operation === 'embed' ? 0 : 100
      return costOf(provider, model, { completion }, { operation }) === null
    })
    expect(known.length).toBeGreaterThan(120)
    expect(unpriced.map(({ provider, model }) => `${provider}/${model}`)).toEqual([
      'vertex/text-embedding-005',
      'vertex/text-multilingual-embedding-002',
      'bedrock/amazon.nova-2-multimodal-embeddings-v1:0',
      'bedrock/cohere.embed-v4:0',
      'mistral/ministral-3b-latest',
      'mistral/devstral-medium-latest',
      'mistral/codestral-embed',
      // It costs what the model that answers costs.
      'openrouter/openrouter/auto',
      'openrouter/x-ai/grok-4',
      'fireworks/accounts/fireworks/models/llama-v3p3-70b-instruct',
      'cerebras/qwen-3-coder-480b',
      // Billed by citations, which usage does not count.
      'perplexity/sonar-deep-research',
      'cohere/command-a-reasoning-08-2025',
      'cohere/command-a-vision-07-2025',
      'cohere/embed-english-v3.0',
      'cohere/embed-multilingual-v3.0',
    ])
  })
})

/** A name that a rule matches. */
function nameOf(rule: object): string | undefined {
  const [[kind, value] = ['', '']] = Object.entries(rule) as [string, unknown][]
  if (kind === 'or' || kind === 'and') return (value as object[]).map(nameOf).find(name => name !== undefined)
  return kind === 'regex' ? undefined : String(value)
}

function knownModels(): [string, string][] {
  const path = join(import.meta.dirname, '../../providers/src/known-models.ts')
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2023)
  return file.statements
    .filter(ts.isTypeAliasDeclaration)
    .flatMap(({ name, type }) =>
      ts.isUnionTypeNode(type)
        ? type.types.flatMap(each =>
            ts.isLiteralTypeNode(each) && ts.isStringLiteral(each.literal)
              ? [[name.text, each.literal.text] as [string, string]]
              : [],
          )
        : [],
    )
}
