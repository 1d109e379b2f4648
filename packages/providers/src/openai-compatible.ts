import type { Provider, RestrictedFields } from '@sluice/core/provider'
import { baseUrl } from './base-url.ts'
import { checkDialect } from './chat-completions/check-dialect.ts'
import type { Dialect } from './chat-completions/dialect.ts'
import { chatCompletionsDecoder, encodeChatCompletions } from './chat-completions.ts'
import { knownOptions, namesOf } from './known-options.ts'
import { bearer, furtherHeaders } from './request-headers.ts'
import { allRestrictedFields } from './restricted-fields.ts'
import { checkRestrictedFields, restricting } from './restricting.ts'
import { concurrency, type KnownCapabilities, type ProviderInstance, providerInstance } from './vendor.ts'

export type { Dialect } from './chat-completions/dialect.ts'
export type { ProviderInstance } from './vendor.ts'

/** A service that speaks the chat-completions protocol, and how. */
export interface OpenAICompatibleOptions extends Dialect {
  /** The vendor's name, for records of what was asked of whom. */
  readonly name: string
  /** What stands before `/chat/completions`: `https://api.example.com/v1`. */
  readonly baseURL: string
  /** Sent as `Authorization: Bearer ...`. */
  readonly apiKey?: string | undefined
  /** Further headers of each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** How many calls may run at once; further ones wait. Default: any number. */
  readonly maxConcurrent?: number | undefined
  /**
   * The fields outside the protocol that the server obeys to choose models, routing, paid features or token bounds. Callers
   * with limits or a list of models may not send them. Default: those of all known servers.
   */
  readonly restrictedFields?: RestrictedFields | undefined
  /** Restricted fields that every caller may send, also with limits or a list of models. Default: none. */
  readonly allowFields?: readonly string[] | undefined
  /** What its models can do, where a target does not say otherwise. Default: unknown. */
  readonly capabilities?: KnownCapabilities | undefined
}

const optionNames = /* @__PURE__ */ namesOf<OpenAICompatibleOptions>({
  name: true,
  baseURL: true,
  apiKey: true,
  headers: true,
  maxConcurrent: true,
  restrictedFields: true,
  allowFields: true,
  capabilities: true,
  maxTokensParameter: true,
  streamOptions: true,
  rename: true,
  drop: true,
  refuse: true,
  messageNames: true,
  messageFields: true,
  extensions: true,
  reasoningField: true,
  developerRole: true,
  requiredToolChoice: true,
  toolCallIds: true,
})

/**
 * A provider for any service that speaks the chat-completions protocol.
 *
 * Throws `TypeError` for a configuration that cannot work.
 *
 * @example
 * const acme = openaiCompatible({ name: 'acme', baseURL: 'https://llm.acme.example/v1', apiKey })
 * createGateway({ route: models({ 'acme-large': acme('large-2') }), ... })
 */
export function openaiCompatible(options: OpenAICompatibleOptions): ProviderInstance {
  knownOptions('openaiCompatible', options, optionNames)
  const { name, baseURL, apiKey, headers = {}, maxConcurrent, capabilities: known, ...rest } = options
  const { restrictedFields = allRestrictedFields, allowFields, ...dialect } = rest
  if (typeof name !== 'string' || name.trim() === '')
    throw new TypeError('openaiCompatible: name has to be a word for the vendor.')
  checkDialect(dialect, name)
  checkRestrictedFields(restrictedFields, name)
  const endpoint = {
    url: `${baseUrl(baseURL, name)}/chat/completions`,
    headers: furtherHeaders(apiKey === undefined ? {} : bearer(apiKey, name), headers, name),
    dialect,
  }
  const provider: Provider = {
    name,
    encode: call => encodeChatCompletions(call, endpoint),
    decode: chatCompletionsDecoder(),
    ...concurrency(maxConcurrent, name),
    ...restricting(restrictedFields, allowFields, name),
  }
  return providerInstance(provider, known)
}
