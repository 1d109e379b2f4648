import type { JsonObject } from '@sluice/core/provider'
import { garbledResponse } from '../wire/garbled-response.ts'
import { countOf, type Fields, isFields, objectsOf, textOf } from '../wire/json-value.ts'
import { Utf16Offsets } from './utf16-offsets.ts'

interface Source {
  readonly url: string
  readonly title: string
}

interface Citation extends Source {
  readonly start: number
  readonly end: number
  readonly words: string | undefined
}

const maxSize = 4_194_304
/** Longer texts are not searched for the words of a source: there may be many sources. */
const maxSearched = 262_144

/**
 * The sources of one candidate's answer as the protocol's annotations: what it was grounded in, and what it
 * recites. Gemini measures their places in bytes of UTF-8 and tells them late, so the text is measured as it
 * comes.
 */
export class SourceAnnotations {
  readonly #offsets = new Utf16Offsets()
  #citations: Citation[] = []
  #size = 0

  /** More of the answer's text. */
  measure(text: string): void {
    this.#offsets.add(text)
  }

  /** Keeps the sources that a candidate names. Throws `UpstreamError` of kind `garbled` above 4 MiB of them. */
  add({ groundingMetadata: grounding, citationMetadata: citation }: Fields): void {
    if (isFields(grounding)) this.#keep(groundingAnnotations(grounding))
    if (isFields(citation)) this.#keep(citationAnnotations(citation))
  }

  /** What was kept so far, each source of a place once. `text`: the whole answer, where it is at hand. */
  take(text: string | undefined): readonly JsonObject[] {
    const citations = this.#citations
    this.#citations = []
    const places = this.#offsets.places(citations.flatMap(({ start, end }) => [start, end]))
    const searched = text !== undefined && text.length <= maxSearched ? text : undefined
    const told = new Map<string, JsonObject>()
    for (const { start, end, words, url, title } of citations) {
      let from = places.get(start)
      let to = places.get(end)
      // Where an answer has several parts, the places may be those within one of them, whatever it says.
      if (searched !== undefined && words !== undefined && searched.slice(from, to) !== words) {
        const found = searched.indexOf(words)
        if (found !== -1) {
          from = found
          to = found + words.length
        }
      }
      // Of what was withheld nothing can be cited.
      if (from === undefined || to === undefined || from >= to) continue
      const citation = { start_index: from, end_index: to, url, title }
      told.set(`${from} ${to} ${url}`, { type: 'url_citation', url_citation: citation })
    }
    return [...told.values()]
  }

  #keep(citations: readonly Citation[]): void {
    for (const citation of citations) {
      this.#size += citation.url.length + citation.title.length + 64
      if (this.#size > maxSize) throw garbledResponse('sources without end')
      this.#citations.push(citation)
    }
  }
}

/** `groundingMetadata`: pages, documents of the caller's own, places; each with what of the answer it supports. */
function groundingAnnotations({ groundingChunks, groundingSupports }: Fields): Citation[] {
  const sources = Array.isArray(groundingChunks) ? groundingChunks.map(chunkSource) : []
  return (objectsOf(groundingSupports) ?? []).flatMap(({ segment, groundingChunkIndices }) => {
    const place = isFields(segment) ? placeOf(segment) : { start: 0, end: 0 }
    const words = isFields(segment) ? textOf(segment.text) : undefined
    const indices: readonly unknown[] = Array.isArray(groundingChunkIndices) ? groundingChunkIndices : []
    return indices.flatMap(index => {
      const source = sources[countOf(index) ?? -1]
      return source === undefined ? [] : [{ ...place, words, ...source }]
    })
  })
}

/** One without an address cannot be cited. */
function chunkSource(chunk: unknown): Source | undefined {
  if (!isFields(chunk)) return undefined
  for (const source of [chunk.web, chunk.retrievedContext, chunk.maps]) {
    const found = isFields(source) ? sourceOf(source) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** `citationMetadata`, whose list each of the two services has under a name of its own. */
function citationAnnotations({ citationSources, citations }: Fields): Citation[] {
  return (objectsOf(citationSources) ?? objectsOf(citations) ?? []).flatMap(fields => {
    const source = sourceOf(fields)
    return source === undefined ? [] : [{ ...placeOf(fields), words: undefined, ...source }]
  })
}

function sourceOf({ uri, title }: Fields): Source | undefined {
  const url = textOf(uri)
  return url === undefined ? undefined : { url, title: textOf(title) ?? url }
}

function placeOf({ startIndex, endIndex }: Fields): { readonly start: number; readonly end: number } {
  const start = countOf(startIndex) ?? 0
  return { start, end: countOf(endIndex) ?? start }
}
