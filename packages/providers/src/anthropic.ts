import type { EncodedNativeRequest, NativeCall, Provider, UpstreamResponse } from '@sluice/core/provider'
import { validateBetas, validateMaxTokens, validateVersion } from './anthropic/check-options.ts'
import { countBody, decodeTokenCount, nativeCountBody } from './anthropic/count-tokens.ts'
import { decodeMessages } from './anthropic/decode.ts'
import { modelEdits, nativeBody } from './anthropic/native-body.ts'
import { decodeNativeMessages } from './anthropic/native-decode.ts'
import { defaultVersion, nativeHeaders } from './anthropic/native-headers.ts'
import { requestBody } from './anthropic/request-body.ts'
import { baseUrl } from './base-url.ts'
import { keyOrEnvironment } from './environment-key.ts'
import { restrictFields } from './field-restrictions.ts'
import type { AnthropicModel } from './known-models.ts'
import { namesOf, rejectUnknownOptions } from './known-options.ts'
import { concurrency, type ProviderInstanceOf, providerInstance } from './provider-instance.ts'
import { type ApiKeys, keyedCredentials } from './provider-keys.ts'
import { additionalHeaders } from './request-headers.ts'
import { anthropicFields } from './restricted-fields.ts'
import { type NativeDialect, nativeDialects } from './speaks.ts'
import { exactJsonText } from './wire/exact-json.ts'

export type { ProviderInstance, ProviderInstanceOf } from './provider-instance.ts'
export type { ApiKeys, WeightedKey } from './provider-keys.ts'
export type { NativeDialect } from './speaks.ts'

/** Options of `anthropic()`. */
export interface AnthropicOptions {
  /** Sent as `x-api-key`: one key, or a list of several. Default: the environment variable `ANTHROPIC_API_KEY`. */
  readonly apiKey?: ApiKeys | undefined
  /** The URL before `/messages`; `/v1` is added to a URL without a path. Default `https://api.anthropic.com/v1`. */
  readonly baseURL?: string | undefined
  /** Sent as `anthropic-version`. Default `2023-06-01`. */
  readonly version?: string | undefined
  /** Sent as `anthropic-beta`, joined by commas. */
  readonly beta?: readonly string[] | undefined
  /**
   * The `max_tokens` for callers that send none, because Anthropic requires it. The thinking budget is added to it.
   * Default 8,192 tokens, or the model's maximum if that is lower.
   */
  readonly defaultMaxTokens?: number | undefined
  /** Additional headers for each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The maximum number of concurrent calls; further calls wait. Default: no maximum. */
  readonly maxConcurrent?: number | undefined
  /** Restricted fields that every caller may send, even one with limits or a model list. Default: none. */
  readonly allowFields?: readonly string[] | undefined
  /**
   * Dialects in which requests are passed on as they came, with few edits. Default: `['messages']`. `[]`: all requests are
   * translated.
   */
  readonly speaks?: readonly NativeDialect[] | undefined
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
  speaks: true,
})

/** The headers of a request whose response is not streamed. */
const wholeAnswer = {
  'content-type': 'application/json',
  accept: 'application/json',
  'accept-encoding': 'identity',
}

/**
 * Creates a provider for Anthropic: `anthropic({ apiKey })('claude-sonnet-4-20250514')`.
 *
 * Throws `TypeError` for invalid options: a `ConfigurationError`, or a plain `TypeError` for some values.
 */
export function anthropic(options: AnthropicOptions = {}): ProviderInstanceOf<AnthropicModel> {
  rejectUnknownOptions('anthropic', options, optionNames)
  const { apiKey, baseURL = 'https://api.anthropic.com/v1', version = defaultVersion, beta } = options
  const { defaultMaxTokens, headers = {}, maxConcurrent } = options
  const settings = { defaultMaxTokens: validateMaxTokens(defaultMaxTokens, 'anthropic') }
  const url = `${baseUrl(baseURL, 'anthropic', '/messages', '/v1')}/messages`
  const apiKeys = keyOrEnvironment(apiKey, 'anthropic', ['ANTHROPIC_API_KEY'])
  const versions: Record<string, string> = { 'anthropic-version': validateVersion(version, 'anthropic') }
  const betas = validateBetas(beta, 'anthropic')
  if (betas.length > 0) versions['anthropic-beta'] = betas.join(',')
  const further = keyedCredentials(apiKeys, 'anthropic', key =>
    additionalHeaders({ ...(key !== undefined && { 'x-api-key': key }), ...versions }, headers, 'anthropic'),
  )
  const keepsBilling = new URL(url).host === 'api.anthropic.com'
  const native = {
    encodeNative: (call: NativeCall): EncodedNativeRequest => {
      const { body, adjustments } = nativeBody(call, modelEdits(call), keepsBilling)
      return { method: 'POST', url, headers: nativeHeaders(call, further.of(call)), body, adjustments }
    },
    decodeNative: (response: UpstreamResponse, call: NativeCall) => decodeNativeMessages(response, call),
  }
  const provider: Provider = {
    name: 'anthropic',
    realm: url,
    encode: call => {
      const { body, adjustments } = requestBody(call, settings)
      return {
        method: 'POST',
        url,
        headers: {
          'content-type': 'application/json',
          accept: call.input.stream === true ? 'text/event-stream' : 'application/json',
          'accept-encoding': 'identity',
          ...further.of(call),
        },
        body: exactJsonText(body),
        adjustments,
      }
    },
    decode: (response, call) => decodeMessages(response, call),
    count: {
      encode: call => ({
        method: 'POST',
        url: `${url}/count_tokens`,
        headers: { ...wholeAnswer, ...further.of(call) },
        body: exactJsonText(countBody(call)),
      }),
      encodeNative: call => ({
        method: 'POST',
        url: `${url}/count_tokens`,
        headers: { ...nativeHeaders(call, further.of(call)), ...wholeAnswer },
        body: nativeCountBody(call, modelEdits(call), keepsBilling),
      }),
      decode: decodeTokenCount,
    },
    ...nativeDialects(options.speaks, ['messages'], native, 'anthropic'),
    ...further.part,
    ...concurrency(maxConcurrent, 'anthropic'),
    ...restrictFields(anthropicFields, options.allowFields, 'anthropic'),
  }
  return providerInstance(provider)
}
