import type { JsonObject } from '@sluice/core/provider'
import { countOf, type Fields, isFields, objectsOf, textOf } from '../wire/json-value.ts'

/** Kinds of ranges in the caller's documents, each with the names of its start and end. */
const spanKinds = [
  ['documentPage', 'start_page_number', 'end_page_number'],
  ['documentChar', 'start_char_index', 'end_char_index'],
  ['documentChunk', 'start_block_index', 'end_block_index'],
] as const

/**
 * A web page as an annotation of the answer's text from `start` to `end`, in UTF-16 code units. `undefined` for
 * another citation.
 */
export function webAnnotation(citation: Fields, start: number, end: number): JsonObject | undefined {
  const web = isFields(citation.location) ? citation.location.web : undefined
  const url = isFields(web) ? textOf(web.url) : undefined
  if (!isFields(web) || url === undefined) return undefined
  const title = textOf(citation.title) ?? textOf(web.domain) ?? url
  return { type: 'url_citation', url_citation: { url, title, start_index: start, end_index: end } }
}

/**
 * A place in a document of the caller's, as a source of the answer's text from `start` to `end`. `undefined` for a
 * kind that is not known.
 */
export function documentCitation(citation: Fields, start: number, end: number): JsonObject | undefined {
  if (!isFields(citation.location)) return undefined
  for (const [kind, first, last] of spanKinds) {
    const place = citation.location[kind]
    const index = isFields(place) ? countOf(place.documentIndex) : undefined
    if (!isFields(place) || index === undefined) continue
    const file: Record<string, string | number> = { index }
    const filename = textOf(citation.title)
    if (filename !== undefined) file.filename = filename
    const quote = objectsOf(citation.sourceContent)
      ?.map(({ text }) => textOf(text) ?? '')
      .join('')
    if (quote) file.quote = quote
    const from = countOf(place.start)
    const to = countOf(place.end)
    if (from !== undefined) file[first] = from
    if (to !== undefined) file[last] = to
    return { type: 'file_citation', file_citation: { ...file, start_index: start, end_index: end } }
  }
  return undefined
}
