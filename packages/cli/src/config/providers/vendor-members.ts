import { requestExtensions } from '@sluice/core/provider'
import type {
  AnthropicOptions,
  AzureOptions,
  BedrockOptions,
  CloudflareOptions,
  CohereOptions,
  DatabricksOptions,
  EmbeddingServiceOptions,
  GeminiOptions,
  HostedOptions,
  LocalOptions,
  OpenAICompatibleOptions,
  OpenAIOptions,
  PresetOptions,
  ProviderFields,
  VertexOptions,
  WeightedKey,
} from '@sluice/providers'
import { count } from '../sections/numbers.ts'
import { isPlainObject, list, type Member, object, record } from '../shape/collections.ts'
import { either, just, named, orCode } from '../shape/either.ts'
import { anything, choice, flag, number, secret, text } from '../shape/values.ts'

type Members<Options> = { readonly [Name in keyof Required<Options>]: Member }

const fromEnvironment = `a key, such as \${NAME} from the environment`
const needed = { required: true } as const

const weightedKey = object<WeightedKey>(
  {
    key: { shape: secret(fromEnvironment), ...needed },
    weight: {
      shape: number({ min: 0 }, 'a number from 0'),
      description: 'Share of the calls, relative to the other keys. Default 1.',
    },
    label: {
      shape: text('a text that names the key'),
      description: 'Name in logs, metrics and traces. Default: its position, such as `key 2`.',
    },
  },
  '{ key, weight, label }',
)
/** A key, or a list of them. */
const keyOrKeys = named('ApiKeys', () => {
  const one = secret(fromEnvironment)
  const entry = either(
    [
      { when: isPlainObject, shape: weightedKey },
      { when: () => true, shape: one },
    ],
    fromEnvironment,
  )
  return either(
    [
      { when: Array.isArray, shape: list(entry, { of: 'keys', min: 1, max: 100 }) },
      { when: () => true, shape: one },
    ],
    fromEnvironment,
  )
})
const key: Member = {
  shape: keyOrKeys,
  description:
    "The API key, preferably from the environment, or a list of keys to distribute calls over. Default: the variable that the vendor's own library reads.",
}
const url: Member = {
  // An invalid value is not shown: it may contain credentials.
  shape: secret('a URL, such as https://host/v1'),
  description: "Base URL of the API. Default: the vendor's own.",
}
const headers: Member = {
  shape: record(secret('a text'), { of: "headers' values by name" }),
  description: 'Additional headers of each request.',
}
const maxConcurrent: Member = {
  shape: count,
  description: 'Maximum number of concurrent calls; further ones wait. Default: no limit.',
}
const allowFields: Member = {
  shape: list(text(), { of: 'names of fields' }),
  description: 'Restricted fields that every caller may send, also callers with limits or a list of models.',
}
const fieldNames: Member = { shape: list(text(), { of: 'names of fields' }) }
const providerFields: Member = {
  shape: either(
    [
      { when: value => value === false, shape: just(false) },
      {
        when: () => true,
        shape: object<ProviderFields>(
          { response: fieldNames, choice: fieldNames, message: fieldNames, usage: fieldNames },
          '`false`, or names of fields by level',
        ),
      },
    ],
    '`false`, or names of fields by level',
  ),
  description:
    'Fields outside the protocol that answers keep as `provider_specific_fields`. Default: those that the vendor is known for. `false`: none.',
}
const isFunction = (value: unknown) => typeof value === 'function'
/** What only TypeScript can give. */
const code = (what: string): Member => ({
  shape: orCode(
    {
      read: (value, location) => location.reject(value, `a function, in a TypeScript configuration: ${what}`),
      schema: () => ({ not: {} }),
    },
    isFunction,
  ),
})
const texts = (of: string) => list(text(), { of })

const speaks: Member = {
  shape: list(choice('messages'), { of: 'dialects' }),
  description:
    'Dialects in which requests are passed on as they came, such as `messages`. Default: those that the vendor speaks itself. `[]`: none.',
}
const compatibleSpeaks: Member = {
  ...speaks,
  shape: list(choice('messages', 'responses'), { of: 'dialects' }),
}
const reasoningApi: Member = {
  shape: choice('responses', 'chat'),
  description:
    'API by which reasoning models are called where a request is translated: `responses`, which gives their thoughts and takes them back, or `chat`. Default: `responses` at the host of OpenAI itself, else `chat`.',
}
const allowBetas: Member = {
  shape: texts('names of betas'),
  description: 'Beta features of Claude models that callers may use, besides the known ones.',
}

