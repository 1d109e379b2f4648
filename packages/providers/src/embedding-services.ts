import { GatewayError } from '@sluice/core'
import type { EmbedCodec, Provider } from '@sluice/core/provider'
import { baseUrl } from './base-url.ts'
import {
  cohereBody,
  hasCohereDimensions,
  maxCohereInputs,
  readCohere,
} from './embeddings/cohere-embeddings.ts'
import { decodeEmbeddings } from './embeddings/decode-embeddings.ts'
import type { EmbeddingCompatibility } from './embeddings/embedding-compatibility.ts'
import {
  type EmbeddingsEndpoint,
  embeddingsRequest,
  openaiEmbeddings,
} from './embeddings/openai-embeddings.ts'
import { keyOrEnvironment } from './environment-key.ts'
import type { CohereModel, JinaModel, VoyageModel } from './known-models.ts'
import { namesOf, rejectUnknownOptions } from './known-options.ts'
import { ParameterAdjuster } from './parameters/parameter-adjuster.ts'
import { concurrency, type ProviderInstanceOf, providerInstance } from './provider-instance.ts'
import { type ApiKeys, keyedCredentials } from './provider-keys.ts'
import { additionalHeaders, bearer } from './request-headers.ts'
import { rerankCodec } from './rerank/rerank-codec.ts'
import type { RerankCompatibility } from './rerank/rerank-compatibility.ts'
import { isRerankModel, rerankCapabilities } from './rerank/rerank-models.ts'

/** Options of the services for search, such as `voyage()`. */
export interface EmbeddingServiceOptions {
  /** One key, or a list of several. Default: the environment variable with the service's name, such as `VOYAGE_API_KEY`. */
  readonly apiKey?: ApiKeys | undefined
  /** Replaces the base URL of the service. */
  readonly baseURL?: string | undefined
  /** Additional headers for each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The maximum number of concurrent calls; further calls wait. Default: no maximum. */
  readonly maxConcurrent?: number | undefined
}

/** A service that embeds and ranks, as data. */
interface EmbeddingService {
  readonly name: string
  readonly variable: string
  readonly baseURL: string
  /** Appended to the base URL for embeddings. */
  readonly path: string
  readonly codec: (endpointOf: (call: { readonly key?: string }) => EmbeddingsEndpoint) => EmbedCodec
  readonly rerank: RerankCompatibility
}

const optionNames = /* @__PURE__ */ namesOf<EmbeddingServiceOptions>({
  apiKey: true,
  baseURL: true,
  headers: true,
  maxConcurrent: true,
})

/** It takes `base64` or nothing as encoding, and cuts long texts by default (Voyage, "Text embeddings"). */
const voyageEmbeddings: EmbeddingCompatibility = {
  maxInputs: 1_000,
  encodings: ['base64'],
  dimensions: 'output_dimension',
  fixedDimensions: [
    'voyage-0*',
    'voyage-2*',
    'voyage-3',
    'voyage-3-lite',
    'voyage-code-2',
    'voyage-finance*',
    'voyage-large*',
    'voyage-law*',
    'voyage-lite*',
    'voyage-multilingual*',
  ],
  tokens: false,
  user: false,
  fields: ['input_type', 'truncation'],
  defaults: { truncation: false },
}

const voyageService: EmbeddingService = {
  name: 'voyage',
  variable: 'VOYAGE_API_KEY',
  baseURL: 'https://api.voyageai.com/v1',
  path: '/embeddings',
  codec: endpointOf => openaiEmbeddings(endpointOf, voyageEmbeddings),
  // It cuts long texts by default (Voyage, "Rerankers").
  rerank: { topN: 'top_k', maxDocuments: 1_000, fields: ['truncation'], defaults: { truncation: false } },
}

const jinaService: EmbeddingService = {
  name: 'jina',
  variable: 'JINA_API_KEY',
  baseURL: 'https://api.jina.ai/v1',
  path: '/embeddings',
  codec: endpointOf =>
    openaiEmbeddings(endpointOf, {
      tokens: false,
      user: false,
      fields: ['task', 'normalized', 'late_chunking', 'truncate'],
    }),
  // It sends the documents back by default (Jina, "Reranker API").
  rerank: { defaults: { return_documents: false } },
}

const cohereService: EmbeddingService = {
  name: 'cohere',
  variable: 'COHERE_API_KEY',
  baseURL: 'https://api.cohere.com/v2',
  path: '/embed',
  codec: endpointOf => ({
    maxInputs: maxCohereInputs,
    encode: call => {
      const { url, headers } = endpointOf(call)
      const adjuster = new ParameterAdjuster(call.unsupportedParameters)
      const body = { ...cohereBody(call, adjuster), model: call.model }
      return embeddingsRequest(url, headers, body, adjuster)
    },
    decode: (response, call) =>
      decodeEmbeddings(response, call, {
        read: readCohere,
        sendsDimensions: ({ model }) => hasCohereDimensions(model),
      }),
  }),
  rerank: { maxDocuments: 1_000, fields: ['max_tokens_per_doc'] },
}

function embeddingService<Model extends string>(
  service: EmbeddingService,
): (options?: EmbeddingServiceOptions) => ProviderInstanceOf<Model> {
  const { name, variable, path, codec, rerank } = service
  return (options = {}) => {
    rejectUnknownOptions(name, options, optionNames)
    const { headers = {}, maxConcurrent } = options
    const base = baseUrl(options.baseURL ?? service.baseURL, name, path)
    const apiKey = keyOrEnvironment(options.apiKey, name, [variable])
    const endpoints = keyedCredentials(apiKey, name, key => ({
      url: `${base}${path}`,
      headers: additionalHeaders(key === undefined ? {} : bearer(key, name), headers, name),
    }))
    const noChat = () => {
      const message = `Invalid 'model': the models of ${name} embed and rank, and generate nothing.`
      throw new GatewayError('unsupported_value', { message, param: 'model' })
    }
    const provider: Provider = {
      name,
      encode: noChat,
      decode: noChat,
      embed: codec(endpoints.of),
      rerank: rerankCodec(call => ({ url: `${base}/rerank`, headers: endpoints.of(call).headers }), rerank),
      // It gets known fields only.
      restrictedFields: {},
      ...endpoints.part,
      ...concurrency(maxConcurrent, name),
    }
    return providerInstance(provider, model =>
      isRerankModel(model) ? rerankCapabilities : { operations: ['embed'] },
    )
  }
}

/** Voyage, which embeds and ranks: `voyage({ apiKey })('voyage-3.5')`. */
export const voyage = /* @__PURE__ */ embeddingService<VoyageModel>(voyageService)
/** Jina, which embeds and ranks: `jina({ apiKey })('jina-reranker-v2-base-multilingual')`. */
export const jina = /* @__PURE__ */ embeddingService<JinaModel>(jinaService)

/** Cohere's embeddings and rankings, by its own API. */
export const cohereSearch = /* @__PURE__ */ embeddingService<CohereModel>(cohereService)
