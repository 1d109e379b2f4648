import type { JsonObject } from '@sluice/core/provider'
import { ResponseParts } from '../claude/response-parts.ts'
import { claudeFormat } from '../claude/signed-turns.ts'
import type { ReasoningPlace } from '../conversation/reasoning-blocks.ts'
import { type Fields, textOf } from '../wire/json-value.ts'
import { documentCitation, webAnnotation } from './citations.ts'

/** What an answer says beside its text: thinking and citations. */
export class AnswerParts extends ResponseParts {
  readonly #annotations: JsonObject[] = []
  readonly #citations: JsonObject[] = []
  #gap = false
  #torn = false

  constructor() {
    super(claudeFormat)
  }

  /** Reasoning with signatures, for `reasoning_details`; `undefined` where there is none that could come back. */
  override get details(): readonly JsonObject[] | undefined {
    return this.#torn ? undefined : super.details
  }

  get annotations(): readonly JsonObject[] | undefined {
    return this.#annotations.length > 0 ? this.#annotations : undefined
  }

  /** Places in documents of the caller's. */
  get citations(): readonly JsonObject[] | undefined {
    return this.#citations.length > 0 ? this.#citations : undefined
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
    this.#gap = super.details !== undefined
  }

  #add(detail: JsonObject, size: number, place: ReasoningPlace): void {
    this.#torn ||= this.#gap
    this.addDetail(detail, size, place)
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
