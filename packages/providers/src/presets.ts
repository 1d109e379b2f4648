import { configurationError } from '@sluice/core/adapter'
import type { Capabilities, RestrictedFields } from '@sluice/core/provider'
import {
  cerebrasAnswerFields,
  groqAnswerFields,
  llamacppAnswerFields,
  openrouterAnswerFields,
  perplexityAnswerFields,
  vllmAnswerFields,
  xaiAnswerFields,
} from './answer-fields.ts'
import { embeddingCapabilities } from './embeddings/embedding-models.ts'
import { keyOrEnvironment, variableOf } from './environment-key.ts'
import type {
  CerebrasModel,
  DeepSeekModel,
  FireworksModel,
  GroqModel,
  MistralModel,
  OpenRouterModel,
  PerplexityModel,
  TogetherModel,
  XaiModel,
} from './known-models.ts'
import { namesOf, rejectUnknownOptions } from './known-options.ts'
import {
  type CompatibilityOptions,
  type CompletionCompatibility,
  type EmbeddingCompatibility,
  openaiCompatible,
  type ProviderFields,
  type ProviderInstance,
  type RerankCompatibility,
} from './openai-compatible.ts'
import type { ProviderInstanceOf } from './provider-instance.ts'
import type { ApiKeys } from './provider-keys.ts'
import {
  alibabaFields,
  allRestrictedFields,
  cerebrasFields,
  cloudflareFields,
  cohereFields,
  databricksFields,
  deepseekFields,
  fireworksFields,
  githubFields,
  groqFields,
  huggingfaceFields,
  llamacppFields,
  lmstudioFields,
  mistralFields,
  moonshotFields,
  nvidiaFields,
  ollamaFields,
  openrouterFields,
  perplexityFields,
  togetherFields,
  vllmFields,
  xaiFields,
  zaiFields,
} from './restricted-fields.ts'
import type { CompatibleDialect } from './speaks.ts'

/** A hosted service or local server as data: its address, and how it differs from OpenAI's API. */
export interface Preset extends CompatibilityOptions {
  readonly name: string
  readonly baseURL: string
  readonly capabilities?: Capabilities
  /** Fields outside OpenAI's API by which a request selects models, routing, paid features or token limits. */
  readonly restrictedFields: RestrictedFields
  /** Fields outside the protocol that answers keep. They hold no hosts, keys or account ids. */
  readonly providerFields?: ProviderFields
  /** How answers cite web pages. */
  readonly citations?: 'numbered'
  /** Other dialects that its own host speaks. */
  readonly speaks?: readonly CompatibleDialect[]
  /** The path of the Messages API on the server. Default: `/messages` below `baseURL`. */
  readonly messagesPath?: string
  /** Whether its Responses API returns encrypted reasoning. */
  readonly encryptedReasoning?: boolean
  /** How it differs from OpenAI's embeddings API. `false`: it has no embeddings. */
  readonly embeddings: EmbeddingCompatibility | false
  /** How it differs from Cohere's API to rank documents. Default: it has none. */
  readonly rerank?: RerankCompatibility
  /** Whether it has OpenAI's moderations API. Default false. */
  readonly moderations?: boolean
  /** How it differs from OpenAI's API of text completions. Default: it has none. */
  readonly completions?: CompletionCompatibility
}

/** Options of the presets for local servers, such as `ollama()`. */
export interface PresetOptions {
  /** One key, or a list of several. */
  readonly apiKey?: ApiKeys | undefined
  /** Replaces the base URL of the preset. */
  readonly baseURL?: string | undefined
  /** Additional headers for each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The maximum number of concurrent calls; further calls wait. Default: no maximum. */
  readonly maxConcurrent?: number | undefined
  /** Restricted fields that every caller may send, even one with limits or a model list. Default: none. */
  readonly allowFields?: readonly string[] | undefined
  /** The fields outside the protocol that answers keep. Default: those that the service is known for. `false`: none. */
  readonly providerFields?: ProviderFields | false | undefined
  /**
   * Other dialects that the server speaks, as in `OpenAICompatibleOptions`. Default: those of the hosted service; none for a
   * local server, because older versions lack them, and none with a `baseURL`.
   */
  readonly speaks?: readonly CompatibleDialect[] | undefined
}

