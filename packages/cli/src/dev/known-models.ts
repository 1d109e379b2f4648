/**
 * Models that clients ask for by name, by the vendor that has them, under the vendor's own ids. `sluice dev` serves them
 * without a prefix. A vendor has more models than these: they are asked for as `openai/...`.
 */
export const knownModels: Readonly<Record<string, readonly string[]>> = {
  openai: [
    'gpt-5.5',
    'gpt-5.6-sol',
    'gpt-5.6-terra',
    'gpt-5.6-luna',
    'gpt-5.4',
    'gpt-5.4-mini',
    'gpt-5.4-nano',
    'gpt-5.2',
    'gpt-5.1',
    'gpt-5',
    'gpt-5-mini',
    'gpt-5-nano',
    'gpt-4.1',
    'gpt-4.1-mini',
    'gpt-4.1-nano',
    'gpt-4o',
    'gpt-4o-mini',
    'gpt-4-turbo',
    'gpt-4',
    'gpt-3.5-turbo',
    'o4-mini',
    'o3',
    'o3-mini',
    'o1',
    'text-embedding-3-large',
    'text-embedding-3-small',
    'text-embedding-ada-002',
    'omni-moderation-latest',
    'gpt-3.5-turbo-instruct',
  ],
  anthropic: [
    'claude-sonnet-5',
    'claude-opus-5-5',
    'claude-opus-5',
    'claude-fable-5-1',
    'claude-fable-5',
    'claude-opus-4-8',
    'claude-opus-4-7',
    'claude-opus-4-6',
    'claude-sonnet-4-6',
    'claude-opus-4-5',
    'claude-sonnet-4-5',
    'claude-haiku-4-5',
    'claude-opus-4-1',
    'claude-opus-4-20250514',
    'claude-sonnet-4-20250514',
    'claude-3-7-sonnet-20250219',
    'claude-3-5-haiku-20241022',
  ],
  gemini: [
    'gemini-3.8-flash',
    'gemini-3.7-flash',
    'gemini-3.6-flash',
    'gemini-3.5-flash',
    'gemini-3.5-flash-lite',
    'gemini-3.1-pro-preview',
    'gemini-3.1-flash-lite',
    'gemini-3-pro-preview',
    'gemini-3-flash-preview',
    'gemini-2.5-pro',
    'gemini-2.5-flash',
    'gemini-2.5-flash-lite',
    'gemini-2.0-flash',
    'gemini-2.0-flash-lite',
    'gemini-embedding-001',
  ],
  mistral: [
    'mistral-large-latest',
    'mistral-medium-latest',
    'mistral-small-latest',
    'magistral-medium-latest',
    'ministral-8b-latest',
    'codestral-latest',
    'pixtral-large-latest',
    'mistral-embed',
    'codestral-embed',
  ],
  deepseek: ['deepseek-chat', 'deepseek-reasoner'],
  xai: [
    'grok-4.6',
    'grok-4.5',
    'grok-4.3',
    'grok-4',
    'grok-4-fast-reasoning',
    'grok-4-fast-non-reasoning',
    'grok-3',
    'grok-3-mini',
    'grok-code-fast-1',
  ],
  cohere: ['command-a-03-2025', 'command-r7b-12-2024', 'embed-v4.0', 'rerank-v3.5'],
  groq: ['llama-3.3-70b-versatile', 'llama-3.1-8b-instant'],
  cerebras: ['llama-3.3-70b', 'llama3.1-8b', 'gpt-oss-120b'],
  perplexity: ['sonar', 'sonar-pro', 'sonar-reasoning-pro', 'sonar-deep-research'],
}

/** The vendor of a known model; `undefined` for any other name. */
export function vendorOfKnown(model: string): string | undefined {
  return Object.keys(knownModels).find(vendor => knownModels[vendor]!.includes(model))
}

/** The models that are always served, by their public names: whose each is, and what that vendor calls it. */
const catalogued: Readonly<Record<string, readonly [vendor: string, model: string]>> = {
  'vendora-4o': ['openai', 'gpt-4o'],
  'vendora-4o-mini': ['openai', 'gpt-4o-mini'],
  'vendora-4.1': ['openai', 'gpt-4.1'],
  'vendora-4.1-mini': ['openai', 'gpt-4.1-mini'],
  'vendorb-sonnet-4-20250514': ['anthropic', 'claude-sonnet-4-20250514'],
  'vendorc-2.5-flash': ['gemini', 'gemini-2.5-flash'],
  o1: ['openai', 'o1'],
  o3: ['openai', 'o3'],
}

/** Whether a model is always served. */
export function isCatalogued(model: string): boolean {
  return Object.hasOwn(catalogued, model)
}

/** Where a model is answered: by which provider, and under which name of its. */
interface CatalogueTarget {
  readonly provider: string
  readonly model: string
}

/** Each model with its place: with its vendor where that one can be reached, else in `local()`. */
export function catalogue(reachable: readonly string[]): ReadonlyMap<string, CatalogueTarget> {
  return new Map(
    Object.entries(catalogued).map(([name, [provider, model]]) => [
      name,
      reachable.includes(provider) ? { provider, model } : { provider: 'local', model: name },
    ]),
  )
}
