/**
 * A text that arrives in pieces. Halves of a surrogate pair in two pieces are joined. Other halves become U+FFFD: UTF-8 cannot
 * hold them, so the gateway would refuse a request that replays them.
 */
export class PairedText {
  /** The first half of a pair, which waits for the second. */
  #high = ''

  /** Returns the text that a piece adds. */
  push(piece: string): string {
    if (this.#high === '' && piece.isWellFormed()) return piece
    const text = this.#high + piece
    this.#high = /[\ud800-\udbff]$/.exec(text)?.[0] ?? ''
    return text.slice(0, text.length - this.#high.length).toWellFormed()
  }

  /** Returns the rest of the text. */
  end(): string {
    return this.#high.toWellFormed()
  }
}
