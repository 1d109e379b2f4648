import type { Call, EncodedRequest, Provider } from '@sluice/core/provider'
import { baseUrl } from './base-url.ts'
import { checkFetchImage, type ImageFetcher } from './conversation/image-data.ts'
import { keyOrEnvironment } from './environment-key.ts'
import { decodeGenerateContent } from './gemini/decode.ts'
import { geminiNative, geminiParameters } from './gemini/parameters.ts'
import { generateContentBody } from './gemini/request-body.ts'
import { checkSafetySettings, type SafetySetting } from './gemini/safety-settings.ts'
import { geminiServiceTier } from './gemini/service-tier.ts'
import type { GeminiModel } from './known-models.ts'
import { knownOptions, namesOf } from './known-options.ts'
import { modelPath } from './model-path.ts'
import { ParameterAdjuster } from './parameters/adjusting.ts'
import { checkedSecret, furtherHeaders } from './request-headers.ts'
import { geminiFields } from './restricted-fields.ts'
import { restricting } from './restricting.ts'
import { concurrency, providerInstance, type VendorOf } from './vendor.ts'
import { exactJsonText } from './wire/exact-json.ts'

export type { FetchedImage, ImageFetcher } from './conversation/image-data.ts'
export type { SafetySetting } from './gemini/safety-settings.ts'
export type { ProviderInstance, VendorOf } from './vendor.ts'

/** How the Gemini API (AI Studio) is reached. */
export interface GeminiOptions {
  /** Sent as `x-goog-api-key`. Default: the environment variable `GOOGLE_API_KEY`, then `GEMINI_API_KEY`. */
  readonly apiKey?: string | undefined
  /** What stands before `/models/{model}:generateContent`. Without a path it gets `/v1beta`. Default `https://generativelanguage.googleapis.com/v1beta`. */
  readonly baseURL?: string | undefined
  /** What is let through of each kind of harm, for every request. Callers may send their own only where none are set here. Default: Google's. */
  readonly safetySettings?: readonly SafetySetting[] | undefined
  /** Fetches images that callers give by URL. Without it such a request is refused with 400. */
  readonly fetchImage?: ImageFetcher | undefined
  /** Further headers of each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** How many calls may run at once; further ones wait. Default: any number. */
  readonly maxConcurrent?: number | undefined
  /** Restricted fields that every caller may send, also with limits or a list of models. Default: none. */
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

/** Files that were given to Google before, and videos: the service reads those by itself, and no other URL for sure. */
const readable =
  /^https:\/\/(?:generativelanguage\.googleapis\.com\/v\w+\/files\/|(?:www\.)?youtube\.com\/watch\?|youtu\.be\/)/

/**
 * Google's Gemini models: `gemini({ apiKey })('gemini-2.5-flash')`.
 *
 * Throws `ConfigurationError` for a configuration that cannot work.
 */
export function gemini(options: GeminiOptions = {}): VendorOf<GeminiModel> {
  knownOptions('gemini', options, optionNames)
  const { apiKey, baseURL = 'https://generativelanguage.googleapis.com/v1beta', headers = {} } = options
  const { safetySettings, fetchImage, maxConcurrent } = options
  checkSafetySettings(safetySettings, 'gemini')
  checkFetchImage(fetchImage, 'gemini')
  const base = baseUrl(baseURL, 'gemini', '/models', '/v1beta')
  const credentials = {
    'x-goog-api-key': checkedSecret(
      keyOrEnvironment(apiKey, 'gemini', ['GOOGLE_API_KEY', 'GEMINI_API_KEY']),
      'gemini',
    ),
  }
  const further = furtherHeaders(credentials, headers, 'gemini')

  async function encode(call: Call): Promise<EncodedRequest> {
    const streamed = call.input.stream === true
    const adjusting = new ParameterAdjuster(call.unsupportedParameters)
    const tier = geminiServiceTier(call.input.service_tier, adjusting)
    const body = await generateContentBody(
      call,
      {
        api: 'gemini',
        rules: geminiParameters,
        native: geminiNative,
        safetySettings,
        images: { fetchImage, signal: call.signal },
        readsUrl: url => readable.test(url),
      },
      adjusting,
    )
    return {
      method: 'POST',
      url: `${base}/${modelPath(call.model)}:${streamed ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      headers: {
        'content-type': 'application/json',
        accept: streamed ? 'text/event-stream' : 'application/json',
        'accept-encoding': 'identity',
        ...further,
      },
      body: exactJsonText(tier === undefined ? body : { ...body, serviceTier: tier }),
      adjustments: adjusting.list,
    }
  }

  const provider: Provider = {
    name: 'gemini',
    encode,
    decode: (response, call) => decodeGenerateContent(response, call),
    ...concurrency(maxConcurrent, 'gemini'),
    ...restricting(geminiFields, options.allowFields, 'gemini'),
  }
  return providerInstance(provider)
}
