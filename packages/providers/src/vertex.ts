import type { Call, EncodedRequest, Provider, Reply, UpstreamResponse } from '@sluice/core/provider'
import { accessToken } from './access-token.ts'
import { decodeMessages } from './anthropic/decode.ts'
import { baseUrl } from './base-url.ts'
import { checkFetchImage, type ImageFetcher } from './conversation/image-data.ts'
import { decodeGenerateContent } from './gemini/decode.ts'
import { googleRefusal } from './gemini/google-refusal.ts'
import { checkSafetySettings, type SafetySetting } from './gemini/safety-settings.ts'
import type { VertexModel } from './known-models.ts'
import { knownOptions, namesOf } from './known-options.ts'
import { furtherHeaders } from './request-headers.ts'
import { vertexFields } from './restricted-fields.ts'
import { restricting } from './restricting.ts'
import { concurrency, providerInstance, type VendorOf } from './vendor.ts'
import { claudeRequest, claudeSettings } from './vertex/claude-request.ts'
import { geminiRequest } from './vertex/gemini-request.ts'
import { checkPlace, vertexHost } from './vertex/host.ts'
import { modelResource } from './vertex/model-resource.ts'
import { exactJsonText } from './wire/exact-json.ts'
import { wallClock } from './wire/wall-clock.ts'

export type { FetchedImage, ImageFetcher } from './conversation/image-data.ts'
export type { SafetySetting } from './gemini/safety-settings.ts'
export type { ProviderInstance, VendorOf } from './vendor.ts'

/** How Vertex AI is reached. One of `token` and `tokenProvider` is required. */
export interface VertexOptions {
  readonly project: string
  /** Such as `us-central1`, `europe-west1` or `global`. */
  readonly location: string
  /** An OAuth access token, sent as `Authorization: Bearer ...`. It lasts for an hour at most. */
  readonly token?: string | undefined
  /** Asked for an access token before each call; it keeps and renews the token itself. */
  readonly tokenProvider?: (() => string | Promise<string>) | undefined
  /** What stands before `/projects/...`. Without a path it gets `/v1`. Default `https://{location}-aiplatform.googleapis.com/v1`, by the model's location. */
  readonly baseURL?: string | undefined
  /** As for `anthropic`, of Claude models. */
  readonly defaultMaxTokens?: number | undefined
  /** As for `anthropic`, of Claude models. */
  readonly beta?: readonly string[] | undefined
  /** As for `gemini`, of Gemini models. */
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

const optionNames = /* @__PURE__ */ namesOf<VertexOptions>({
  project: true,
  location: true,
  token: true,
  tokenProvider: true,
  baseURL: true,
  defaultMaxTokens: true,
  beta: true,
  safetySettings: true,
  fetchImage: true,
  headers: true,
  maxConcurrent: true,
  allowFields: true,
})

/**
 * Gemini and Claude on Vertex AI: `vertex({ project, location, token })('gemini-2.5-flash')`,
 * `...('claude-sonnet-4@20250514')`. A model may also be named with its publisher (`publishers/google/models/...`),
 * as an endpoint (`endpoints/...`), or by its whole resource name.
 *
 * Throws `TypeError` for a configuration that cannot work.
 */
export function vertex(options: VertexOptions): VendorOf<VertexModel> {
  knownOptions('vertex', options, optionNames)
  const { project, location, headers = {}, maxConcurrent, safetySettings, fetchImage } = options
  checkPlace(project, location)
  const base =
    options.baseURL === undefined ? undefined : baseUrl(options.baseURL, 'vertex', '/projects', '/v1')
  const authorization = accessToken(options, 'vertex')
  // The token is not known yet; that no other header takes its place is.
  const further = furtherHeaders({ authorization: '' }, headers, 'vertex')
  const claude = claudeSettings(options)
  checkSafetySettings(safetySettings, 'vertex')
  checkFetchImage(fetchImage, 'vertex')

  async function encode(call: Call): Promise<EncodedRequest> {
    const streamed = call.input.stream === true
    const resource = modelResource(call.model, project, location)
    const written =
      resource.claude !== undefined
        ? await claudeRequest({ ...call, model: resource.claude }, claude)
        : await geminiRequest(call, { location: resource.location, safetySettings, fetchImage })
    return {
      method: 'POST',
      url: `${base ?? vertexHost(resource.location)}/${resource.path}:${written.method}`,
      headers: {
        'content-type': 'application/json',
        accept: streamed ? 'text/event-stream' : 'application/json',
        'accept-encoding': 'identity',
        ...further,
        ...written.headers,
        ...(await authorization()),
      },
      body: exactJsonText(written.body),
      adjustments: written.adjustments,
    }
  }

  async function decode(response: UpstreamResponse, call: Call): Promise<Reply> {
    const { claude: model } = modelResource(call.model, project, location)
    if (model === undefined) return decodeGenerateContent(response, call)
    const { status } = response
    // Errors are Google's own, whoever made the model.
    if (status < 200 || status > 299) throw await googleRefusal(response, wallClock)
    return decodeMessages(response, { ...call, model })
  }

  const provider: Provider = {
    name: 'vertex',
    encode,
    decode,
    ...concurrency(maxConcurrent, 'vertex'),
    ...restricting(vertexFields, options.allowFields, 'vertex'),
  }
  return providerInstance(provider)
}