const serverMembers = { apiKey: key, baseURL: url, headers, maxConcurrent, allowFields }

export const ownMembers: Members<PresetOptions> = {
  ...serverMembers,
  providerFields,
  speaks: compatibleSpeaks,
}
export const hostedMembers: Members<HostedOptions> = { ...ownMembers }

const { speaks: _, ...withoutDialects } = ownMembers
export const cohereMembers: Members<CohereOptions> = withoutDialects

export const cloudflareMembers: Members<CloudflareOptions> = {
  ...hostedMembers,
  accountId: {
    shape: text(),
    description: 'The id of the account. Default: `CLOUDFLARE_ACCOUNT_ID` of the environment. Or `baseURL`.',
  },
}
export const databricksMembers: Members<DatabricksOptions> = {
  ...hostedMembers,
  host: {
    shape: text(),
    description: 'The host of the workspace. Default: `DATABRICKS_HOST` of the environment. Or `baseURL`.',
  },
}

export const openaiMembers: Members<OpenAIOptions> = {
  apiKey: key,
  baseURL: url,
  organization: { shape: text(), description: 'Sent as `openai-organization`.' },
  project: { shape: text(), description: 'Sent as `openai-project`.' },
  maxConcurrent,
  allowFields,
  providerFields,
  speaks: compatibleSpeaks,
  reasoningApi,
}

export const anthropicMembers: Members<AnthropicOptions> = {
  ...serverMembers,
  speaks,
  version: { shape: text(), description: 'Sent as `anthropic-version`. Default `2023-06-01`.' },
  beta: { shape: texts('names of betas'), description: 'Sent as `anthropic-beta`.' },
  defaultMaxTokens: {
    shape: count,
    description: 'Maximum output tokens where the caller sets none. Default 8192.',
  },
}

const safetySettings: Member = {
  shape: list(
    object<{ category: string; threshold: string }>({
      category: { shape: text(), ...needed },
      threshold: { shape: text(), ...needed },
    }),
    {
      of: 'safety settings',
    },
  ),
  description: "Threshold of each harm category. Default: Google's.",
}

export const geminiMembers: Members<GeminiOptions> = {
  ...serverMembers,
  safetySettings,
  fetchImage: code('it fetches images that callers give by URL'),
}

const token: Member = {
  shape: secret('an access token'),
  description: 'An access token, which expires after about an hour.',
}
const tokenProvider = code('it gives an access token for each call')

export const vertexMembers: Members<VertexOptions> = {
  project: { shape: text(), description: "The project's id.", ...needed },
  location: { shape: text(), description: 'Such as `us-central1` or `global`.', ...needed },
  token,
  tokenProvider,
  baseURL: url,
  defaultMaxTokens: anthropicMembers.defaultMaxTokens,
  beta: anthropicMembers.beta,
  allowBetas,
  speaks,
  safetySettings,
  fetchImage: geminiMembers.fetchImage,
  headers,
  maxConcurrent,
  allowFields,
}

export const bedrockMembers: Members<BedrockOptions> = {
  region: { shape: text(), description: 'Such as `us-east-1`. Default: `AWS_REGION` of the environment.' },
  credentials: {
    shape: orCode(
      object<{ accessKeyId: string; secretAccessKey: string; sessionToken?: string }>(
        {
          accessKeyId: { shape: secret('an access key id'), ...needed },
          secretAccessKey: { shape: secret('a secret access key'), ...needed },
          sessionToken: { shape: secret('a session token') },
        },
        '{ accessKeyId, secretAccessKey }',
      ),
      isFunction,
    ),
    description: 'AWS credentials that sign calls. Or use `bearerToken`.',
  },
  bearerToken: { shape: secret('an API key of Bedrock'), description: 'An API key of Bedrock.' },
  baseURL: url,
  fetchImage: geminiMembers.fetchImage,
  maxConcurrent,
  allowFields,
  speaks,
  allowBetas,
}

export const embeddingServiceMembers: Members<EmbeddingServiceOptions> = {
  apiKey: key,
  baseURL: url,
  headers,
  maxConcurrent,
}

