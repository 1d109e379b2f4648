/**
 * Follows the text of a JSON object piece by piece, to find where it ends. It looks at strings and brackets only: whether the
 * text is JSON is for a parser.
 */
export class ArgumentsReader {
  #depth = 0
  #begun = false
  #inString = false
  #escaped = false
  /** Whether the object has ended. */
  ended = false

  /** Reads the next piece. Returns how much of it belongs to the object: less than all if it ended within the piece. */
  push(piece: string): number {
    if (this.ended) return 0
    for (let at = 0; at < piece.length; at++) {
      if (this.#takes(piece.charCodeAt(at))) continue
      this.ended = true
      return at + 1
    }
    return piece.length
  }

  /** Takes one character. Returns `false` for the last one of the object. */
  #takes(unit: number): boolean {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false
      else if (unit === 0x5c) this.#escaped = true
      else if (unit === 0x22) this.#inString = false
      return true
    }
    switch (unit) {
      case 0x22:
        this.#inString = true
        break
      case 0x7b:
      case 0x5b:
        this.#depth++
        this.#begun = true
        break
      case 0x7d:
      case 0x5d:
        this.#depth--
    }
    return !(this.#begun && this.#depth <= 0)
  }
}
