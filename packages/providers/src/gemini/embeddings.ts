import type { EmbedCall, EmbedReply, EncodedRequest, UpstreamResponse } from '@sluice/core/provider'
import { decodeEmbeddings, embedReply } from '../embeddings/decode-embeddings.ts'
import { type EmbeddingFields, embeddingFields, textInputs } from '../embeddings/embedding-fields.ts'
import { embeddingsRequest } from '../embeddings/openai-embeddings.ts'
import { checkCount, type EmbeddingsBody, garbledEmbeddings } from '../embeddings/read-vectors.ts'
import { modelPath } from '../model-path.ts'
import { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { isFields } from '../wire/json-value.ts'
import { parseGoogleError } from './google-error.ts'

/** The maximum number of inputs of `batchEmbedContents` (Gemini API, "Embeddings"). */
export const maxGeminiInputs = 100

/** What Google's embedding models take beside texts, by the names of `embedContent`. */
export function geminiEmbeddingFields(model: string): EmbeddingFields {
  return {
    ...(hasDimensions(model) ? { dimensions: 'outputDimensionality' } : {}),
    others: { task_type: 'taskType', taskType: 'taskType', title: 'title' },
  }
}

/** Whether the length of a model's vectors can be chosen. The oldest models have one length. */
export function hasDimensions(model: string): boolean {
  return !/(?:^|\/)(?:embedding-001|textembedding-gecko)/.test(model)
}

/**
 * Encodes a request for `batchEmbedContents`, with one request for each input: inputs that are parts of one content get one vector
 * together. Throws `GatewayError` (400) for what the model does not take.
 */
export function encodeBatchEmbeddings(
  call: EmbedCall,
  base: string,
  headers: Readonly<Record<string, string>>,
): EncodedRequest {
  const adjuster = new ParameterAdjuster(call.unsupportedParameters)
  const fields = embeddingFields(call, geminiEmbeddingFields(call.model), adjuster)
  const model = modelPath(call.model)
  const requests = textInputs(call).map(text => ({ model, content: { parts: [{ text }] }, ...fields }))
  return embeddingsRequest(`${base}/${model}:batchEmbedContents`, headers, { requests }, adjuster)
}

/** Decodes a response of `batchEmbedContents`. Rejects as `decodeEmbeddings` does. */
export function decodeBatchEmbeddings(response: UpstreamResponse, call: EmbedCall): Promise<EmbedReply> {
  return decodeEmbeddings(response, call, {
    read: readBatch,
    parseError: parseGoogleError,
    sendsDimensions: ({ model }) => hasDimensions(model),
  })
}

function readBatch({ value, vectorOf }: EmbeddingsBody, { inputs }: EmbedCall): EmbedReply {
  if (!isFields(value) || !Array.isArray(value.embeddings)) throw garbledEmbeddings('a body without vectors')
  checkCount(value.embeddings.length, inputs.length)
  const vectors = value.embeddings.map(entry => vectorOf(isFields(entry) ? entry.values : undefined))
  return embedReply(vectors, promptTokensOf(value.usageMetadata))
}

/** The tokens of Google's `usageMetadata`; older models have none. */
export function promptTokensOf(usage: unknown): unknown {
  return isFields(usage) ? usage.promptTokenCount : undefined
}