export const azureMembers: Members<AzureOptions> = {
  resource: { shape: text(), description: 'The name before `.openai.azure.com`. Or `baseURL`.' },
  apiKey: { ...key, description: 'Sent as `api-key`. Or `token`.' },
  token,
  tokenProvider,
  apiVersion: { shape: text(), description: 'A date is a version of the classic API. Default: the v1 API.' },
  baseURL: url,
  headers,
  maxConcurrent,
  allowFields,
  providerFields,
  reasoningApi,
  speaks: {
    shape: list(choice('responses'), { of: 'dialects' }),
    description: 'Dialects in which requests are passed on as they came: `responses`. Default: none.',
  },
}

export const compatibleMembers: Members<OpenAICompatibleOptions> = {
  ...ownMembers,
  baseURL: { ...url, description: 'Base URL: the part before `/chat/completions`.', ...needed },
  name: { shape: text(), description: 'Default: the name in `providers`.' },
  capabilities: {
    shape: anything,
    description: 'Default capabilities of its models.',
  },
  maxTokensParameter: {
    shape: choice('max_tokens', 'max_completion_tokens', 'by-model'),
    description: 'The field that bounds the length of an answer. Default `by-model`.',
  },
  streamOptions: {
    shape: flag,
    description: '`false` where the vendor rejects `stream_options`. Default true.',
  },
  rename: {
    shape: record(text(), { of: 'names by field' }),
    description: 'Fields that the vendor names differently.',
  },
  drop: {
    shape: texts('fields'),
    description: 'Hints that the vendor rejects: removed, and reported in `x-sluice-adjustments`.',
  },
  refuse: {
    shape: texts('fields'),
    description: 'Fields that the vendor does not support and that change the answer.',
  },
  messageNames: { shape: flag, description: '`false` where messages may not carry `name`. Default true.' },
  messageFields: {
    shape: choice('any', 'strict'),
    description: '`strict` where unknown fields of messages are rejected.',
  },
  extensions: { shape: texts('fields'), description: 'Fields beyond the protocol that the vendor takes.' },
  accepts: {
    shape: list(choice(...requestExtensions), { of: 'request extensions' }),
    description: 'What the vendor accepts in requests beyond the protocol. Default: nothing.',
  },
  reasoningField: { shape: text(), description: 'What the vendor calls `reasoning_content`.' },
  developerRole: {
    shape: choice('developer', 'system'),
    description: '`system` where there is no role `developer`.',
  },
  restrictedFields: {
    shape: record(choice('model', 'routing', 'paid', 'output', 'prompt', 'scheduling'), {
      of: 'kinds by field',
    }),
    description: 'Fields outside the protocol that the server obeys. Default: those of all known servers.',
  },
  citations: {
    shape: choice('numbered'),
    description: '`numbered` where answers cite web pages as `[1]`: they become `annotations`.',
  },
  messagesPath: {
    shape: text(),
    description: 'Path of the Messages API on the server. Default: `/messages` below `baseURL`.',
  },
  encryptedReasoning: {
    shape: flag,
    description: 'Whether the Responses API of the server returns encrypted reasoning.',
  },
  reasoningApi,
  countsInputTokens: {
    shape: flag,
    description: 'Whether the Responses API of the server counts tokens, at `/responses/input_tokens`.',
  },
  requiredToolChoice: { shape: text(), description: "What the vendor calls `tool_choice: 'required'`." },
  reasoningEfforts: {
    shape: list(text(), { of: 'values' }),
    description: 'The values of `reasoning_effort` that the vendor takes. Default: all.',
  },
  toolCallIds: { shape: choice('nine-alphanumerics'), description: "The form of a tool call's id." },
  embeddings: {
    shape: anything,
    description: "How it differs from OpenAI's embeddings API. `false` where there are no embeddings.",
  },
  completions: {
    shape: anything,
    description:
      "How it differs from OpenAI's API of text completions. `{}`: not at all. Default `false`: it has none.",
  },
  moderations: {
    shape: flag,
    description: "Whether the server has OpenAI's moderations API, at `/moderations`.",
  },
  rerank: {
    shape: anything,
    description:
      "How it differs from Cohere's API to rank documents. `{}`: not at all. Default `false`: it has none.",
  },
}

export const localMembers: Members<LocalOptions> = {
  pace: { shape: anything, description: 'Speed of its responses. Default: as fast as they are read.' },
  faults: { shape: anything, description: 'Faults to test against. Not together with `script`.' },
  script: { shape: anything, description: 'Its responses, word for word.' },
  contextWindow: {
    shape: count,
    description: 'Maximum tokens of a prompt and its response. Default: no limit.',
  },
  now: code('the time in milliseconds since 1970'),
  maxConcurrent,
}
