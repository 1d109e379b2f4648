import { configurationError } from '@sluice/core/adapter'
import type {
  Adjustment,
  Call,
  EmbedCall,
  EncodedRequest,
  NativeCall,
  Provider,
  RerankCall,
  UpstreamResponse,
} from '@sluice/core/provider'
import { allowedBetas, bedrockBetas, type KnownBetas } from './anthropic/body-betas.ts'
import { baseUrl } from './base-url.ts'
import { countBody, countedModel } from './bedrock/count-tokens.ts'
import {
  type AwsCredentials,
  type CredentialSource,
  credentialsFault,
  credentialsOf,
} from './bedrock/credentials.ts'
import { decodeConverse } from './bedrock/decode.ts'
import { decodeInvoke } from './bedrock/decode-invoke.ts'
import { bedrockEmbeddings, decodeBedrockEmbeddings, maxBedrockInputs } from './bedrock/embeddings.ts'
import { parseBedrockError } from './bedrock/errors.ts'
import { bedrockModel } from './bedrock/models.ts'
import { nativeClaudeRequest } from './bedrock/native-claude-request.ts'
import { requestBody } from './bedrock/request-body.ts'
import { bedrockRerankBody, decodeBedrockRerank, maxBedrockDocuments } from './bedrock/rerank.ts'
import { signedHeaders } from './bedrock/signature.ts'
import type { ImageFetcher } from './conversation/image-data.ts'
import { embeddingCapabilities } from './embeddings/embedding-models.ts'
import { variableOf } from './environment-key.ts'
import { restrictFields } from './field-restrictions.ts'
import type { BedrockModel } from './known-models.ts'
import { namesOf, rejectUnknownOptions } from './known-options.ts'
import { pathStep } from './model-path.ts'
import { concurrency, type ProviderInstanceOf, providerInstance } from './provider-instance.ts'
import { bearer } from './request-headers.ts'
import { bedrockFields } from './restricted-fields.ts'
import { type NativeDialect, nativeDialects } from './speaks.ts'
import { decodeCount } from './wire/decode-count.ts'
import { exactJsonText } from './wire/exact-json.ts'
import { wallClock } from './wire/wall-clock.ts'

export type { AwsCredentials } from './bedrock/credentials.ts'
export type { FetchedImage, ImageFetcher } from './conversation/image-data.ts'
export type { ProviderInstance, ProviderInstanceOf } from './provider-instance.ts'
export type { NativeDialect } from './speaks.ts'

/**
 * Options of `bedrock()`. Requires `credentials` or `bearerToken`. Default: the environment variable
 * `AWS_BEARER_TOKEN_BEDROCK`, then `AWS_ACCESS_KEY_ID` with `AWS_SECRET_ACCESS_KEY` and, if set, `AWS_SESSION_TOKEN`.
 */
export interface BedrockOptions {
  /** Such as `us-east-1`. Default: the environment variable `AWS_REGION`, then `AWS_DEFAULT_REGION`. */
  readonly region?: string | undefined
  /** Credentials, or a function that returns them. Called before each call, so it has to cache and renew them. */
  readonly credentials?: AwsCredentials | (() => AwsCredentials | Promise<AwsCredentials>) | undefined
  /** An API key of Bedrock, sent as `Authorization: Bearer ...`. */
  readonly bearerToken?: string | undefined
  /** The URL before `/model/{model}/converse`. Default `https://bedrock-runtime.{region}.amazonaws.com`. */
  readonly baseURL?: string | undefined
  /** Fetches images that callers send as URLs. Without it, the gateway rejects such a request with 400. */
  readonly fetchImage?: ImageFetcher | undefined
  /** The maximum number of concurrent calls; further calls wait. Default: no maximum. */
  readonly maxConcurrent?: number | undefined
  /** Restricted fields that every caller may send, even one with limits or a model list. Default: none. */
  readonly allowFields?: readonly string[] | undefined
  /**
   * Dialects in which requests are passed on as they came, with few edits, for all models. Default: `['messages']` for Claude
   * models, by InvokeModel. `[]`: all requests are translated to Converse.
   */
  readonly speaks?: readonly NativeDialect[] | undefined
  /** Beta features of Claude models that callers may use, besides those that Bedrock is known to have. Default: none. */
  readonly allowBetas?: readonly string[] | undefined
}

