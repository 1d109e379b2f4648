import type { JsonObject } from '@sluice/core'
import { countOf, type Fields, isFields, objectsOf, textOf } from '../wire/json-value.ts'
import { utf16Offsets } from './utf16-offsets.ts'

interface Citation {
  readonly start: number
  readonly end: number
  readonly words: string | undefined
  readonly url: string
  readonly title: string
}

/**
 * What `groundingMetadata` says of the sources of an answer, as the protocol's annotations. Its segments are
 * measured in bytes of UTF-8; `text` is the whole answer.
 */
export function groundingAnnotations(metadata: readonly Fields[], text: string): readonly JsonObject[] {
  const citations = metadata.flatMap(citationsOf)
  const offsets = utf16Offsets(
    text,
    citations.flatMap(({ start, end }) => [start, end]),
  )
  return citations.map(({ start, end, words, url, title }) => {
    let from = offsets.get(start) ?? 0
    let to = offsets.get(end) ?? text.length
    // Where an answer has several parts, the segments are those of one part.
    if (words !== undefined && text.slice(from, to) !== words) {
      const found = text.indexOf(words)
      if (found !== -1) {
        from = found
        to = found + words.length
      }
    }
    return { type: 'url_citation', url_citation: { start_index: from, end_index: to, url, title } }
  })
}

function citationsOf({ groundingChunks, groundingSupports }: Fields): Citation[] {
  const sources = Array.isArray(groundingChunks) ? groundingChunks.map(sourceOf) : []
  return (objectsOf(groundingSupports) ?? []).flatMap(({ segment, groundingChunkIndices }) => {
    const place = isFields(segment) ? segment : {}
    const start = countOf(place.startIndex) ?? 0
    const end = countOf(place.endIndex) ?? start
    const words = textOf(place.text)
    const indices: readonly unknown[] = Array.isArray(groundingChunkIndices) ? groundingChunkIndices : []
    return indices.flatMap(index => {
      const source = sources[countOf(index) ?? -1]
      return source === undefined ? [] : [{ start, end, words, ...source }]
    })
  })
}

/** A page, a document of the caller's own, or a place; one without an address cannot be cited. */
function sourceOf(chunk: unknown): { readonly url: string; readonly title: string } | undefined {
  if (!isFields(chunk)) return undefined
  for (const source of [chunk.web, chunk.retrievedContext, chunk.maps]) {
    const url = isFields(source) ? textOf(source.uri) : undefined
    if (url !== undefined && isFields(source)) return { url, title: textOf(source.title) ?? url }
  }
  return undefined
}
