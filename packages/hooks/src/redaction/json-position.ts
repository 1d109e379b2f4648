/** Follows a JSON text that arrives in parts, and knows whether a position is within a string. */
export class JsonPosition {
  #isInString = false
  #isEscaped = false

  /** Whether the text so far ends within a string. */
  get isInString(): boolean {
    return this.#isInString
  }

  /** Reads a part of the text. */
  read(text: string, start: number, end: number): void {
    for (let at = start; at < end; at++) {
      const code = text.charCodeAt(at)
      if (this.#isEscaped) this.#isEscaped = false
      else if (code === 0x22) this.#isInString = !this.#isInString
      else if (code === 0x5c && this.#isInString) this.#isEscaped = true
    }
  }
}