/** Options of the presets for hosted services, such as `groq()`. */
export interface HostedOptions extends PresetOptions {
  /** One key, or a list of several. Default: the environment variable with the service's name, such as `GROQ_API_KEY`. */
  readonly apiKey?: ApiKeys | undefined
}

/** Hints of OpenAI's API, which do not change the response, that most services do not support. */
const hints = [
  'user',
  'store',
  'metadata',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'prompt_cache_options',
  'verbosity',
  'prediction',
  'service_tier',
]

/** Fields of OpenAI's API that only OpenAI's own models support. */
const foreign = ['modalities', 'audio', 'web_search_options', 'moderation']

/**
 * The known hosted services and local servers, as data: options of `openaiCompatible`, from their documentation and from
 * recorded responses. `openaiCompatible({ ...presets.groq, ... })` corrects a preset that is out of date.
 */
export const presets = {
  ollama: {
    name: 'ollama',
    baseURL: 'http://127.0.0.1:11434/v1',
    restrictedFields: ollamaFields,
    developerRole: 'system',
    maxTokensParameter: 'max_tokens',
    // It ignores what it does not know.
    refuse: [
      'n',
      'logit_bias',
      'tool_choice',
      'parallel_tool_calls',
      'functions',
      'function_call',
      ...foreign,
    ],
    drop: hints,
    extensions: ['reasoning_content'],
    reasoningField: 'reasoning',
    accepts: ['string_media', 'tool_result_media', 'untyped_tools'],
    embeddings: { tokens: false, user: false, fields: [] },
    completions: {},
  },
  vllm: {
    name: 'vllm',
    baseURL: 'http://127.0.0.1:8000/v1',
    restrictedFields: vllmFields,
    developerRole: 'system',
    maxTokensParameter: 'max_tokens',
    // It reads reasoning under this name alone, and ignores what it does not know.
    extensions: ['reasoning_content'],
    reasoningField: 'reasoning',
    providerFields: vllmAnswerFields,
    accepts: ['video_url', 'audio_url', 'tool_result_media', 'thinking_parts', 'untyped_tools'],
    embeddings: { encodings: ['float', 'base64'] },
    rerank: { fields: ['truncate_prompt_tokens'] },
    completions: {},
  },
  llamacpp: {
    name: 'llamacpp',
    baseURL: 'http://127.0.0.1:8080/v1',
    restrictedFields: llamacppFields,
    developerRole: 'system',
    maxTokensParameter: 'max_tokens',
    extensions: ['reasoning_content'],
    providerFields: llamacppAnswerFields,
    embeddings: { encodings: ['float', 'base64'], fields: ['embd_normalize'] },
    rerank: {},
    completions: {},
  },
  lmstudio: {
    name: 'lmstudio',
    baseURL: 'http://127.0.0.1:1234/v1',
    restrictedFields: lmstudioFields,
    developerRole: 'system',
    maxTokensParameter: 'max_tokens',
    refuse: ['n', 'logprobs', 'top_logprobs'],
    embeddings: { dimensions: false, tokens: false, user: false, fields: [] },
  },
  groq: {
    name: 'groq',
    baseURL: 'https://api.groq.com/openai/v1',
    restrictedFields: groqFields,
    maxTokensParameter: 'max_completion_tokens',
    refuse: ['n', 'logprobs', 'top_logprobs', 'logit_bias', ...foreign],
    drop: hints.filter(hint => hint !== 'user' && hint !== 'service_tier'),
    messageNames: false,
    messageFields: 'strict',
    providerFields: groqAnswerFields,
    accepts: ['server_tools', 'service_tiers'],
    embeddings: false,
  },
  mistral: {
    name: 'mistral',
    baseURL: 'https://api.mistral.ai/v1',
    restrictedFields: mistralFields,
    developerRole: 'system',
    maxTokensParameter: 'max_tokens',
    streamOptions: false,
    rename: { seed: 'random_seed' },
    refuse: ['logprobs', 'top_logprobs', 'logit_bias', 'functions', 'function_call', ...foreign],
    drop: hints.filter(hint => hint !== 'prediction'),
    messageNames: false,
    messageFields: 'strict',
    extensions: ['prefix'],
    accepts: [
      'string_media',
      'document_url',
      'tool_result_media',
      'thinking_parts',
      'tool_choice_any',
      'untyped_tools',
    ],
    requiredToolChoice: 'any',
    toolCallIds: 'nine-alphanumerics',
    embeddings: {
      maxInputs: 256,
      dimensions: 'output_dimension',
      fixedDimensions: ['mistral-embed*'],
      tokens: false,
      user: false,
      fields: ['metadata'],
    },
    moderations: true,
    // Its completions fill in the middle, and answer as chat completions do.
    completions: { path: '/fim/completions', streamOptions: false, choices: 'message' },
  },
  deepseek: {
    name: 'deepseek',
    baseURL: 'https://api.deepseek.com',
    speaks: ['messages', 'responses'],
    messagesPath: '/anthropic/v1/messages',
    restrictedFields: deepseekFields,
    developerRole: 'system',
    maxTokensParameter: 'max_tokens',
    refuse: ['n', 'logit_bias', ...foreign],
    drop: ['seed'],
    // It wants the reasoning of turns with tool calls back.
    extensions: ['reasoning_content'],
    capabilities: { input: [] },
    embeddings: false,
  },
  xai: {
    name: 'xai',
    baseURL: 'https://api.x.ai/v1',
    speaks: ['responses'],
    encryptedReasoning: true,
    restrictedFields: xaiFields,
    maxTokensParameter: 'max_completion_tokens',
    refuse: ['logit_bias'],
    providerFields: xaiAnswerFields,
    embeddings: false,
  },
  openrouter: {
    name: 'openrouter',
    baseURL: 'https://openrouter.ai/api/v1',
    encryptedReasoning: true,
    speaks: ['messages', 'responses'],
    restrictedFields: openrouterFields,
    maxTokensParameter: 'max_tokens',
    extensions: ['reasoning_content', 'reasoning_details', 'cache_control'],
    providerFields: openrouterAnswerFields,
    accepts: ['video_url', 'tool_result_media', 'server_tools'],
    embeddings: { encodings: ['float', 'base64'] },
  },
  together: {
    name: 'together',
    baseURL: 'https://api.together.xyz/v1',
    restrictedFields: togetherFields,
    developerRole: 'system',
    maxTokensParameter: 'max_tokens',
    accepts: ['video_url'],
    embeddings: { dimensions: false, tokens: false, user: false, fields: [] },
  },
  fireworks: {
    name: 'fireworks',
    baseURL: 'https://api.fireworks.ai/inference/v1',
    restrictedFields: fireworksFields,
    developerRole: 'system',
    maxTokensParameter: 'max_tokens',
    messageFields: 'strict',
    extensions: ['reasoning_content'],
    embeddings: { user: false, fields: ['normalize'] },
  },
  cerebras: {
    name: 'cerebras',
    baseURL: 'https://api.cerebras.ai/v1',
    restrictedFields: cerebrasFields,
    developerRole: 'system',
    maxTokensParameter: 'max_completion_tokens',
    refuse: ['logit_bias', 'presence_penalty', 'frequency_penalty', 'parallel_tool_calls', ...foreign],
    drop: ['service_tier'],
    messageFields: 'strict',
    providerFields: cerebrasAnswerFields,
    embeddings: false,
  },
  perplexity: {
    name: 'perplexity',
    baseURL: 'https://api.perplexity.ai',
    restrictedFields: perplexityFields,
    developerRole: 'system',
    maxTokensParameter: 'max_tokens',
    // It ignores what it does not know.
    refuse: [
      'n',
      'stop',
      'logit_bias',
      'logprobs',
      'top_logprobs',
      'tools',
      'tool_choice',
      'parallel_tool_calls',
      'functions',
      'function_call',
      ...foreign.filter(field => field !== 'web_search_options'),
    ],
    drop: [...hints, 'seed'],
    messageNames: false,
    messageFields: 'strict',
    providerFields: perplexityAnswerFields,
    citations: 'numbered',
    embeddings: false,
  },
  huggingface: {
    name: 'huggingface',
    // https://huggingface.co/docs/inference-providers/tasks/chat-completion
    baseURL: 'https://router.huggingface.co/v1',
    restrictedFields: huggingfaceFields,
    developerRole: 'system',
    maxTokensParameter: 'max_tokens',
    refuse: ['n', 'functions', 'function_call', ...foreign],
    drop: hints,
    extensions: ['reasoning_content'],
    embeddings: false,
  },
  nvidia: {
    name: 'nvidia',
    // https://docs.api.nvidia.com/nim/reference: vLLM behind a schema that rejects unknown fields.
    baseURL: 'https://integrate.api.nvidia.com/v1',
    restrictedFields: nvidiaFields,
    developerRole: 'system',
    maxTokensParameter: 'max_tokens',
    refuse: ['n', 'logit_bias', 'functions', 'function_call', ...foreign],
    drop: hints,
    extensions: ['reasoning_content'],
    embeddings: {
      encodings: ['float', 'base64'],
      tokens: false,
      user: false,
      fields: ['input_type', 'truncate'],
      defaults: { truncate: 'NONE' },
    },
  },
  nebius: {
    name: 'nebius',
    // https://docs.tokenfactory.nebius.com/api-reference
    baseURL: 'https://api.tokenfactory.nebius.com/v1',
    restrictedFields: vllmFields,
    developerRole: 'system',
    maxTokensParameter: 'max_tokens',
    refuse: ['functions', 'function_call', ...foreign],
    drop: hints.filter(hint => hint !== 'user'),
    extensions: ['reasoning_content'],
    embeddings: { tokens: false, user: false, fields: [] },
  },
  moonshot: {
    name: 'moonshot',
    // https://platform.moonshot.ai/docs/api/chat, and recorded answers. Its Messages API is for clients such as Claude Code.
    baseURL: 'https://api.moonshot.ai/v1',
    speaks: ['messages'],
    messagesPath: '/anthropic/v1/messages',
    restrictedFields: moonshotFields,
    developerRole: 'system',
    maxTokensParameter: 'max_tokens',
    refuse: ['logit_bias', 'logprobs', 'top_logprobs', 'functions', 'function_call', ...foreign],
    drop: [...hints.filter(hint => !['prompt_cache_key', 'safety_identifier'].includes(hint)), 'seed'],
    // It wants the reasoning of turns with tool calls back.
    extensions: ['reasoning_content', 'partial'],
    embeddings: false,
  },
  zai: {
    name: 'zai',
    // https://docs.z.ai/api-reference/llm/chat-completion, and recorded answers.
    baseURL: 'https://api.z.ai/api/paas/v4',
    speaks: ['messages'],
    messagesPath: '/api/anthropic/v1/messages',
    restrictedFields: zaiFields,
    developerRole: 'system',
    maxTokensParameter: 'max_tokens',
    // It ignores what it does not know, and every `tool_choice` but `auto`.
    refuse: [
      'n',
      'logit_bias',
      'logprobs',
      'top_logprobs',
      'presence_penalty',
      'frequency_penalty',
      'tool_choice',
      'parallel_tool_calls',
      'functions',
      'function_call',
      ...foreign,
    ],
    drop: [...hints, 'seed'],
    messageNames: false,
    extensions: ['reasoning_content'],
    embeddings: false,
  },
  alibaba: {
    name: 'alibaba',
    // https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope, and recorded answers.
    baseURL: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    restrictedFields: alibabaFields,
    developerRole: 'system',
    maxTokensParameter: 'max_tokens',
    refuse: ['logit_bias', 'functions', 'function_call', ...foreign],
    drop: hints,
    extensions: ['reasoning_content', 'cache_control'],
    accepts: ['video_url'],
    embeddings: { maxInputs: 10, encodings: ['float'], tokens: false, user: false, fields: [] },
  },
  github: {
    name: 'github',
    // https://docs.github.com/en/rest/models/inference
    baseURL: 'https://models.github.ai/inference',
    restrictedFields: githubFields,
    developerRole: 'system',
    refuse: ['n', 'logit_bias', 'logprobs', 'top_logprobs', 'functions', 'function_call', ...foreign],
    drop: hints,
    embeddings: { encodings: ['float', 'base64'], user: false, fields: ['input_type'] },
  },
  cloudflare: {
    name: 'cloudflare',
    // https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility
    baseURL: 'https://api.cloudflare.com/client/v4/accounts/ACCOUNT_ID/ai/v1',
    restrictedFields: cloudflareFields,
    developerRole: 'system',
    maxTokensParameter: 'max_tokens',
    // It ignores what it does not know.
    refuse: [
      'n',
      'logit_bias',
      'logprobs',
      'top_logprobs',
      'parallel_tool_calls',
      'functions',
      'function_call',
      ...foreign,
    ],
    drop: hints,
    extensions: ['reasoning_content'],
    embeddings: { maxInputs: 100, dimensions: false, tokens: false, user: false, fields: [] },
  },
  cohere: {
    name: 'cohere',
    // https://docs.cohere.com/docs/compatibility-api: what it does not list, it is not sent. `cohere()` embeds by Cohere's own API.
    baseURL: 'https://api.cohere.ai/compatibility/v1',
    restrictedFields: cohereFields,
    maxTokensParameter: 'max_tokens',
    streamOptions: false,
    refuse: [
      'n',
      'logit_bias',
      'logprobs',
      'top_logprobs',
      'tool_choice',
      'parallel_tool_calls',
      'functions',
      'function_call',
      ...foreign,
    ],
    drop: hints,
    messageFields: 'strict',
    reasoningEfforts: ['none', 'high'],
    embeddings: {
      encodings: ['float', 'base64'],
      dimensions: false,
      tokens: false,
      user: false,
      fields: [],
    },
  },
  databricks: {
    name: 'databricks',
    // https://docs.databricks.com/aws/en/machine-learning/foundation-model-apis/api-reference
    baseURL: 'https://HOST/serving-endpoints',
    restrictedFields: databricksFields,
    developerRole: 'system',
    maxTokensParameter: 'max_tokens',
    refuse: [
      'logit_bias',
      'presence_penalty',
      'frequency_penalty',
      'parallel_tool_calls',
      'functions',
      'function_call',
      ...foreign,
    ],
    drop: [...hints, 'seed'],
    extensions: ['reasoning_content'],
    embeddings: { maxInputs: 150, dimensions: false, tokens: false, user: false, fields: ['instruction'] },
  },
} as const satisfies Record<string, Preset>

