import type { JsonObject } from '@sluice/core'
import { claudeFormat } from '../claude/signed-turns.ts'
import type { ReasoningPlace } from '../conversation/reasoning-blocks.ts'
import { garbled } from '../wire/garbled.ts'
import { type Fields, textOf } from '../wire/json-value.ts'
import { documentCitation, webAnnotation } from './citations.ts'

/** The most that is kept of one answer, in UTF-16 code units: thinking and citations, which are told at its end. */
const maxKept = 8_388_608

/**
 * What an answer says beside its text, kept until its end, since clients take it in one piece. Throws
 * `UpstreamError` of kind `garbled` above 8 MiB.
 */
export class AnswerParts {
  readonly #details: JsonObject[] = []
  readonly #annotations: JsonObject[] = []
  readonly #citations: JsonObject[] = []
  #kept = 0
  #gap = false
  #torn = false

  /** Reasoning with signatures, for `reasoning_details`; `undefined` where there is none that could come back. */
  get details(): readonly JsonObject[] | undefined {
    return this.#details.length > 0 && !this.#torn ? this.#details : undefined
  }

  get annotations(): readonly JsonObject[] | undefined {
    return this.#annotations.length > 0 ? this.#annotations : undefined
  }

  /** Places in documents of the caller's. */
  get citations(): readonly JsonObject[] | undefined {
    return this.#citations.length > 0 ? this.#citations : undefined
  }

  /** Counts what is kept for as long as the answer lasts. */
  keep(size: number): void {
    // A piece costs memory also where its text is short.
    this.#kept += size + 16
    if (this.#kept > maxKept) throw garbled(`more than ${maxKept} characters beside its text`)
  }

  /** A block of thinking that has ended. Without a signature it cannot come back. */
  think(text: string, signature: string, place: ReasoningPlace): void {
    if (signature !== '') this.#add({ type: 'reasoning.text', text, signature }, signature.length, place)
  }

  /** A block of thinking that only the vendor can read. */
  thinkSecretly(data: unknown, place: ReasoningPlace): void {
    const text = textOf(data)
    if (text !== undefined) this.#add({ type: 'reasoning.encrypted', data: text }, text.length, place)
  }

  /**
   * A block that the caller does not get. Between two of thinking it would be missing when they come back, and the
   * vendor refuses thinking that does not stand where it stood.
   */
  leaveOut(): void {
    this.#gap = this.#details.length > 0
  }

  #add(detail: JsonObject, size: number, { text, calls }: ReasoningPlace): void {
    this.#torn ||= this.#gap
    this.keep(size)
    const index = this.#details.length
    const place = text === 0 && calls === 0 ? {} : { place: { text, calls } }
    this.#details.push({ ...detail, format: claudeFormat, index, ...place })
  }

  /** The citations of a block of text that stands from `start` to `end`. */
  cite(citations: readonly Fields[], start: number, end: number): void {
    for (const citation of citations) {
      const page = webAnnotation(citation, start, end)
      if (page !== undefined) this.#annotations.push(page)
      else {
        const place = documentCitation(citation, start, end)
        if (place !== undefined) this.#citations.push(place)
      }
    }
  }
}
