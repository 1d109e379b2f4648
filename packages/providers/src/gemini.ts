import type { Call, EncodedRequest, Provider } from '@sluice/core/provider'
import { baseUrl } from './base-url.ts'
import { checkFetchImage, type ImageFetcher } from './conversation/image-data.ts'
import { embeddingCapabilities } from './embeddings/embedding-models.ts'
import { keyOrEnvironment } from './environment-key.ts'
import { restrictFields } from './field-restrictions.ts'
import { decodeGenerateContent } from './gemini/decode.ts'
import { decodeBatchEmbeddings, encodeBatchEmbeddings, maxGeminiInputs } from './gemini/embeddings.ts'
import { parseGoogleError } from './gemini/google-error.ts'
import { geminiNative, geminiParameters } from './gemini/parameters.ts'
import { generateContentBody } from './gemini/request-body.ts'
import { checkSafetySettings, type SafetySetting } from './gemini/safety-settings.ts'
import { geminiServiceTier } from './gemini/service-tier.ts'
import type { GeminiModel } from './known-models.ts'
import { namesOf, rejectUnknownOptions } from './known-options.ts'
import { modelPath } from './model-path.ts'
import { ParameterAdjuster } from './parameters/parameter-adjuster.ts'
import { concurrency, type ProviderInstanceOf, providerInstance } from './provider-instance.ts'
import { type ApiKeys, keyedCredentials } from './provider-keys.ts'
import { additionalHeaders } from './request-headers.ts'
import { geminiFields } from './restricted-fields.ts'
import { decodeCount } from './wire/decode-count.ts'
import { exactJsonText } from './wire/exact-json.ts'

export type { FetchedImage, ImageFetcher } from './conversation/image-data.ts'
export type { SafetySetting } from './gemini/safety-settings.ts'
export type { ProviderInstance, ProviderInstanceOf } from './provider-instance.ts'
export type { ApiKeys, WeightedKey } from './provider-keys.ts'

/** Options of `gemini()`, for the Gemini API (AI Studio). */
export interface GeminiOptions {
  /** Sent as `x-goog-api-key`: one key, or a list of several. Default: the environment variable `GOOGLE_API_KEY`, then `GEMINI_API_KEY`. */
  readonly apiKey?: ApiKeys | undefined
  /**
   * The URL before `/models/{model}:generateContent`; `/v1beta` is added to a URL without a path. Default
   * `https://generativelanguage.googleapis.com/v1beta`.
   */
  readonly baseURL?: string | undefined
  /**
   * The safety thresholds for every request. Callers may send `safety_settings` only if this is not set. Default:
   * Google's.
   */
  readonly safetySettings?: readonly SafetySetting[] | undefined
  /** Fetches images that callers send as URLs. Without it, the gateway rejects such a request with 400. */
  readonly fetchImage?: ImageFetcher | undefined
  /** Additional headers for each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The maximum number of concurrent calls; further calls wait. Default: no maximum. */
  readonly maxConcurrent?: number | undefined
  /** Restricted fields that every caller may send, even one with limits or a model list. Default: none. */
  readonly allowFields?: readonly string[] | undefined
}

const optionNames = /* @__PURE__ */ namesOf<GeminiOptions>({
  apiKey: true,
  baseURL: true,
  safetySettings: true,
  fetchImage: true,
  headers: true,
  maxConcurrent: true,
  allowFields: true,
})

/** Uploaded files and YouTube videos: the only URLs that Google is known to fetch itself. */
const readable =
  /^https:\/\/(?:generativelanguage\.googleapis\.com\/v\w+\/files\/|(?:www\.)?youtube\.com\/watch\?|youtu\.be\/)/

/**
 * Creates a provider for the Gemini API: `gemini({ apiKey })('gemini-2.5-flash')`.
 *
 * Throws `TypeError` for invalid options: a `ConfigurationError`, or a plain `TypeError` for some values.
 */
export function gemini(options: GeminiOptions = {}): ProviderInstanceOf<GeminiModel> {
  rejectUnknownOptions('gemini', options, optionNames)
  const { apiKey, baseURL = 'https://generativelanguage.googleapis.com/v1beta', headers = {} } = options
  const { safetySettings, fetchImage, maxConcurrent } = options
  checkSafetySettings(safetySettings, 'gemini')
  checkFetchImage(fetchImage, 'gemini')
  const base = baseUrl(baseURL, 'gemini', '/models', '/v1beta')
  const apiKeys = keyOrEnvironment(apiKey, 'gemini', ['GOOGLE_API_KEY', 'GEMINI_API_KEY'])
  const further = keyedCredentials(apiKeys, 'gemini', key =>
    additionalHeaders(key === undefined ? {} : { 'x-goog-api-key': key }, headers, 'gemini'),
  )

  const bodyOf = (call: Call, adjuster: ParameterAdjuster) =>
    generateContentBody(
      call,
      {
        api: 'gemini',
        rules: geminiParameters,
        native: geminiNative,
        safetySettings,
        images: { fetchImage, signal: call.signal },
        readsUrl: url => readable.test(url),
      },
      adjuster,
    )

  async function encode(call: Call): Promise<EncodedRequest> {
    const streamed = call.input.stream === true
    const adjuster = new ParameterAdjuster(call.unsupportedParameters, call.request)
    const tier = geminiServiceTier(call.input.service_tier, adjuster)
    const body = await bodyOf(call, adjuster)
    return {
      method: 'POST',
      url: `${base}/${modelPath(call.model)}:${streamed ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      headers: {
        'content-type': 'application/json',
        accept: streamed ? 'text/event-stream' : 'application/json',
        'accept-encoding': 'identity',
        ...further.of(call),
      },
      body: exactJsonText(tier === undefined ? body : { ...body, serviceTier: tier }),
      adjustments: adjuster.list,
    }
  }

  async function encodeCount(call: Call): Promise<EncodedRequest> {
    const model = modelPath(call.model)
    const body = await bodyOf(call, new ParameterAdjuster(call.unsupportedParameters, call.request))
    return {
      method: 'POST',
      url: `${base}/${model}:countTokens`,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'accept-encoding': 'identity',
        ...further.of(call),
      },
      body: exactJsonText({ generateContentRequest: { model, ...body } }),
    }
  }

  const provider: Provider = {
    name: 'gemini',
    realm: base,
    encode,
    decode: (response, call) => decodeGenerateContent(response, call),
    count: {
      encode: encodeCount,
      decode: response => decodeCount(response, 'totalTokens', parseGoogleError),
    },
    embed: {
      maxInputs: maxGeminiInputs,
      encode: call => encodeBatchEmbeddings(call, base, further.of(call)),
      decode: decodeBatchEmbeddings,
    },
    ...further.part,
    ...concurrency(maxConcurrent, 'gemini'),
    ...restrictFields(geminiFields, options.allowFields, 'gemini'),
  }
  return providerInstance(provider, embeddingCapabilities)
}
