import type { Provider } from '@sluice/core/provider'
import { checkedBetas, checkedMaxTokens, checkedVersion } from './anthropic/check-options.ts'
import { decodeMessages } from './anthropic/decode.ts'
import { requestBody } from './anthropic/request-body.ts'
import { baseUrl } from './base-url.ts'
import { keyOrEnvironment } from './environment-key.ts'
import type { AnthropicModel } from './known-models.ts'
import { knownOptions, namesOf } from './known-options.ts'
import { checkedSecret, furtherHeaders } from './request-headers.ts'
import { anthropicFields } from './restricted-fields.ts'
import { restricting } from './restricting.ts'
import { concurrency, providerInstance, type VendorOf } from './vendor.ts'
import { exactJsonText } from './wire/exact-json.ts'

export type { ProviderInstance, VendorOf } from './vendor.ts'

/** How Anthropic is reached. */
export interface AnthropicOptions {
  /** Sent as `x-api-key`. Default: the environment variable `ANTHROPIC_API_KEY`. */
  readonly apiKey?: string | undefined
  /** What stands before `/messages`. Without a path it gets `/v1`. Default `https://api.anthropic.com/v1`. */
  readonly baseURL?: string | undefined
  /** Sent as `anthropic-version`. Default `2023-06-01`. */
  readonly version?: string | undefined
  /** Sent as `anthropic-beta`, joined by commas. */
  readonly beta?: readonly string[] | undefined
  /**
   * The bound of an answer whose caller gave none, which Anthropic insists on, in tokens; where the model thinks,
   * room for that is added. Default 8,192, or the model's own maximum where that is smaller.
   */
  readonly defaultMaxTokens?: number | undefined
  /** Further headers of each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** How many calls may run at once; further ones wait. Default: any number. */
  readonly maxConcurrent?: number | undefined
  /** Restricted fields that every caller may send, also with limits or a list of models. Default: none. */
  readonly allowFields?: readonly string[] | undefined
}

const optionNames = /* @__PURE__ */ namesOf<AnthropicOptions>({
  apiKey: true,
  baseURL: true,
  version: true,
  beta: true,
  defaultMaxTokens: true,
  headers: true,
  maxConcurrent: true,
  allowFields: true,
})

/**
 * Anthropic's models: `anthropic({ apiKey })('claude-sonnet-4-20250514')`.
 *
 * Throws `ConfigurationError` for a configuration that cannot work.
 */
export function anthropic(options: AnthropicOptions = {}): VendorOf<AnthropicModel> {
  knownOptions('anthropic', options, optionNames)
  const { apiKey, baseURL = 'https://api.anthropic.com/v1', version = '2023-06-01', beta } = options
  const { defaultMaxTokens, headers = {}, maxConcurrent } = options
  const settings = { defaultMaxTokens: checkedMaxTokens(defaultMaxTokens, 'anthropic') }
  const url = `${baseUrl(baseURL, 'anthropic', '/messages', '/v1')}/messages`
  const credentials: Record<string, string> = {
    'x-api-key': checkedSecret(keyOrEnvironment(apiKey, 'anthropic', ['ANTHROPIC_API_KEY']), 'anthropic'),
    'anthropic-version': checkedVersion(version, 'anthropic'),
  }
  const betas = checkedBetas(beta, 'anthropic')
  if (betas.length > 0) credentials['anthropic-beta'] = betas.join(',')
  const further = furtherHeaders(credentials, headers, 'anthropic')
  const provider: Provider = {
    name: 'anthropic',
    encode: call => {
      const { body, adjustments } = requestBody(call, settings)
      return {
        method: 'POST',
        url,
        headers: {
          'content-type': 'application/json',
          accept: call.input.stream === true ? 'text/event-stream' : 'application/json',
          'accept-encoding': 'identity',
          ...further,
        },
        body: exactJsonText(body),
        adjustments,
      }
    },
    decode: (response, call) => decodeMessages(response, call),
    ...concurrency(maxConcurrent, 'anthropic'),
    ...restricting(anthropicFields, options.allowFields, 'anthropic'),
  }
  return providerInstance(provider)
}
