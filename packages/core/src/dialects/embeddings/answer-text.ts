import type { EmbedAnswer } from '../../contracts/dialect.ts'
import type { EmbeddingEncoding } from '../../contracts/embedding.ts'
import { vectorText } from './vectors.ts'

/*
 * Concatenated, not stringified: an answer may have thousands of vectors, and those that the vendor wrote in the asked encoding
 * are not parsed.
 */

/**
 * Writes an answer as JSON text, with one entry for each vector, in order.
 *
 * @throws UpstreamError of kind `garbled` for an invalid vector.
 */
export function answerText(
  { model, vectors, promptTokens, cost }: EmbedAnswer,
  encoding: EmbeddingEncoding,
): string {
  let data = ''
  for (const [index, vector] of vectors.entries()) {
    const separator = index === 0 ? '' : ','
    data += `${separator}{"object":"embedding","index":${index},"embedding":${vectorText(vector, encoding)}}`
  }
  const price = cost === undefined ? '' : `,"cost":${cost}`
  const usage = `{"prompt_tokens":${promptTokens},"total_tokens":${promptTokens}${price}}`
  return `{"object":"list","data":[${data}],"model":${JSON.stringify(model)},"usage":${usage}}`
}
