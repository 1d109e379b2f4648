import type { JsonObject } from '@sluice/core'
import { garbled } from '../wire/garbled.ts'
import { type Fields, textOf } from '../wire/json-value.ts'
import { documentCitation, webAnnotation } from './citations.ts'
import type { BedrockModel } from './models.ts'
import { redactedData } from './reasoning-content.ts'

/** The most that is kept of one answer, in UTF-16 code units. */
const maxKept = 8_388_608

/**
 * What an answer says beside its text, kept until its end, since clients take it in one piece: reasoning with its
 * signatures, and citations, with the places of the texts that they belong to. Throws `UpstreamError` of kind
 * `garbled` above 8 MiB.
 */
export class AnswerParts {
  readonly #model: BedrockModel
  readonly #details: JsonObject[] = []
  readonly #cited: { readonly citation: Fields; readonly block: unknown; start: number; end: number }[] = []
  #kept = 0
  /** The last block that had text: where it begins, and where it ends so far. */
  #block: unknown
  #start = 0
  #end = 0
  #calls = 0

  constructor(model: BedrockModel) {
    this.#model = model
  }

  /** Reasoning with signatures, for `reasoning_details`; `undefined` where there is none. */
  get details(): readonly JsonObject[] | undefined {
    return this.#details.length > 0 ? this.#details : undefined
  }

  /** Citations of web pages. */
  get annotations(): readonly JsonObject[] | undefined {
    return this.#made(webAnnotation)
  }

  /** Citations of documents of the caller's. */
  get citations(): readonly JsonObject[] | undefined {
    return this.#made(documentCitation)
  }

  /** Counts what is kept for as long as the answer lasts. */
  keep(size: number): void {
    // A piece costs memory also where its text is short.
    this.#kept += size + 16
    if (this.#kept > maxKept) throw garbled(`more than ${maxKept} characters beside its text`)
  }

  /** A piece of text of a block. */
  say(block: unknown, size: number): void {
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

  /** A block of reasoning that has ended. Without a signature it cannot come back. */
  think(text: string, signature: string): void {
    if (signature !== '') this.#detail({ type: 'reasoning.text', text, signature }, signature.length)
  }

  /** A block of reasoning that only the vendor can read. */
  thinkSecretly(redactedContent: unknown): void {
    const text = textOf(redactedContent)
    if (text === undefined) return
    const data = redactedData(text, this.#model)
    this.#detail({ type: 'reasoning.encrypted', data }, text.length)
  }

  /** Where it stood, in the middle of text and calls, it has to stand when it comes back. */
  #detail(detail: JsonObject, size: number): void {
    this.keep(size)
    const { reasoningFormat: format } = this.#model
    const place = { text: this.#end, calls: this.#calls }
    const placed = place.text === 0 && place.calls === 0 ? {} : { place }
    this.#details.push({ ...detail, format, index: this.#details.length, ...placed })
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
