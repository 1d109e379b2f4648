import type {
  Call,
  EncodedNativeRequest,
  EncodedRequest,
  NativeCall,
  Provider,
  Reply,
  UpstreamResponse,
} from '@sluice/core/provider'
import { accessToken } from './access-token.ts'
import { allowedBetas, vertexBetas } from './anthropic/body-betas.ts'
import { decodeMessages } from './anthropic/decode.ts'
import { decodeNativeMessages } from './anthropic/native-decode.ts'
import { plainHeaders } from './anthropic/native-headers.ts'
import { baseUrl } from './base-url.ts'
import { checkFetchImage, type ImageFetcher } from './conversation/image-data.ts'
import { embeddingCapabilities } from './embeddings/embedding-models.ts'
import { embeddingsRequest } from './embeddings/openai-embeddings.ts'
import { restrictFields } from './field-restrictions.ts'
import { decodeGenerateContent } from './gemini/decode.ts'
import { parseGoogleError } from './gemini/google-error.ts'
import { checkSafetySettings, type SafetySetting } from './gemini/safety-settings.ts'
import type { VertexModel } from './known-models.ts'
import { namesOf, rejectUnknownOptions } from './known-options.ts'
import { cannotSend } from './parameters/parameter-adjuster.ts'
import { concurrency, type ProviderInstanceOf, providerInstance } from './provider-instance.ts'
import { additionalHeaders } from './request-headers.ts'
import { vertexFields } from './restricted-fields.ts'
import { type NativeDialect, nativeDialects } from './speaks.ts'
import { claudeRequest, claudeSettings } from './vertex/claude-request.ts'
import {
  claudeCountBody,
  countUrl,
  decodeVertexCount,
  geminiCountBody,
  nativeClaudeCountBody,
} from './vertex/count-tokens.ts'
import {
  decodeVertexEmbeddings,
  maxVertexInputs,
  maxVertexTokens,
  vertexEmbeddings,
} from './vertex/embeddings.ts'
import { geminiRequest } from './vertex/gemini-request.ts'
import { checkProjectAndLocation, vertexHost } from './vertex/host.ts'
import { type ModelResource, modelResource } from './vertex/model-resource.ts'
import { nativeClaudeRequest } from './vertex/native-claude-request.ts'
import { exactJsonText } from './wire/exact-json.ts'
import { wallClock } from './wire/wall-clock.ts'

export type { FetchedImage, ImageFetcher } from './conversation/image-data.ts'
export type { SafetySetting } from './gemini/safety-settings.ts'
export type { ProviderInstance, ProviderInstanceOf } from './provider-instance.ts'
export type { NativeDialect } from './speaks.ts'

/** Options of `vertex()`. Requires `token` or `tokenProvider`. */
export interface VertexOptions {
  readonly project: string
  /** Such as `us-central1`, `europe-west1` or `global`. */
  readonly location: string
  /** An OAuth access token, sent as `Authorization: Bearer ...`. It expires after at most an hour. */
  readonly token?: string | undefined
  /** Returns an access token. Called before each call, so it has to cache and renew the token. */
  readonly tokenProvider?: (() => string | Promise<string>) | undefined
  /**
   * The URL before `/projects/...`; `/v1` is added to a URL without a path. Default
   * `https://{location}-aiplatform.googleapis.com/v1`, with the model's location.
   */
  readonly baseURL?: string | undefined
  /** For Claude models, as in `AnthropicOptions`. */
  readonly defaultMaxTokens?: number | undefined
  /** For Claude models, as in `AnthropicOptions`. */
  readonly beta?: readonly string[] | undefined
  /** Beta features of Claude models that callers may use, besides those that Google is known to have. Default: none. */
  readonly allowBetas?: readonly string[] | undefined
  /** For Gemini models, as in `GeminiOptions`. */
  readonly safetySettings?: readonly SafetySetting[] | undefined
  /** Fetches images that callers send as URLs. Without it, the gateway rejects such a request with 400. */
  readonly fetchImage?: ImageFetcher | undefined
  /** Additional headers for each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The maximum number of concurrent calls; further calls wait. Default: no maximum. */
  readonly maxConcurrent?: number | undefined
  /** Restricted fields that every caller may send, even one with limits or a model list. Default: none. */
  readonly allowFields?: readonly string[] | undefined
  /**
   * Dialects in which requests are passed on as they came, with few edits, for all models. Default: `['messages']` for Claude
   * models. `[]`: all requests are translated.
   */
  readonly speaks?: readonly NativeDialect[] | undefined
}

const optionNames = /* @__PURE__ */ namesOf<VertexOptions>({
  project: true,
  location: true,
  token: true,
  tokenProvider: true,
  baseURL: true,
  defaultMaxTokens: true,
  beta: true,
  allowBetas: true,
  safetySettings: true,
  fetchImage: true,
  headers: true,
  maxConcurrent: true,
  allowFields: true,
  speaks: true,
})

