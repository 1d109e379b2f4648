/** How a vendor that Portkey names is reached. */
export interface PortkeyVendor {
  readonly type: string
  /** The variable that its key is read from where the file has none. */
  readonly key?: string
  readonly baseURL?: string
}

/** By Portkey's names. */
const vendors: Readonly<Record<string, PortkeyVendor>> = {
  openai: { type: 'openai', key: 'OPENAI_API_KEY' },
  anthropic: { type: 'anthropic', key: 'ANTHROPIC_API_KEY' },
  'azure-openai': { type: 'azure', key: 'AZURE_API_KEY' },
  bedrock: { type: 'bedrock' },
  'vertex-ai': { type: 'vertex' },
  google: { type: 'gemini', key: 'GEMINI_API_KEY' },
  groq: { type: 'groq', key: 'GROQ_API_KEY' },
  'mistral-ai': { type: 'mistral', key: 'MISTRAL_API_KEY' },
  deepseek: { type: 'deepseek', key: 'DEEPSEEK_API_KEY' },
  'x-ai': { type: 'xai', key: 'XAI_API_KEY' },
  openrouter: { type: 'openrouter', key: 'OPENROUTER_API_KEY' },
  'together-ai': { type: 'together', key: 'TOGETHER_API_KEY' },
  'fireworks-ai': { type: 'fireworks', key: 'FIREWORKS_API_KEY' },
  cerebras: { type: 'cerebras', key: 'CEREBRAS_API_KEY' },
  ollama: { type: 'ollama' },
  'perplexity-ai': {
    type: 'openai-compatible',
    key: 'PERPLEXITY_API_KEY',
    baseURL: 'https://api.perplexity.ai',
  },
  deepinfra: {
    type: 'openai-compatible',
    key: 'DEEPINFRA_API_KEY',
    baseURL: 'https://api.deepinfra.com/v1/openai',
  },
}

export function portkeyVendor(name: string): PortkeyVendor | undefined {
  return Object.hasOwn(vendors, name) ? vendors[name] : undefined
}

/** The vendor that a name of the user's own begins with: `openai-prod`. Longer names go first. */
export function vendorBySlug(slug: string): PortkeyVendor | undefined {
  const [found] = Object.keys(vendors)
    .filter(name => slug === name || slug.startsWith(`${name}-`))
    .sort((a, b) => b.length - a.length)
  return found === undefined ? undefined : vendors[found]
}

/** The variables that vendors' keys are read from. */
export const vendorKeys: readonly string[] = Object.values(vendors).flatMap(({ key }) => key ?? [])
