import type { JsonObject } from '@sluice/core/provider'
import { claudeFormat } from '../claude/signed-turns.ts'
import type { ReasoningPosition } from '../conversation/reasoning-blocks.ts'
import { ResponseParts } from '../conversation/response-parts.ts'
import { type Fields, textOf } from '../wire/json-value.ts'
import { documentCitation, webAnnotation } from './citations.ts'

/** The parts of an answer beside its text: thinking and citations. */
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

  /** Citations of the caller's documents. */
  get citations(): readonly JsonObject[] | undefined {
    return this.#citations.length > 0 ? this.#citations : undefined
  }

  /**
   * Adds a block of thinking that has ended. Without a signature it cannot be sent in a later request. Returns its detail,
   * where it can.
   */
  think(text: string, signature: string, position: ReasoningPosition): JsonObject | undefined {
    if (signature === '') return undefined
    return this.#add({ type: 'reasoning.text', text, signature }, signature.length, position)
  }

  /** Adds a block of thinking that only the vendor can read. Returns its detail, where it can be sent in a later request. */
  thinkSecretly(data: unknown, position: ReasoningPosition): JsonObject | undefined {
    const text = textOf(data)
    if (text === undefined) return undefined
    return this.#add({ type: 'reasoning.encrypted', data: text }, text.length, position)
  }

  /**
   * A block that the caller does not get. Between two of thinking it would be missing when they come back, and the
   * vendor refuses thinking at another position.
   */
  leaveOut(): void {
    this.#gap = super.details !== undefined
  }

  #add(detail: JsonObject, size: number, position: ReasoningPosition): JsonObject | undefined {
    this.#torn ||= this.#gap
    const added = this.addDetail(detail, size, position)
    return this.#torn ? undefined : added
  }

  /** Adds the citations of a block of text from `start` to `end`. */
  cite(citations: readonly Fields[], start: number, end: number): void {
    for (const citation of citations) {
      const page = webAnnotation(citation, start, end)
      if (page !== undefined) this.#annotations.push(page)
      else {
        const position = documentCitation(citation, start, end)
        if (position !== undefined) this.#citations.push(position)
      }
    }
  }
}
