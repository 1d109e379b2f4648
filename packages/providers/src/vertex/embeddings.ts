import type { EmbedCall, EmbedReply, UpstreamResponse } from '@sluice/core/provider'
import { decodeEmbeddings, embedReply } from '../embeddings/decode-embeddings.ts'
import { embeddingFields, textInputs } from '../embeddings/embedding-fields.ts'
import { checkCount, type EmbeddingsBody, garbledEmbeddings } from '../embeddings/read-vectors.ts'
import { geminiEmbeddingFields, hasDimensions, promptTokensOf } from '../gemini/embeddings.ts'
import { parseGoogleError } from '../gemini/google-error.ts'
import { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { countOf, isFields } from '../wire/json-value.ts'

/** A request to an embedding model, in the words of its method. */
export interface VertexEmbeddings {
  readonly method: 'predict' | 'embedContent'
  readonly body: object
  readonly adjuster: ParameterAdjuster
}

/** The maximum number of inputs: `embedContent` takes one, and so does `gemini-embedding-001` (Vertex AI, "Text embeddings API"). */
export function maxVertexInputs(model: string): number {
  return isEmbedContentModel(model) || /(?:^|\/)gemini-embedding-001$/.test(model) ? 1 : 250
}

/** The maximum number of tokens of the inputs of a call (Vertex AI, "Text embeddings API"). */
export const maxVertexTokens = 20_000

/** Whether a model has `embedContent` only, as Google's own libraries tell by its name. */
function isEmbedContentModel(model: string): boolean {
  const name = model.split('/').at(-1)!
  return (/gemini/i.test(name) && name !== 'gemini-embedding-001') || /maas/i.test(name)
}

/**
 * Writes a request to an embedding model. Vertex AI cuts long texts by default. Throws `GatewayError` (400) for what
 * the model does not take.
 */
export function vertexEmbeddings(call: EmbedCall): VertexEmbeddings {
  const adjuster = new ParameterAdjuster(call.unsupportedParameters)
  const { outputDimensionality, taskType, title } = embeddingFields(
    call,
    geminiEmbeddingFields(call.model),
    adjuster,
  )
  const texts = textInputs(call)
  if (isEmbedContentModel(call.model)) {
    const embedContentConfig = { taskType, title, outputDimensionality, autoTruncate: false }
    return {
      method: 'embedContent',
      body: { content: { parts: [{ text: texts[0] }] }, embedContentConfig },
      adjuster,
    }
  }
  const instances = texts.map(content => ({ content, task_type: taskType, title }))
  const body = { instances, parameters: { outputDimensionality, autoTruncate: false } }
  return { method: 'predict', body, adjuster }
}

/** Decodes a response of `predict` or `embedContent`. Rejects as `decodeEmbeddings` does. */
export function decodeVertexEmbeddings(response: UpstreamResponse, call: EmbedCall): Promise<EmbedReply> {
  return decodeEmbeddings(response, call, {
    read: isEmbedContentModel(call.model) ? readContent : readPredictions,
    parseError: parseGoogleError,
    sendsDimensions: ({ model }) => hasDimensions(model),
  })
}

function readContent({ value, vectorOf }: EmbeddingsBody, { inputs }: EmbedCall): EmbedReply {
  if (!isFields(value) || !isFields(value.embedding)) throw garbledEmbeddings('a body without vectors')
  checkCount(1, inputs.length)
  return embedReply([vectorOf(value.embedding.values)], promptTokensOf(value.usageMetadata))
}

function readPredictions({ value, vectorOf }: EmbeddingsBody, { inputs }: EmbedCall): EmbedReply {
  if (!isFields(value) || !Array.isArray(value.predictions)) throw garbledEmbeddings('a body without vectors')
  checkCount(value.predictions.length, inputs.length)
  const found = value.predictions.map(prediction =>
    isFields(prediction) && isFields(prediction.embeddings) ? prediction.embeddings : {},
  )
  const counts = found.map(({ statistics }) =>
    isFields(statistics) ? countOf(statistics.token_count) : undefined,
  )
  const isCounted = counts.every(count => count !== undefined)
  const tokens = isCounted ? counts.reduce((sum, count) => sum + count, 0) : undefined
  return embedReply(
    found.map(({ values }) => vectorOf(values)),
    tokens,
  )
}
