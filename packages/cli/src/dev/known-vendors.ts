/** A vendor whose key people have in their environment, and under which names. */
export interface KnownVendor {
  /** As `providers` of a configuration names it. */
  readonly name: string
  /** For people. */
  readonly title: string
  readonly keyVariable: string
  readonly baseVariable: string
  /** A model that it has, to begin with. */
  readonly model: string
}

/** In the order in which they are shown. */
export const knownVendors: readonly KnownVendor[] = [
  known('openai', 'OpenAI', 'gpt-4o-mini'),
  known('anthropic', 'Anthropic', 'claude-sonnet-4-20250514'),
  known('gemini', 'Gemini', 'gemini-2.5-flash'),
  known('groq', 'Groq', 'llama-3.3-70b-versatile'),
  known('mistral', 'Mistral', 'mistral-large-latest'),
  known('openrouter', 'OpenRouter', 'anthropic/claude-sonnet-4'),
  known('deepseek', 'DeepSeek', 'deepseek-chat'),
  known('xai', 'xAI', 'grok-4'),
  known('together', 'Together', 'meta-llama/Llama-3.3-70B-Instruct-Turbo'),
  known('fireworks', 'Fireworks', 'accounts/fireworks/models/llama-v3p3-70b-instruct'),
  known('cerebras', 'Cerebras', 'llama-3.3-70b'),
]

function known(name: string, title: string, model: string): KnownVendor {
  const word = name.toUpperCase()
  return { name, title, model, keyVariable: `${word}_API_KEY`, baseVariable: `${word}_BASE_URL` }
}
