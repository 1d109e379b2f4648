import type {
  EmbedCall,
  EmbedCodec,
  EmbedReply,
  EncodedRequest,
  UpstreamResponse,
} from '@sluice/core/provider'
import { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { isFields, objectsOf, textOf } from '../wire/json-value.ts'
import { decodeEmbeddings, embedReply } from './decode-embeddings.ts'
import { dimensionsField, type EmbeddingCompatibility } from './embedding-compatibility.ts'
import { embeddingFields, textInputs } from './embedding-fields.ts'
import { type EmbeddingsBody, garbledEmbeddings, vectorsInOrder } from './read-vectors.ts'

/** The URL and headers of a server with OpenAI's embeddings API. */
export interface EmbeddingsEndpoint {
  /** The complete URL: `https://api.example.com/v1/embeddings`. */
  readonly url: string
  /** Additional headers, such as credentials, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/** Creates the codec of a server with OpenAI's embeddings API. `endpointOf` returns where a call goes. */
export function openaiEmbeddings(
  endpointOf: (call: EmbedCall) => EmbeddingsEndpoint,
  compatibility: EmbeddingCompatibility,
): EmbedCodec {
  const { maxInputs } = compatibility
  return {
    ...(maxInputs === undefined ? {} : { maxInputs }),
    encode: call => encodeOpenAIEmbeddings(call, endpointOf(call), compatibility),
    decode: (response, call) => decodeOpenAIEmbeddings(response, call, compatibility),
  }
}

/** Encodes a request for OpenAI's embeddings API. Throws `GatewayError` (400) for what the server does not take. */
export function encodeOpenAIEmbeddings(
  call: EmbedCall,
  { url, headers }: EmbeddingsEndpoint,
  compatibility: EmbeddingCompatibility,
): EncodedRequest {
  const { encodings = [], fields, user = true, tokens = true } = compatibility
  const { encoding } = call.request
  const adjuster = new ParameterAdjuster(call.unsupportedParameters)
  const others = fields === undefined ? 'any' : Object.fromEntries(fields.map(name => [name, name]))
  const further = embeddingFields(
    call,
    { dimensions: dimensionsField(compatibility, call.model), user, others },
    adjuster,
  )
  const body = {
    ...compatibility.defaults,
    ...further,
    model: call.model,
    input: tokens ? call.inputs : textInputs(call),
    ...(encodings.includes(encoding) ? { encoding_format: encoding } : {}),
  }
  return embeddingsRequest(url, headers, body, adjuster)
}

/** Returns a request with a JSON body, and what was adjusted for it. */
export function embeddingsRequest(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: object,
  { list }: ParameterAdjuster,
): EncodedRequest {
  return {
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
      ...headers,
    },
    body: JSON.stringify(body),
    ...(list.length === 0 ? {} : { adjustments: list }),
  }
}

/** Decodes a response of OpenAI's embeddings API, in either encoding. Rejects as `decodeEmbeddings` does. */
export function decodeOpenAIEmbeddings(
  response: UpstreamResponse,
  call: EmbedCall,
  compatibility: EmbeddingCompatibility,
): Promise<EmbedReply> {
  return decodeEmbeddings(response, call, {
    read: readEmbeddings,
    sendsDimensions: ({ model }) => dimensionsField(compatibility, model) !== undefined,
  })
}

function readEmbeddings({ value, vectorOf }: EmbeddingsBody, { inputs }: EmbedCall): EmbedReply {
  if (!isFields(value) || !Array.isArray(value.data)) throw garbledEmbeddings('a body without vectors')
  const entries = (objectsOf(value.data) ?? []).map(({ index, embedding }) => ({
    index,
    vector: vectorOf(embedding),
  }))
  const usage = isFields(value.usage) ? value.usage : {}
  // Voyage has the total only.
  const tokens = usage.prompt_tokens ?? usage.total_tokens
  return embedReply(vectorsInOrder(entries, inputs.length), tokens, textOf(value.model))
}
