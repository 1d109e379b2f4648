import { describe, expect, it } from 'vitest'
import { SourceAnnotations } from './source-annotations.ts'

const uri = 'https://a.example/'
const segment = (startIndex: number, endIndex: number, text?: string) => ({
  segment: { startIndex, endIndex, ...(text === undefined ? {} : { text }) },
  groundingChunkIndices: [0],
})

/** The places of the sources in a text; `whole`: it is at hand when they are told. */
function places(text: string, metadata: object, whole = true) {
  const sources = new SourceAnnotations()
  sources.measure(text)
  sources.add({ ...metadata })
  return sources.take(whole ? text : undefined).map(({ url_citation }) => {
    const { start_index, end_index } = url_citation as Record<string, number>
    return [start_index, end_index]
  })
}

const groundingAnnotations = (...groundingSupports: unknown[]) => ({
  groundingMetadata: { groundingChunks: [{ web: { uri } }], groundingSupports },
})

describe('SourceAnnotations', () => {
  it('goes by the words of a source only where they do not stand at its place', () => {
    expect(places('So. So.', groundingAnnotations(segment(4, 7, 'So.')))).toEqual([[4, 7]])
    expect(places('Or. So.', groundingAnnotations(segment(0, 3, 'So.')))).toEqual([[4, 7]])
    expect(places('Or. So.', groundingAnnotations(segment(0, 3, 'Not there.')))).toEqual([[0, 3]])
    expect(places('Or. So.', groundingAnnotations(segment(0, 3)))).toEqual([[0, 3]])
  })

  it('goes by the place alone where the text is not at hand, or too long to be searched', () => {
    expect(places('Or. So.', groundingAnnotations(segment(0, 3, 'So.')), false)).toEqual([[0, 3]])
    const long = `${'a'.repeat(262_141)}So.`
    expect(places(long, groundingAnnotations(segment(0, 3, 'So.')))).toEqual([[262_141, 262_144]])
    expect(places(`a${long}`, groundingAnnotations(segment(0, 3, 'So.')))).toEqual([[0, 3]])
  })

  it('cites nothing at a place that nobody can tell', () => {
    const text = 'aé'.repeat(20_000)
    const citations = [
      { startIndex: 0, endIndex: 3, uri },
      { startIndex: 0, endIndex: 59_999, uri },
      { startIndex: 59_990, endIndex: 59_999, uri },
    ]
    expect(places(text, { citationMetadata: { citations } }, false)).toEqual([[0, 2]])
  })

  it('leaves out what names no source or no place', () => {
    const supports = [
      { groundingChunkIndices: [1] },
      { segment: { endIndex: 1 } },
      { segment: { endIndex: 1 }, groundingChunkIndices: ['x', -1, 7, 0] },
    ]
    const metadata = { groundingChunks: [null, { web: { uri } }], groundingSupports: supports }
    expect(places('abc', { groundingMetadata: metadata })).toEqual([])
    expect(places('abc', { groundingMetadata: { groundingSupports: supports } })).toEqual([])
    expect(places('abc', { groundingMetadata: { groundingChunks: [] }, citationMetadata: {} })).toEqual([])
  })
})
