import type { EmbedCall, EmbedReply, UpstreamResponse } from '@sluice/core/provider'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { isFields } from '../wire/json-value.ts'
import { embedReply } from './decode-embeddings.ts'
import { embeddingFields, textInputs } from './embedding-fields.ts'
import { checkCount, type EmbeddingsBody, garbledEmbeddings } from './read-vectors.ts'

/** The maximum number of texts of one request (Cohere, "Embed API"). */
export const maxCohereInputs = 96

/** Whether the length of a model's vectors can be chosen: from Embed v4 on. */
export function hasCohereDimensions(model: string): boolean {
  return !/embed-(?:english|multilingual)/.test(model)
}

/**
 * Writes the fields of Cohere's embed API but the model. `input_type` is required, so it has a default. Cohere cuts long texts
 * unless `truncate` says otherwise. Throws `GatewayError` (400) for what the model does not take.
 */
export function cohereBody(call: EmbedCall, adjuster: ParameterAdjuster): object {
  const fields = embeddingFields(
    call,
    {
      ...(hasCohereDimensions(call.model) ? { dimensions: 'output_dimension' } : {}),
      others: { input_type: 'input_type', truncate: 'truncate' },
    },
    adjuster,
  )
  if (fields.input_type === undefined) adjuster.fill('input_type', 'search_document')
  return {
    input_type: 'search_document',
    truncate: 'NONE',
    ...fields,
    texts: textInputs(call),
    embedding_types: ['float'],
  }
}

/** Reads Cohere's embeddings, also those of its first version, which are a plain list. */
export function readCohere(
  { value, vectorOf }: EmbeddingsBody,
  { inputs }: EmbedCall,
  { headers }: Pick<UpstreamResponse, 'headers'>,
): EmbedReply {
  if (!isFields(value)) throw garbledEmbeddings('a body without vectors')
  const { embeddings, meta } = value
  const list = isFields(embeddings) ? embeddings.float : embeddings
  if (!Array.isArray(list)) throw garbledEmbeddings('a body without vectors')
  checkCount(list.length, inputs.length)
  const billed = isFields(meta) && isFields(meta.billed_units) ? meta.billed_units.input_tokens : undefined
  return embedReply(
    list.map(member => vectorOf(member)),
    billed ?? inputTokenHeader(headers),
  )
}

/** The number of tokens that Bedrock reports in a header; `undefined` without one. */
export function inputTokenHeader(headers: UpstreamResponse['headers']): number | undefined {
  const text = headers.get('x-amzn-bedrock-input-token-count')
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
