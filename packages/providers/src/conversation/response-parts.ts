import type { JsonObject } from '@sluice/core/provider'
import { garbledResponse } from '../wire/garbled-response.ts'
import type { ReasoningPosition } from './reasoning-blocks.ts'

/** The most that is collected of one response, in UTF-16 code units. */
const maxCollected = 8_388_608

/**
 * Collects the reasoning of a response until its end, since clients take it in one piece. Throws `UpstreamError` of
 * kind `garbled` above 8 MiB.
 */
export class ResponseParts {
  readonly #format: string
  readonly #details: JsonObject[] = []
  #collected = 0

  /** @param format - the `format` of its reasoning details. */
  constructor(format: string) {
    this.#format = format
  }

  /** Reasoning with signatures, for `reasoning_details`; `undefined` where there is none. */
  get details(): readonly JsonObject[] | undefined {
    return this.#details.length > 0 ? this.#details : undefined
  }

  /** Counts what is collected until the end of the response. */
  keep(size: number): void {
    // A piece costs memory also where its text is short.
    this.#collected += size + 16
    if (this.#collected > maxCollected)
      throw garbledResponse(`more than ${maxCollected} characters beside its text`)
  }

  /** Adds a block of reasoning with its position, which a later request has to preserve. */
  protected addDetail(detail: JsonObject, size: number, { text, calls }: ReasoningPosition): JsonObject {
    this.keep(size)
    const index = this.#details.length
    const place = text === 0 && calls === 0 ? {} : { place: { text, calls } }
    const added = { ...detail, format: this.#format, index, ...place }
    this.#details.push(added)
    return added
  }
}
