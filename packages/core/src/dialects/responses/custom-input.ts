const begin = /^[ \t\n\r]*\{[ \t\n\r]*"input"[ \t\n\r]*:[ \t\n\r]*"/
const beginInPart =
  /^[ \t\n\r]*(?:\{[ \t\n\r]*(?:"(?:i(?:n(?:p(?:u(?:t(?:"[ \t\n\r]*(?::[ \t\n\r]*)?)?)?)?)?)?)?)?)?$/

/** The longest beginning that is examined, in UTF-16 code units. */
const maxBegin = 256

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/**
 * Reads the arguments of a function that stands for a custom tool, piece by piece: the text of `{"input": "..."}`. Arguments that
 * do not begin like this are the text themselves.
 */
export class CustomInputReader {
  #state: 'begin' | 'string' | 'raw' | 'ended' = 'begin'
  #begin = ''
  /** The beginning of an escape, from its backslash. */
  #escape = ''
  /** The first half of a surrogate pair, which is returned with the second. */
  #high = ''

  /** Returns the text that a piece adds. */
  push(piece: string): string {
    switch (this.#state) {
      case 'raw':
        return piece
      case 'ended':
        return ''
      case 'string':
        return this.#paired(this.#decoded(piece))
      case 'begin':
        return this.#pushBegin(piece)
    }
  }

  /** Returns the rest of the text. `wasCut`: the arguments have no end, so that a beginning alone is no text. */
  end(wasCut: boolean): string {
    const rest = this.#state === 'begin' && !wasCut ? this.#begin : ''
    const text = this.#high + (wasCut ? '' : this.#escape) + rest
    this.#high = ''
    this.#escape = ''
    this.#begin = ''
    this.#state = 'ended'
    return text
  }

  #pushBegin(piece: string): string {
    this.#begin += piece
    const text = this.#begin
    const [found] = begin.exec(text) ?? []
    if (found !== undefined) {
      this.#state = 'string'
      this.#begin = ''
      return this.#paired(this.#decoded(text.slice(found.length)))
    }
    if (text.length <= maxBegin && beginInPart.test(text)) return ''
    this.#state = 'raw'
    this.#begin = ''
    return text
  }

  #decoded(piece: string): string {
    let text = ''
    let from = 0
    for (let at = 0; at < piece.length; at++) {
      if (this.#escape !== '') {
        text += this.#pushEscape(piece[at]!)
        from = at + 1
        continue
      }
      const unit = piece.charCodeAt(at)
      if (unit !== 0x22 && unit !== 0x5c) continue
      text += piece.slice(from, at)
      from = at + 1
      if (unit === 0x5c) this.#escape = '\\'
      else {
        this.#state = 'ended'
        return text
      }
    }
    return text + piece.slice(from)
  }

  /** Returns the character of an escape that is complete, or the escape as it is if there is none such. */
  #pushEscape(character: string): string {
    const sequence = this.#escape + character
    this.#escape = ''
    if (sequence === '\\u' || /^\\u[0-9a-fA-F]{1,3}$/.test(sequence)) {
      this.#escape = sequence
      return ''
    }
    if (sequence.length === 6 && /[0-9a-fA-F]$/.test(sequence)) {
      return String.fromCharCode(Number.parseInt(sequence.slice(2), 16))
    }
    return sequence.length === 2 ? (escapes[character] ?? sequence) : sequence
  }

  #paired(added: string): string {
    const text = this.#high + added
    this.#high = ''
    const last = text.charCodeAt(text.length - 1)
    if (!(last >= 0xd800 && last <= 0xdbff) || this.#state === 'ended') return text
    this.#high = text.slice(-1)
    return text.slice(0, -1)
  }
}