const optionNames = /* @__PURE__ */ namesOf<PresetOptions>({
  apiKey: true,
  baseURL: true,
  headers: true,
  maxConcurrent: true,
  allowFields: true,
  providerFields: true,
  speaks: true,
})

function hosted<Known extends string>(
  preset: Preset,
  variable = `${preset.name.toUpperCase()}_API_KEY`,
): (options?: HostedOptions) => ProviderInstanceOf<Known> {
  const { name } = preset
  // Behind a URL of its own may be another server.
  const { speaks: _, messagesPath: __, ...sameElsewhere } = preset
  const elsewhere: Preset = { ...sameElsewhere, restrictedFields: allRestrictedFields }
  return (options = {}) => {
    rejectUnknownOptions(name, options, optionNames)
    const apiKey = keyOrEnvironment(options.apiKey, name, [variable])
    return withPreset(options.baseURL === undefined ? preset : elsewhere, { ...options, apiKey })
  }
}

/** Options of `cloudflare()`. */
export interface CloudflareOptions extends HostedOptions {
  /** The id of the account, which is part of the URL. Default: `CLOUDFLARE_ACCOUNT_ID`. Not together with `baseURL`. */
  readonly accountId?: string | undefined
}

/** Options of `databricks()`. */
export interface DatabricksOptions extends HostedOptions {
  /** The host of the workspace: `dbc-0123.cloud.databricks.com`. Default: `DATABRICKS_HOST`. Not together with `baseURL`. */
  readonly host?: string | undefined
}

