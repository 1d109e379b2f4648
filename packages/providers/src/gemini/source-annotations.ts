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
/** In characters. Longer texts are not searched for the words of a source, because there may be many sources. */
const maxSearched = 262_144

/**
 * The sources of one candidate's answer as annotations of the chat protocol: grounding and citations. Gemini gives their
 * positions as UTF-8 byte offsets at the end of a stream, so the text is measured as it arrives.
 */
export class SourceAnnotations {
  readonly #offsets = new Utf16Offsets()
  #citations: Citation[] = []
  #size = 0

  /** Adds text of the answer. */
  measure(text: string): void {
    this.#offsets.add(text)
  }

  /** Keeps the sources that a candidate names. Throws `UpstreamError` of kind `garbled` above 4 MiB of them. */
  add({ groundingMetadata: grounding, citationMetadata: citation }: Fields): void {
    if (isFields(grounding)) this.#keep(groundingAnnotations(grounding))
    if (isFields(citation)) this.#keep(citationAnnotations(citation))
  }

  /** Removes and returns the annotations so far, one for each range and source. `text`: the complete answer, if known. */
  take(text: string | undefined): readonly JsonObject[] {
    const citations = this.#citations
    this.#citations = []
    const offsets = this.#offsets.codeUnitOffsets(citations.flatMap(({ start, end }) => [start, end]))
    const searched = text !== undefined && text.length <= maxSearched ? text : undefined
    const annotations = new Map<string, JsonObject>()
    for (const { start, end, words, url, title } of citations) {
      let from = offsets.get(start)
      let to = offsets.get(end)
      // In an answer of several parts, the offsets may count from the beginning of one part.
      if (searched !== undefined && words !== undefined && searched.slice(from, to) !== words) {
        const found = searched.indexOf(words)
        if (found !== -1) {
          from = found
          to = found + words.length
        }
      }
      // Omits citations of text that was withheld.
      if (from === undefined || to === undefined || from >= to) continue
      const citation = { start_index: from, end_index: to, url, title }
      annotations.set(`${from} ${to} ${url}`, { type: 'url_citation', url_citation: citation })
    }
    return [...annotations.values()]
  }

  #keep(citations: readonly Citation[]): void {
    for (const citation of citations) {
      this.#size += citation.url.length + citation.title.length + 64
      if (this.#size > maxSize) throw garbledResponse('sources without end')
      this.#citations.push(citation)
    }
  }
}

/** `groundingMetadata`: web pages, the caller's documents and maps, each with the part of the answer that it supports. */
function groundingAnnotations({ groundingChunks, groundingSupports }: Fields): Citation[] {
  const sources = Array.isArray(groundingChunks) ? groundingChunks.map(chunkSource) : []
  return (objectsOf(groundingSupports) ?? []).flatMap(({ segment, groundingChunkIndices }) => {
    const range = isFields(segment) ? rangeOf(segment) : { start: 0, end: 0 }
    const words = isFields(segment) ? textOf(segment.text) : undefined
    const indices: readonly unknown[] = Array.isArray(groundingChunkIndices) ? groundingChunkIndices : []
    return indices.flatMap(index => {
      const source = sources[countOf(index) ?? -1]
      return source === undefined ? [] : [{ ...range, words, ...source }]
    })
  })
}

/** The first source of a chunk that has a URL. */
function chunkSource(chunk: unknown): Source | undefined {
  if (!isFields(chunk)) return undefined
  for (const source of [chunk.web, chunk.retrievedContext, chunk.maps]) {
    const found = isFields(source) ? sourceOf(source) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** `citationMetadata`. The Gemini API and Vertex AI name its list differently. */
function citationAnnotations({ citationSources, citations }: Fields): Citation[] {
  return (objectsOf(citationSources) ?? objectsOf(citations) ?? []).flatMap(fields => {
    const source = sourceOf(fields)
    return source === undefined ? [] : [{ ...rangeOf(fields), words: undefined, ...source }]
  })
}

function sourceOf({ uri, title }: Fields): Source | undefined {
  const url = textOf(uri)
  return url === undefined ? undefined : { url, title: textOf(title) ?? url }
}

function rangeOf({ startIndex, endIndex }: Fields): { readonly start: number; readonly end: number } {
  const start = countOf(startIndex) ?? 0
  return { start, end: countOf(endIndex) ?? start }
}
