/** Keeps no state, and no mark of byte order: reads in mid stream. */
const whole = /* @__PURE__ */ new TextDecoder('utf-8', { ignoreBOM: true })

const asStream = { stream: true }

/**
 * UTF-8 that comes in reads, as text: what one `TextDecoder` makes of them as a stream. Most reads of an event stream
 * end with a line and so with a character; those are decoded by themselves, at a third of what a stream costs.
 */
export class Utf8Reads {
  /** Set while a character may be cut. */
  #stream: TextDecoder | undefined
  #begun = false

  decode(bytes: Uint8Array): string {
    const { length } = bytes
    if (length === 0) return ''
    // An ASCII byte is a whole character, and ends any other.
    const complete = bytes[length - 1]! < 0x80
    // What begins a stream may be a mark of byte order.
    if (complete && this.#stream === undefined && (this.#begun || bytes[0] !== 0xef)) {
      this.#begun = true
      return whole.decode(bytes)
    }
    this.#stream ??= new TextDecoder('utf-8', { ignoreBOM: this.#begun })
    this.#begun = true
    const text = this.#stream.decode(bytes, asStream)
    if (complete) this.#stream = undefined
    return text
  }

  /** What is left of a character that was cut. */
  end(): string {
    return this.#stream?.decode() ?? ''
  }
}
