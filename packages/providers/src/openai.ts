import { capabilitiesByName, openaiDialect } from './chat-completions/openai-dialect.ts'
import { knownOptions, namesOf } from './known-options.ts'
import { openaiCompatible, type Vendor } from './openai-compatible.ts'
import { allRestrictedFields, openaiFields } from './restricted-fields.ts'

export type { Vendor } from './vendor.ts'

/** How OpenAI is reached. */
export interface OpenAIOptions {
  readonly apiKey: string
  /** Default `https://api.openai.com/v1`. */
  readonly baseURL?: string | undefined
  /** Sent as `openai-organization`. */
  readonly organization?: string | undefined
  /** Sent as `openai-project`. */
  readonly project?: string | undefined
  /** How many calls may run at once; further ones wait. Default: any number. */
  readonly maxConcurrent?: number | undefined
  /** Restricted fields that every caller may send, also with limits or a list of models. Default: none. */
  readonly allowFields?: readonly string[] | undefined
}

const optionNames = /* @__PURE__ */ namesOf<OpenAIOptions>({
  apiKey: true,
  baseURL: true,
  organization: true,
  project: true,
  maxConcurrent: true,
  allowFields: true,
})

/**
 * OpenAI's models: `openai({ apiKey })('gpt-4o')`. Reasoning models (o1, o3, gpt-5 and so on) are known by
 * their names and get `max_completion_tokens`.
 *
 * Throws `TypeError` for a configuration that cannot work.
 */
export function openai(options: OpenAIOptions): Vendor {
  knownOptions('openai', options, optionNames)
  const { apiKey, baseURL, organization, project, maxConcurrent, allowFields } = options
  if (apiKey === undefined)
    throw new TypeError(
      'openai: apiKey is missing. Give the key, or check the variable that it is read from.',
    )
  return openaiCompatible({
    name: 'openai',
    baseURL: baseURL ?? 'https://api.openai.com/v1',
    apiKey,
    headers: {
      ...(organization === undefined ? {} : { 'openai-organization': organization }),
      ...(project === undefined ? {} : { 'openai-project': project }),
    },
    maxConcurrent,
    // Behind a URL of its own may be another server.
    restrictedFields: baseURL === undefined ? openaiFields : allRestrictedFields,
    allowFields,
    capabilities: capabilitiesByName,
    ...openaiDialect,
  })
}