const optionNames = /* @__PURE__ */ namesOf<BedrockOptions>({
  region: true,
  credentials: true,
  bearerToken: true,
  baseURL: true,
  fetchImage: true,
  maxConcurrent: true,
  allowFields: true,
  speaks: true,
  allowBetas: true,
})

/**
 * Creates a provider for Amazon Bedrock's Converse API: `bedrock({ region, bearerToken
 * })('anthropic.claude-sonnet-4-20250514-v1:0')`. Name a model by its id, its ARN, or an inference profile. Calls are
 * signed (AWS Signature Version 4) or carry the bearer token.
 *
 * Throws `TypeError` for invalid options: a `ConfigurationError`, or a plain `TypeError` for some values.
 */
export function bedrock(options: BedrockOptions = {}): ProviderInstanceOf<BedrockModel> {
  rejectUnknownOptions('bedrock', options, optionNames)
  const { baseURL, fetchImage, maxConcurrent } = options
  const region = options.region ?? variableOf(['AWS_REGION', 'AWS_DEFAULT_REGION'])
  if (typeof region !== 'string' || !/^[a-z0-9-]{1,40}$/.test(region)) {
    const expected =
      "a region of AWS in lower case, such as 'us-east-1', here or in the environment variable AWS_REGION"
    throw configurationError('bedrock()', ['region'], region, expected)
  }
  if (fetchImage !== undefined && typeof fetchImage !== 'function') {
    throw new TypeError(`bedrock: fetchImage has to be a function, not ${typeof fetchImage}.`)
  }
  const url = baseUrl(baseURL ?? `https://bedrock-runtime.${region}.amazonaws.com`, 'bedrock', '/model')
  const access = accessOf(options)
  const endpoint: Endpoint = { url, region, access }
  const known = allowedBetas(bedrockBetas, options.allowBetas, 'bedrock')
  const native = {
    encodeNative: (call: NativeCall) => encodeInvoke(call, endpoint, known),
    decodeNative: (response: UpstreamResponse, call: NativeCall) => decodeInvoke(response, call),
  }
  const spoken = (model: string): readonly NativeDialect[] =>
    bedrockModel(model).claude === undefined ? [] : ['messages']
  const provider: Provider = {
    name: 'bedrock',
    realm: url,
    encode: call => encodeConverse(call, endpoint, fetchImage),
    decode: (response, call) => decodeConverse(response, call),
    ...nativeDialects(options.speaks, spoken, native, 'bedrock'),
    count: {
      encode: call => encodeCount(call, endpoint, fetchImage),
      decode: response => decodeCount(response, 'inputTokens', parseBedrockError),
    },
    embed: {
      maxInputs: maxBedrockInputs,
      encode: call => encodeEmbeddings(call, endpoint),
      decode: decodeBedrockEmbeddings,
    },
    rerank: {
      maxDocuments: maxBedrockDocuments,
      encode: call => encodeRerank(call, endpoint),
      decode: decodeBedrockRerank,
    },
    ...concurrency(maxConcurrent, 'bedrock'),
    ...restrictFields(bedrockFields, options.allowFields, 'bedrock'),
  }
  return providerInstance(provider, embeddingCapabilities)
}

/** The header of a bearer token, or what to sign with. */
type Access = { readonly headers: Readonly<Record<string, string>> } | { readonly source: CredentialSource }

function accessOf(options: BedrockOptions): Access {
  const isGiven = options.credentials !== undefined || options.bearerToken !== undefined
  const { credentials, bearerToken } = isGiven ? options : environmentAccess()
  if (bearerToken !== undefined) {
    if (credentials !== undefined) {
      throw new TypeError('bedrock: credentials and bearerToken are both given; leave one out.')
    }
    return { headers: bearer(bearerToken, 'bedrock', 'bearerToken') }
  }
  if (credentials === undefined) {
    const expected =
      'credentials or a bearerToken, here or in the environment variables AWS_BEARER_TOKEN_BEDROCK or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY'
    throw configurationError('bedrock()', ['credentials'], credentials, expected)
  }
  if (typeof credentials === 'function') return { source: credentials }
  const fault = credentialsFault(credentials)
  if (fault !== undefined) {
    throw new TypeError(`bedrock: expected credentials with accessKeyId and secretAccessKey, got ${fault}.`)
  }
  return { source: credentials }
}