/**
 * Creates a provider for Gemini and Claude on Vertex AI: `vertex({ project, location, token })('gemini-2.5-flash')`,
 * `...('claude-sonnet-4@20250514')`. A model can also be named with its publisher
 * (`publishers/google/models/...`), as an endpoint (`endpoints/...`), or by its full resource name.
 *
 * Throws `TypeError` for invalid options: a `ConfigurationError`, or a plain `TypeError` for some values.
 */
export function vertex(options: VertexOptions): ProviderInstanceOf<VertexModel> {
  rejectUnknownOptions('vertex', options, optionNames)
  const { project, location, headers = {}, maxConcurrent, safetySettings, fetchImage } = options
  checkProjectAndLocation(project, location)
  const base =
    options.baseURL === undefined ? undefined : baseUrl(options.baseURL, 'vertex', '/projects', '/v1')
  const authorization = accessToken(options, 'vertex')
  // The token is not known yet; that no other header takes its place is.
  const further = additionalHeaders({ authorization: '' }, headers, 'vertex')
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
    if (status < 200 || status > 299) throw await parseGoogleError(response, wallClock)
    return decodeMessages(response, { ...call, model })
  }

  const known = allowedBetas(vertexBetas, options.allowBetas, 'vertex')

  async function encodeNative(call: NativeCall): Promise<EncodedNativeRequest> {
    const resource = modelResource(call.model, project, location)
    const { body, adjustments } = nativeClaudeRequest(call, known, options.beta ?? [])
    const method = call.request.stream ? 'streamRawPredict' : 'rawPredict'
    return {
      method: 'POST',
      url: `${base ?? vertexHost(resource.location)}/${resource.path}:${method}`,
      headers: { ...plainHeaders(call), ...further, ...(await authorization()) },
      body,
      adjustments,
    }
  }

  async function countRequest(
    resource: ModelResource,
    headers: Readonly<Record<string, string>>,
    body: string,
  ): Promise<EncodedRequest> {
    return {
      method: 'POST',
      url: countUrl(base ?? vertexHost(resource.location), resource),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'accept-encoding': 'identity',
        ...further,
        ...headers,
        ...(await authorization()),
      },
      body,
    }
  }

  const native = {
    encodeNative,
    decodeNative: (response: UpstreamResponse, call: NativeCall) =>
      decodeNativeMessages(response, call, parseGoogleError),
  }
  const spoken = (model: string): readonly NativeDialect[] =>
    isClaude(model, project, location) ? ['messages'] : []
  const provider: Provider = {
    name: 'vertex',
    realm: `${base ?? ''} ${project} ${location}`,
    encode,
    decode,
    ...nativeDialects(options.speaks, spoken, native, 'vertex'),
    count: {
      async encode(call) {
        const resource = modelResource(call.model, project, location)
        const settings = { location: resource.location, safetySettings, fetchImage }
        const body =
          resource.claude === undefined
            ? geminiCountBody((await geminiRequest(call, settings)).body)
            : await claudeCountBody(call, resource.claude, claude)
        return countRequest(resource, resource.claude === undefined ? {} : claude.headers, body)
      },
      async encodeNative(call) {
        const resource = modelResource(call.model, project, location)
        const model = resource.claude ?? call.model
        return countRequest(resource, {}, nativeClaudeCountBody(call, model, known, options.beta ?? []))
      },
      decode: (response, { model }) => decodeVertexCount(response, modelResource(model, project, location)),
    },
    embed: {
      maxInputs: maxVertexInputs,
      maxInputTokens: maxVertexTokens,
      encode: async call => {
        const { path, location: region } = embeddingResource(call.model, project, location)
        const { method, body, adjuster } = vertexEmbeddings(call)
        const url = `${base ?? vertexHost(region)}/${path}:${method}`
        return embeddingsRequest(url, { ...further, ...(await authorization()) }, body, adjuster)
      },
      decode: decodeVertexEmbeddings,
    },
    ...concurrency(maxConcurrent, 'vertex'),
    ...restrictFields(vertexFields, options.allowFields, 'vertex'),
  }
  return providerInstance(provider, embeddingCapabilities)
}

/** The resource of an embedding model. Throws `GatewayError` (400) for a Claude model. */
function embeddingResource(model: string, project: string, location: string): ModelResource {
  const resource = modelResource(model, project, location)
  if (resource.claude === undefined) return resource
  throw cannotSend('model', "Invalid 'model': Claude models do not embed.")
}

/** A name that is none is refused when it is called. */
function isClaude(model: string, project: string, location: string): boolean {
  try {
    return modelResource(model, project, location).claude !== undefined
  } catch {
    return false
  }
}
