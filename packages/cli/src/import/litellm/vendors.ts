/** How a vendor that LiteLLM names is reached. */
export interface KnownVendor {
  /** The vendor's function in `@sluice/providers`, in the words of a configuration. */
  readonly type: string
  /** The variable that LiteLLM reads the key from where a deployment names none. */
  readonly key?: string
  /** The variable that it reads the base URL from. */
  readonly base?: string
  /** Where it is, for vendors that are not known to `@sluice/providers` by name. */
  readonly baseURL?: string
  /** LiteLLM is given the server, and adds this. */
  readonly basePath?: string
  /** It may be asked without a key. */
  readonly keyless?: true
  /** Whether it has embeddings: `only` for nothing else, `false` for none. Default: it has both. */
  readonly embeddings?: 'only' | false
}

const compatible = (baseURL: string, key: string): KnownVendor => ({
  type: 'openai-compatible',
  baseURL,
  key,
})

/** What stands before the first `/` of LiteLLM's `model`. */
const vendors: Readonly<Record<string, KnownVendor>> = {
  openai: { type: 'openai', key: 'OPENAI_API_KEY', base: 'OPENAI_BASE_URL' },
  azure: { type: 'azure', key: 'AZURE_API_KEY', base: 'AZURE_API_BASE' },
  anthropic: { type: 'anthropic', key: 'ANTHROPIC_API_KEY', embeddings: false },
  bedrock: { type: 'bedrock' },
  bedrock_converse: { type: 'bedrock' },
  vertex_ai: { type: 'vertex' },
  vertex_ai_beta: { type: 'vertex' },
  gemini: { type: 'gemini', key: 'GEMINI_API_KEY' },
  ollama: { type: 'ollama', keyless: true, basePath: '/v1' },
  ollama_chat: { type: 'ollama', keyless: true, basePath: '/v1' },
  hosted_vllm: { type: 'vllm', keyless: true },
  vllm: { type: 'vllm', keyless: true },
  lm_studio: { type: 'lmstudio', keyless: true },
  llamafile: { type: 'llamacpp', keyless: true },
  groq: { type: 'groq', key: 'GROQ_API_KEY', embeddings: false },
  mistral: { type: 'mistral', key: 'MISTRAL_API_KEY' },
  deepseek: { type: 'deepseek', key: 'DEEPSEEK_API_KEY', embeddings: false },
  xai: { type: 'xai', key: 'XAI_API_KEY', embeddings: false },
  openrouter: { type: 'openrouter', key: 'OPENROUTER_API_KEY' },
  together_ai: { type: 'together', key: 'TOGETHERAI_API_KEY' },
  fireworks_ai: { type: 'fireworks', key: 'FIREWORKS_AI_API_KEY' },
  cerebras: { type: 'cerebras', key: 'CEREBRAS_API_KEY', embeddings: false },
  perplexity: { type: 'perplexity', key: 'PERPLEXITYAI_API_KEY', embeddings: false },
  voyage: { type: 'voyage', key: 'VOYAGE_API_KEY', embeddings: 'only' },
  cohere: { type: 'cohere', key: 'COHERE_API_KEY' },
  cohere_chat: { type: 'cohere', key: 'COHERE_API_KEY', embeddings: false },
  jina_ai: { type: 'jina', key: 'JINA_AI_API_KEY', embeddings: 'only' },
  custom_openai: { type: 'openai-compatible', keyless: true },
  openai_like: { type: 'openai-compatible', keyless: true },
  litellm_proxy: { type: 'openai-compatible', keyless: true },
  deepinfra: compatible('https://api.deepinfra.com/v1/openai', 'DEEPINFRA_API_KEY'),
  nvidia_nim: { type: 'nvidia', key: 'NVIDIA_NIM_API_KEY' },
  huggingface: { type: 'huggingface', key: 'HF_TOKEN', embeddings: false },
  nebius: { type: 'nebius', key: 'NEBIUS_API_KEY' },
  zai: { type: 'zai', key: 'ZAI_API_KEY', embeddings: false },
  dashscope: { type: 'alibaba', key: 'DASHSCOPE_API_KEY' },
  github: { type: 'github', key: 'GITHUB_API_KEY' },
  sambanova: compatible('https://api.sambanova.ai/v1', 'SAMBANOVA_API_KEY'),
  moonshot: { type: 'moonshot', key: 'MOONSHOT_API_KEY', embeddings: false },
}

/** Names that LiteLLM knows without a vendor before them. */
const byName: readonly (readonly [RegExp, string])[] = [
  [/^(?:gpt-|chatgpt-|o\d(?:-|$)|ft:gpt-)/, 'openai'],
  [/^claude-/, 'anthropic'],
  [/^gemini-/, 'vertex_ai'],
]

/** A model as LiteLLM writes it, in its parts. */
export interface NamedModel {
  /** LiteLLM's name for the vendor. */
  readonly vendor: string
  readonly known: KnownVendor | undefined
  /** The vendor's own name for the model. */
  readonly model: string
}

export function namedModel(text: string, given: string | undefined): NamedModel | undefined {
  const slash = text.indexOf('/')
  const prefix = slash === -1 ? undefined : text.slice(0, slash)
  const vendor = given ?? (prefix !== undefined && Object.hasOwn(vendors, prefix) ? prefix : undefined)
  if (vendor === undefined) {
    const guessed = byName.find(([pattern]) => pattern.test(text))?.[1]
    if (guessed !== undefined) return { vendor: guessed, known: vendors[guessed], model: text }
    return prefix === undefined
      ? undefined
      : { vendor: prefix, known: undefined, model: text.slice(slash + 1) }
  }
  const known = Object.hasOwn(vendors, vendor) ? vendors[vendor] : undefined
  return { vendor, known, model: prefix === vendor ? text.slice(slash + 1) : text }
}

/** `us-east-1/` before a model of Bedrock. */
export const bedrockRegion = /^(?:(?:converse|invoke)\/)?([a-z]{2}(?:-[a-z]+)+-\d)\//
