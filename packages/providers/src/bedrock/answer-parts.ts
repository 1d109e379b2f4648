import type { JsonObject } from '@sluice/core/provider'
import { ResponseParts } from '../conversation/response-parts.ts'
import { type Fields, textOf } from '../wire/json-value.ts'
import { documentCitation, webAnnotation } from './citations.ts'
import type { BedrockModel } from './models.ts'
import { redactedData } from './reasoning-content.ts'

/** The parts of an answer beside its text: reasoning, and citations with the ranges of text that they support. */
export class AnswerParts extends ResponseParts {
  readonly #model: BedrockModel
  readonly #cited: { readonly citation: Fields; readonly block: unknown; start: number; end: number }[] = []
  /** The last block that had text: where it begins, and where it ends so far. */
  #block: unknown
  #start = 0
  #end = 0
  #calls = 0

  constructor(model: BedrockModel) {
    super(model.reasoningFormat)
    this.#model = model
  }

  /** Citations of web pages. */
  get annotations(): readonly JsonObject[] | undefined {
    return this.#made(webAnnotation)
  }

  /** Citations of documents of the caller's. */
  get citations(): readonly JsonObject[] | undefined {
    return this.#made(documentCitation)
  }

  /** A piece of text of a block. */
  addText(block: unknown, size: number): void {
    if (block !== this.#block) {
      this.#block = block
      this.#start = this.#end
    }
    this.#end += size
  }

  /** A call has begun. */
  call(): void {
    this.#calls++
  }

  /** A citation of a block. It belongs to the block's own text, or to the text before it where there is none. */
  cite(block: unknown, citation: Fields): void {
    this.keep(JSON.stringify(citation).length)
    this.#cited.push({ citation, block, start: this.#start, end: this.#end })
  }

  /** A block has ended: its citations, which are the last ones, hold for all of its text. */
  close(block: unknown): void {
    if (block !== this.#block) return
    for (let at = this.#cited.length - 1; at >= 0; at--) {
      const cited = this.#cited[at]!
      if (cited.block !== block) return
      cited.start = this.#start
      cited.end = this.#end
    }
  }

  /** A block of reasoning that has ended. Without a signature it cannot come back. Returns its detail. */
  think(text: string, signature: string): JsonObject | undefined {
    if (signature === '') return undefined
    return this.#detail({ type: 'reasoning.text', text, signature }, signature.length)
  }

  /** A block of reasoning that only the vendor can read. Returns its detail. */
  thinkSecretly(redactedContent: unknown): JsonObject | undefined {
    const text = textOf(redactedContent)
    if (text === undefined) return undefined
    const data = redactedData(text, this.#model)
    return this.#detail({ type: 'reasoning.encrypted', data }, text.length)
  }

  #detail(detail: JsonObject, size: number): JsonObject {
    return this.addDetail(detail, size, { text: this.#end, calls: this.#calls })
  }

  #made(
    make: (citation: Fields, start: number, end: number) => JsonObject | undefined,
  ): readonly JsonObject[] | undefined {
    const made: JsonObject[] = []
    for (const { citation, start, end } of this.#cited) {
      const one = make(citation, start, end)
      if (one !== undefined) made.push(one)
    }
    return made.length > 0 ? made : undefined
  }
}
