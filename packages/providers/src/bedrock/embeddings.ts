import { GatewayError } from '@sluice/core'
import type { Adjustment, EmbedCall, EmbedReply, UpstreamResponse } from '@sluice/core/provider'
import {
  cohereBody,
  hasCohereDimensions,
  inputTokenHeader,
  maxCohereInputs,
  readCohere,
} from '../embeddings/cohere-embeddings.ts'
import { decodeEmbeddings, type EmbeddingsReader, embedReply } from '../embeddings/decode-embeddings.ts'
import { embeddingFields, textInputs } from '../embeddings/embedding-fields.ts'
import { checkCount, garbledEmbeddings } from '../embeddings/read-vectors.ts'
import { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { isFields, objectsOf } from '../wire/json-value.ts'
import { parseBedrockError } from './errors.ts'

/** A family of embedding models: each has its own body behind InvokeModel. */
interface EmbeddingFamily {
  readonly maxInputs: number
  readonly body: (call: EmbedCall, adjuster: ParameterAdjuster) => object
  readonly reader: EmbeddingsReader
}

const readTitan: EmbeddingsReader['read'] = ({ value, vectorOf }, { inputs }, { headers }) => {
  if (!isFields(value)) throw garbledEmbeddings('a body without vectors')
  checkCount(1, inputs.length)
  return embedReply([vectorOf(value.embedding)], value.inputTextTokenCount ?? inputTokenHeader(headers))
}

const readNova: EmbeddingsReader['read'] = ({ value, vectorOf }, { inputs }, { headers }) => {
  const entries = isFields(value) ? (objectsOf(value.embeddings) ?? []) : []
  checkCount(entries.length, inputs.length)
  return embedReply(
    entries.map(({ embedding }) => vectorOf(embedding)),
    inputTokenHeader(headers),
  )
}

const parseError = parseBedrockError

const titan1: EmbeddingFamily = {
  maxInputs: 1,
  body: (call, adjuster) => ({
    ...embeddingFields(call, { others: {} }, adjuster),
    inputText: textInputs(call)[0],
  }),
  reader: { read: readTitan, parseError, sendsDimensions: () => false },
}

const titan2: EmbeddingFamily = {
  maxInputs: 1,
  body: (call, adjuster) => ({
    ...embeddingFields(call, { dimensions: 'dimensions', others: { normalize: 'normalize' } }, adjuster),
    inputText: textInputs(call)[0],
  }),
  reader: { read: readTitan, parseError, sendsDimensions: () => true },
}

const nova: EmbeddingFamily = {
  maxInputs: 1,
  body: (call, adjuster) => {
    const others = { task_type: 'embeddingPurpose', truncate: 'truncationMode' }
    const fields = embeddingFields(call, { dimensions: 'embeddingDimension', others }, adjuster)
    const { truncationMode = 'NONE', ...params } = fields
    if (params.embeddingPurpose === undefined) adjuster.fill('task_type', 'GENERIC_INDEX')
    const text = { truncationMode, value: textInputs(call)[0] }
    return {
      taskType: 'SINGLE_EMBEDDING',
      singleEmbeddingParams: { embeddingPurpose: 'GENERIC_INDEX', ...params, text },
    }
  },
  reader: { read: readNova, parseError, sendsDimensions: () => true },
}

const cohere: EmbeddingFamily = {
  maxInputs: maxCohereInputs,
  body: cohereBody,
  reader: { read: readCohere, parseError, sendsDimensions: ({ model }) => hasCohereDimensions(model) },
}

/** By the publisher's name and the model's own; the first that fits. Sources: the pages of AWS on each model. */
const families: readonly (readonly [RegExp, EmbeddingFamily])[] = [
  [/\bamazon\.titan-embed-text-v2/, titan2],
  [/\bamazon\.titan-embed-(?:text|g1)/, titan1],
  [/\bamazon\.nova.*embed/, nova],
  [/\bcohere\.embed/, cohere],
]

function familyOf(model: string): EmbeddingFamily | undefined {
  return families.find(([pattern]) => pattern.test(model))?.[1]
}

/** The maximum number of inputs of one call. */
export function maxBedrockInputs(model: string): number {
  return familyOf(model)?.maxInputs ?? 1
}

/**
 * Writes the body of InvokeModel for an embedding model. Throws `GatewayError` (400) for another model, and for what the model does
 * not take.
 */
export function bedrockEmbeddings(call: EmbedCall): {
  readonly body: object
  readonly adjustments: readonly Adjustment[]
} {
  const family = familyOf(call.model)
  if (family === undefined) {
    throw new GatewayError('unsupported_value', {
      message:
        "Invalid 'model': it is not known to embed. Embeddings are supported for Titan, Nova and Cohere models, named by their ids.",
      param: 'model',
    })
  }
  const adjuster = new ParameterAdjuster(call.unsupportedParameters)
  return { body: family.body(call, adjuster), adjustments: adjuster.list }
}

/** Decodes a response of InvokeModel. Rejects as `decodeEmbeddings` does. */
export function decodeBedrockEmbeddings(response: UpstreamResponse, call: EmbedCall): Promise<EmbedReply> {
  // Without a family there was no request.
  return decodeEmbeddings(response, call, (familyOf(call.model) ?? titan1).reader)
}