/** What AWS's own libraries read from the environment. A role or a profile needs `credentials`. */
function environmentAccess(): Pick<BedrockOptions, 'credentials' | 'bearerToken'> {
  const bearerToken = variableOf(['AWS_BEARER_TOKEN_BEDROCK'])
  if (bearerToken !== undefined) return { bearerToken }
  const accessKeyId = variableOf(['AWS_ACCESS_KEY_ID'])
  const secretAccessKey = variableOf(['AWS_SECRET_ACCESS_KEY'])
  if (accessKeyId === undefined || secretAccessKey === undefined) return {}
  return { credentials: { accessKeyId, secretAccessKey, sessionToken: variableOf(['AWS_SESSION_TOKEN']) } }
}

interface Endpoint {
  readonly url: string
  readonly region: string
  readonly access: Access
}

/**
 * The request of Converse, or of ConverseStream, signed where it has to be. Throws `GatewayError` (400) for what
 * the model cannot express, and `UpstreamError` where the credentials cannot be had.
 */
async function encodeConverse(
  call: Call,
  endpoint: Endpoint,
  fetchImage: ImageFetcher | undefined,
): Promise<EncodedRequest> {
  const streamed = call.input.stream === true
  const { body, adjustments } = await requestBody(call, fetchImage)
  const operation = streamed ? 'converse-stream' : 'converse'
  return authorized({ model: call.model, operation, body: exactJsonText(body), adjustments }, endpoint)
}

/** The request of CountTokens. Throws as `encodeConverse` does. */
async function encodeCount(
  call: Call,
  endpoint: Endpoint,
  fetchImage: ImageFetcher | undefined,
): Promise<EncodedRequest> {
  const { body } = await requestBody(call, fetchImage)
  const model = countedModel(call.model)
  return authorized({ model, operation: 'count-tokens', body: countBody(body), adjustments: [] }, endpoint)
}

/** The request of InvokeModel, or of InvokeModelWithResponseStream, with the caller's body. Throws as `encodeConverse` does. */
async function encodeInvoke(
  call: NativeCall,
  endpoint: Endpoint,
  known: KnownBetas,
): Promise<EncodedRequest> {
  const { body, adjustments } = nativeClaudeRequest(call, known)
  const operation = call.request.stream ? 'invoke-with-response-stream' : 'invoke'
  return authorized({ model: call.model, operation, body, adjustments }, endpoint)
}

/** The request of InvokeModel for an embedding model. Throws as `encodeConverse` does. */
async function encodeEmbeddings(call: EmbedCall, endpoint: Endpoint): Promise<EncodedRequest> {
  const { body, adjustments } = bedrockEmbeddings(call)
  return authorized(
    { model: call.model, operation: 'invoke', body: JSON.stringify(body), adjustments },
    endpoint,
  )
}

/** The request of InvokeModel for a model that ranks documents. Throws as `encodeConverse` does. */
async function encodeRerank(call: RerankCall, endpoint: Endpoint): Promise<EncodedRequest> {
  const { body, adjustments } = bedrockRerankBody(call)
  return authorized(
    { model: call.model, operation: 'invoke', body: JSON.stringify(body), adjustments },
    endpoint,
  )
}

interface UnsignedRequest {
  readonly model: string
  readonly operation:
    | 'converse'
    | 'converse-stream'
    | 'count-tokens'
    | 'invoke'
    | 'invoke-with-response-stream'
  readonly body: string
  readonly adjustments: readonly Adjustment[]
}

/** Adds the bearer token or a signature. Throws `UpstreamError` if the credentials cannot be had. */
async function authorized(
  { model, operation, body, adjustments }: UnsignedRequest,
  { url: base, access, region }: Endpoint,
): Promise<EncodedRequest> {
  const url = `${base}/model/${pathStep(model)}/${operation}`
  const accept = operation.endsWith('stream') ? 'application/vnd.amazon.eventstream' : 'application/json'
  const plain = { 'content-type': 'application/json', accept }
  const headers =
    'headers' in access
      ? { ...plain, ...access.headers }
      : await signedHeaders(
          { url, headers: plain, body },
          await credentialsOf(access.source),
          region,
          wallClock(),
        )
  return { method: 'POST', url, headers, body, ...(adjustments.length > 0 ? { adjustments } : {}) }
}
