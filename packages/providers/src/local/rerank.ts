import { embedText } from './embed-text.ts'
import type { FakeError } from './script.ts'
import { countTokens } from './tokens.ts'

/** Where the local provider ranks documents. */
export const rerankUrl = 'local:rerank'
const dimensions = 1_024

/** A request to rank documents as the local provider encodes it. */
export interface LocalRerank {
  readonly model: string
  readonly query: string
  readonly documents: readonly string[]
  readonly top_n?: number
}

/** Returns why a request is refused, or `undefined`. */
export function rerankError(
  { query, documents }: LocalRerank,
  contextWindow = Number.POSITIVE_INFINITY,
): FakeError | undefined {
  const tokens = countTokens(query) + Math.max(...documents.map(countTokens))
  if (tokens <= contextWindow) return undefined
  const message = `This model's maximum context length is ${contextWindow} tokens, however a document with the query has ${tokens} tokens.`
  return { status: 400, message, code: 'context_length_exceeded', param: 'documents' }
}

/**
 * Writes the response: documents by how many words and parts of words they share with the query. It is not a model: a document that
 * says the same in other words has a score near 0.
 */
export function rerankJson({ model, query, documents, top_n: most }: LocalRerank): string {
  const asked = embedText(query, dimensions)
  const results = documents.map((text, index) => ({ index, relevance_score: similarity(asked, text) }))
  // Of equal scores the first document comes first: sorting is stable.
  results.sort((one, other) => other.relevance_score - one.relevance_score)
  const tokens = documents.reduce((sum, text) => sum + countTokens(text) + countTokens(query), 0)
  return JSON.stringify({ model, results: results.slice(0, most), usage: { total_tokens: tokens } })
}

/** Returns a number from 0 to 1, with at most six decimals. */
function similarity(asked: readonly number[], text: string): number {
  const vector = embedText(text, dimensions)
  const product = asked.reduce((sum, value, at) => sum + value * vector[at]!, 0)
  return Math.round(Math.min(1, Math.max(0, product)) * 1e6) / 1e6
}
