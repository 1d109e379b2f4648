import type { RerankAnswer } from '../../contracts/dialect.ts'
import type { RerankRequest } from '../../contracts/rerank.ts'
import type { JsonObject } from '../../protocol/chat.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'

/**
 * Writes an order of documents as JSON text. Documents are those of the request, never what a vendor returns: with `return_documents`
 * each result has its own.
 */
export function rerankText(
  { id, results, promptTokens, searchUnits }: RerankAnswer,
  { body, documents }: RerankRequest,
): string {
  const given = jsonItems(jsonMember(body, 'documents'))
  const returns = jsonMember(body, 'return_documents') === true
  const documentOf = (index: number) =>
    typeof given[index] === 'string' ? { text: documents[index]! } : (given[index] as JsonObject)
  return JSON.stringify({
    id,
    results: results.map(({ index, score }) => ({
      index,
      relevance_score: score,
      ...(returns ? { document: documentOf(index) } : {}),
    })),
    meta: {
      api_version: { version: '2' },
      ...(searchUnits === undefined ? {} : { billed_units: { search_units: searchUnits } }),
      ...(promptTokens === undefined ? {} : { tokens: { input_tokens: promptTokens } }),
    },
  })
}