/** What an account's URL has in place of a word of the preset's. */
interface AccountPart<Name extends string> {
  readonly option: Name
  readonly word: string
  readonly variable: string
  readonly keyVariable: string
  /** Returns what goes into the URL, or `undefined` for an invalid value. */
  readonly read: (value: string) => string | undefined
  readonly expected: string
}

function accountHosted<Name extends string>(
  preset: Preset,
  { option, word, variable, keyVariable, read, expected }: AccountPart<Name>,
): (options?: HostedOptions & { readonly [Key in Name]?: string | undefined }) => ProviderInstance {
  const { name } = preset
  const ofAnyAccount = hosted<never>(preset, keyVariable)
  return (options = {}) => {
    rejectUnknownOptions(name, options, [...optionNames, option])
    const { [option]: given, ...others } = options
    if (options.baseURL !== undefined) {
      if (given === undefined) return ofAnyAccount(others)
      throw configurationError(`${name}()`, [option], given, 'no such option together with baseURL')
    }
    const apiKey = keyOrEnvironment(options.apiKey, name, [keyVariable])
    const value: unknown = given ?? variableOf([variable])
    const part = typeof value === 'string' ? read(value) : undefined
    if (part === undefined) {
      const named = `${expected}, here or in the environment variable ${variable}`
      throw configurationError(`${name}()`, [option], value, named)
    }
    return withPreset({ ...preset, baseURL: preset.baseURL.replace(word, part) }, { ...others, apiKey })
  }
}

