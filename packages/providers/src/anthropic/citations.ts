import type { JsonObject } from '@sluice/core/provider'
import { countOf, type Fields, textOf } from '../wire/json-value.ts'

const spanFields = [
  'start_page_number',
  'end_page_number',
  'start_char_index',
  'end_char_index',
  'start_block_index',
  'end_block_index',
] as const

/**
 * A web page as an annotation of the answer's text from `start` to `end`, in UTF-16 code units. `undefined` for
 * another citation.
 */
export function webAnnotation(citation: Fields, start: number, end: number): JsonObject | undefined {
  const url = textOf(citation.url)
  if (citation.type !== 'web_search_result_location' || url === undefined) return undefined
  const title = textOf(citation.title) ?? url
  return { type: 'url_citation', url_citation: { url, title, start_index: start, end_index: end } }
}

/**
 * A place in a document of the caller's, as a source of the answer's text from `start` to `end`. `undefined` for a
 * kind that is not known.
 */
export function documentCitation(citation: Fields, start: number, end: number): JsonObject | undefined {
  const document = countOf(citation.document_index) ?? countOf(citation.search_result_index)
  if (document === undefined) return undefined
  const filename = textOf(citation.document_title) ?? textOf(citation.title) ?? textOf(citation.source)
  const file: Record<string, string | number> = { index: document }
  if (filename !== undefined) file.filename = filename
  const quote = textOf(citation.cited_text)
  if (quote !== undefined) file.quote = quote
  for (const name of spanFields) {
    const place = countOf(citation[name])
    if (place !== undefined) file[name] = place
  }
  return { type: 'file_citation', file_citation: { ...file, start_index: start, end_index: end } }
}
