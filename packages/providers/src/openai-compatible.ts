import type { Capabilities, Provider, Target } from '@sluice/core'
import { baseUrl } from './base-url.ts'
import { checkDialect } from './chat-completions/check-dialect.ts'
import type { Dialect } from './chat-completions/dialect.ts'
import { decodeChatCompletions, encodeChatCompletions } from './chat-completions.ts'
import { knownOptions, namesOf } from './known-options.ts'
import { requestHeaders } from './request-headers.ts'

export type { Dialect } from './chat-completions/dialect.ts'

/** A vendor that is set up: give it a model's name to get a place where that model answers. */
export interface Vendor {
  /** `model` is the vendor's own name. Throws `TypeError` where it is empty. */
  (model: string, capabilities?: Capabilities): Target
  readonly provider: Provider
}

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
  /** What its models can do, where a target does not say otherwise. Default: unknown. */
  readonly capabilities?: Capabilities | ((model: string) => Capabilities | undefined) | undefined
}

const optionNames = /* @__PURE__ */ namesOf<OpenAICompatibleOptions>({
  name: true,
  baseURL: true,
  apiKey: true,
  headers: true,
  maxConcurrent: true,
  capabilities: true,
  maxTokensParameter: true,
  streamOptions: true,
  rename: true,
  drop: true,
  refuse: true,
  messageNames: true,
  messageFields: true,
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
export function openaiCompatible(options: OpenAICompatibleOptions): Vendor {
  knownOptions('openaiCompatible', options, optionNames)
  const { name, baseURL, apiKey, headers = {}, maxConcurrent, capabilities: known, ...dialect } = options
  if (typeof name !== 'string' || name.trim() === '')
    throw new TypeError('openaiCompatible: name has to be a word for the vendor.')
  checkDialect(dialect, name)
  if (maxConcurrent !== undefined && !(Number.isSafeInteger(maxConcurrent) && maxConcurrent > 0)) {
    throw new TypeError(`${name}: maxConcurrent has to be a whole number of 1 or more, not ${maxConcurrent}.`)
  }
  const endpoint = {
    url: `${baseUrl(baseURL, name)}/chat/completions`,
    headers: requestHeaders(apiKey, headers, name),
    dialect,
  }
  const provider: Provider = {
    name,
    encode: call => encodeChatCompletions(call, endpoint),
    decode: (response, call) => decodeChatCompletions(response, call),
    ...(maxConcurrent === undefined ? {} : { maxConcurrent }),
  }
  function target(model: string, given?: Capabilities): Target {
    if (typeof model !== 'string' || model.trim() === '') {
      throw new TypeError(
        `${name}: the model has to be named as the vendor names it, such as ${name}('its-model').`,
      )
    }
    const inferred = typeof known === 'function' ? known(model) : known
    if (given === undefined && inferred === undefined) return { provider, model }
    return { provider, model, capabilities: { ...inferred, ...given } }
  }
  return Object.assign(target, { provider })
}