function selfHosted(preset: Preset): (options?: PresetOptions) => ProviderInstance {
  return (options = {}) => withPreset(preset, options)
}

function withPreset(preset: Preset, options: PresetOptions): ProviderInstance {
  rejectUnknownOptions(preset.name, options, optionNames)
  const { baseURL = preset.baseURL, providerFields = preset.providerFields, speaks = preset.speaks } = options
  const { capabilities = embeddingCapabilities } = preset
  return openaiCompatible({ ...preset, ...options, baseURL, providerFields, speaks, capabilities })
}

/** Ollama on this machine: `ollama()('llama3.3')`. */
export const ollama = /* @__PURE__ */ selfHosted(presets.ollama)
/** A vLLM server on this machine: `vllm()('Qwen/Qwen3-8B')`. */
export const vllm = /* @__PURE__ */ selfHosted(presets.vllm)
/** A llama.cpp server on this machine: `llamacpp()('default')`. */
export const llamacpp = /* @__PURE__ */ selfHosted(presets.llamacpp)
/** LM Studio on this machine: `lmstudio()('qwen3-8b')`. */
export const lmstudio = /* @__PURE__ */ selfHosted(presets.lmstudio)
/** Groq: `groq({ apiKey })('llama-3.3-70b-versatile')`. */
export const groq = /* @__PURE__ */ hosted<GroqModel>(presets.groq)
/** Mistral: `mistral({ apiKey })('mistral-large-latest')`. */
export const mistral = /* @__PURE__ */ hosted<MistralModel>(presets.mistral)
/** DeepSeek: `deepseek({ apiKey })('deepseek-chat')`. */
export const deepseek = /* @__PURE__ */ hosted<DeepSeekModel>(presets.deepseek)
/** xAI: `xai({ apiKey })('grok-4')`. */
export const xai = /* @__PURE__ */ hosted<XaiModel>(presets.xai)
/** OpenRouter: `openrouter({ apiKey })('anthropic/claude-sonnet-4')`. */
export const openrouter = /* @__PURE__ */ hosted<OpenRouterModel>(presets.openrouter)
/** Together: `together({ apiKey })('meta-llama/Llama-3.3-70B-Instruct-Turbo')`. */
export const together = /* @__PURE__ */ hosted<TogetherModel>(presets.together)
/** Fireworks: `fireworks({ apiKey })('accounts/fireworks/models/llama-v3p3-70b-instruct')`. */
export const fireworks = /* @__PURE__ */ hosted<FireworksModel>(presets.fireworks)
/** Cerebras: `cerebras({ apiKey })('llama-3.3-70b')`. */
export const cerebras = /* @__PURE__ */ hosted<CerebrasModel>(presets.cerebras)
/** Perplexity: `perplexity({ apiKey })('sonar')`. */
export const perplexity = /* @__PURE__ */ hosted<PerplexityModel>(presets.perplexity)
/** The router of Hugging Face: `huggingface({ apiKey })('openai/gpt-oss-120b:groq')`. */
export const huggingface = /* @__PURE__ */ hosted<never>(presets.huggingface, 'HF_TOKEN')
/** NVIDIA NIM: `nvidia({ apiKey })('meta/llama-3.3-70b-instruct')`. */
export const nvidia = /* @__PURE__ */ hosted<never>(presets.nvidia)
/** Nebius: `nebius({ apiKey })('Qwen/Qwen3-235B-A22B-Instruct-2507')`. */
export const nebius = /* @__PURE__ */ hosted<never>(presets.nebius)
/** Moonshot: `moonshot({ apiKey })('kimi-k2.6')`. */
export const moonshot = /* @__PURE__ */ hosted<never>(presets.moonshot)
/** Z.ai: `zai({ apiKey })('glm-4.7')`. */
export const zai = /* @__PURE__ */ hosted<never>(presets.zai)
/** Alibaba's Model Studio, international: `alibaba({ apiKey })('qwen-plus')`. */
export const alibaba = /* @__PURE__ */ hosted<never>(presets.alibaba, 'DASHSCOPE_API_KEY')
/** GitHub Models: `github({ apiKey })('openai/gpt-4o-mini')`. */
export const github = /* @__PURE__ */ hosted<never>(presets.github, 'GITHUB_TOKEN')
/** Cloudflare's Workers AI: `cloudflare({ accountId, apiKey })('@cf/meta/llama-3.3-70b-instruct-fp8-fast')`. */
export const cloudflare: (options?: CloudflareOptions) => ProviderInstance = /* @__PURE__ */ accountHosted(
  presets.cloudflare,
  {
    option: 'accountId',
    word: 'ACCOUNT_ID',
    variable: 'CLOUDFLARE_ACCOUNT_ID',
    keyVariable: 'CLOUDFLARE_API_TOKEN',
    read: value => (/^[\w-]{1,64}$/.test(value) ? value : undefined),
    expected: 'the id of an account',
  },
)
/** Databricks: `databricks({ host, apiKey })('databricks-claude-sonnet-4')`. */
export const databricks: (options?: DatabricksOptions) => ProviderInstance = /* @__PURE__ */ accountHosted(
  presets.databricks,
  {
    option: 'host',
    word: 'HOST',
    variable: 'DATABRICKS_HOST',
    keyVariable: 'DATABRICKS_TOKEN',
    // The variable of Databricks' own tools has the scheme.
    read: value => /^(?:https:\/\/)?([a-z\d][a-z\d.-]*\.[a-z\d.-]*[a-z\d])\/?$/i.exec(value)?.[1],
    expected: 'the host of a workspace, such as dbc-0123.cloud.databricks.com',
  },
)
