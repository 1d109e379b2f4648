import type { JsonObject } from '@sluice/core/provider'
import { garbledResponse } from '../wire/garbled-response.ts'
import { type Fields, objectsOf, textOf } from '../wire/json-value.ts'

interface Source {
  readonly url: string
  readonly title: string
}

interface Marker {
  readonly number: number
  readonly start: number
  readonly end: number
}

const maxMarkers = 10_000
/** In UTF-16 code units of URLs and titles. Each annotation repeats them. */
const maxSize = 4_194_304

/** How much the annotations of one answer may still hold, in all its choices. */
export class CitationBudget {
  #left = maxSize

  /** Throws `UpstreamError` of kind `garbled` above 4 MiB in all. */
  spend(size: number): void {
    this.#left -= size
    if (this.#left < 0) throw garbledResponse(`more than ${maxSize} characters of citations`)
  }
}

/**
 * The sources of an answer that its text cites by number: `[1]` is the first URL in `citations`, or in `search_results` if
 * there are no `citations`. Converts them to annotations of the protocol, with the position of `[1]` in the text.
 */
export class NumberedCitations {
  readonly #budget: CitationBudget
  /** The last answer that was read, with its sources. */
  #read: { readonly answer: Fields; readonly sources: readonly (Source | undefined)[] } | undefined
  #markers: Marker[] = []
  /** The end of the text so far, if it may be the beginning of `[1]`. */
  #rest = ''
  #length = 0

  constructor(budget: CitationBudget) {
    this.#budget = budget
  }

  /** Adds text of the answer. Throws `UpstreamError` of kind `garbled` above 10,000 citations. */
  add(text: string): void {
    const searched = this.#rest + text
    const base = this.#length - this.#rest.length
    for (const { 0: marker, 1: number, index } of searched.matchAll(/\[(\d{1,3})\]/g)) {
      const start = base + index
      this.#markers.push({ number: Number(number), start, end: start + marker.length })
    }
    if (this.#markers.length > maxMarkers) throw garbledResponse(`more than ${maxMarkers} citations`)
    this.#rest = /\[\d{0,3}$/.exec(searched)?.[0] ?? ''
    this.#length += text.length
  }

  /**
   * Removes and returns the annotations so far; `undefined` if there are none. Throws `UpstreamError` of kind `garbled` above
   * the budget.
   */
  take(answer: Fields): readonly JsonObject[] | undefined {
    const markers = this.#markers
    if (markers.length === 0) return undefined
    this.#markers = []
    if (this.#read?.answer !== answer) this.#read = { answer, sources: sourcesOf(answer) }
    const { sources } = this.#read
    const annotations: JsonObject[] = []
    for (const { number, start, end } of markers) {
      const source = sources[number - 1]
      if (source === undefined) continue
      const { url, title } = source
      this.#budget.spend(url.length + title.length)
      annotations.push({
        type: 'url_citation',
        url_citation: { start_index: start, end_index: end, url, title },
      })
    }
    return annotations.length > 0 ? annotations : undefined
  }
}

/** In the order of their numbers; `undefined` instead of one that is no URL. */
function sourcesOf({ citations, search_results }: Fields): readonly (Source | undefined)[] {
  const results = objectsOf(search_results) ?? []
  const urls = Array.isArray(citations) ? citations : results.map(({ url }) => url)
  const titles = new Map(results.map(({ url, title }) => [url, textOf(title)]))
  return urls.map(url =>
    typeof url === 'string' && /^https?:\/\//i.test(url) ? { url, title: titles.get(url) ?? url } : undefined,
  )
}
