import { type CommandContext, CommandError } from '../command.ts'

/** A vendor for whose key there is a variable, and how it is reached. */
export interface EnvironmentVendor extends KnownVendor {
  readonly apiKey: string
  readonly baseURL: string | undefined
}

/**
 * The vendors that can be reached by the environment. An empty variable counts as unset. Throws `CommandError` for a key or
 * a URL that cannot be one; the message tells the variable, and never what is in it.
 */
export function environmentVendors(env: CommandContext['env']): readonly EnvironmentVendor[] {
  return knownVendors.flatMap(vendor => {
    const apiKey = env[vendor.keyVariable] || undefined
    if (apiKey === undefined) return []
    if (!/^[\x21-\x7e]+$/.test(apiKey)) {
      throw new CommandError(
        `${vendor.keyVariable} has characters that a key cannot have, such as a space or a line break. Set it again without them.`,
      )
    }
    const baseURL = env[vendor.baseVariable] || undefined
    if (baseURL !== undefined && !isBaseUrl(baseURL)) {
      throw new CommandError(
        `${vendor.baseVariable} is not a base URL. Expected http or https, a host and a path, such as https://host/v1, without credentials, query or fragment.`,
      )
    }
    return [{ ...vendor, apiKey, baseURL }]
  })
}

function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === '' && !/[?#]/.test(text)
}

/** A vendor whose key people have in their environment, and under which names. */
interface KnownVendor {
  /** As `providers` of a configuration names it. */
  readonly name: string
  /** For people. */
  readonly title: string
  readonly keyVariable: string
  readonly baseVariable: string
  /** A model that it has, to begin with. */
  readonly model: string
}

/**
 * In the order in which they are shown. Not those whose variable holds a token for more than their models, such as `GITHUB_TOKEN` and
 * `HF_TOKEN`.
 */
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
  known('perplexity', 'Perplexity', 'sonar'),
  known('cohere', 'Cohere', 'command-a-03-2025'),
  known('nvidia', 'NVIDIA NIM', 'meta/llama-3.3-70b-instruct'),
  known('nebius', 'Nebius', 'meta-llama/Llama-3.3-70B-Instruct'),
  known('moonshot', 'Moonshot', 'kimi-k2-0905-preview'),
  known('zai', 'Z.ai', 'glm-4.6'),
  known('alibaba', 'Alibaba', 'qwen-plus', 'DASHSCOPE'),
]

function known(name: string, title: string, model: string, word = name.toUpperCase()): KnownVendor {
  return { name, title, model, keyVariable: `${word}_API_KEY`, baseVariable: `${word}_BASE_URL` }
}
