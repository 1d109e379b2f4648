import type { Adjustment } from '../contracts/provider.ts'
import { utf8Length } from '../primitives/utf8-length.ts'
import type { KeptAnswer } from './kept-answer.ts'

/** Where an answer that is being made will be kept. It is told once how that ended, and neither throws nor rejects. */
export interface AnswerKeeper {
  /** How many bytes of UTF-8 the text of an answer may have. */
  readonly maxBytes: number
  /** The answer came to its own end; `undefined` where it is larger. */
  completed(answer: KeptAnswer | undefined): void | Promise<void>
  /** It did not: refused, broken off, left. */
  failed(): void | Promise<void>
}

/** Copies the text of an answer while it is sent, as far as somebody would keep it. */
export class AnswerCapture {
  readonly #keepers: AnswerKeeper[] = []
  readonly #pieces: string[] = []
  #bytes = 0
  #most = 0

  keepFor(keeper: AnswerKeeper): void {
    this.#keepers.push(keeper)
    this.#most = Math.max(this.#most, keeper.maxBytes)
  }

  /** The next piece of the answer's text. */
  add(text: string): void {
    if (this.#bytes > this.#most) return
    this.#bytes += utf8Length(text)
    if (this.#bytes > this.#most) this.#pieces.length = 0
    else this.#pieces.push(text)
  }

  /** The request has ended. Resolves when all that keep its answer have done so. */
  async ended(completed: boolean, stream: boolean, adjustments: readonly Adjustment[]): Promise<void> {
    const answer = { stream, text: this.#pieces.join(''), adjustments }
    const whole = completed && this.#bytes > 0
    await Promise.all(
      this.#keepers.map(keeper =>
        whole ? keeper.completed(this.#bytes > keeper.maxBytes ? undefined : answer) : keeper.failed(),
      ),
    )
  }
}
