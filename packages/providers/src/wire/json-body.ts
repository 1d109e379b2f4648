/** A request whose messages hold so many characters is written piece by piece. */
const long = 65_536

/**
 * A request as JSON. A long one is written into bytes, message by message: a text of all of it would be made twice over
 * beside them, each time in memory that is fresh, which takes longer than to write it.
 */
export function jsonBody(body: Readonly<Record<string, unknown>>): string | Uint8Array {
  const { messages } = body
  if (!Array.isArray(messages)) return JSON.stringify(body)
  const chars = charsOf(messages)
  if (chars < long) return JSON.stringify(body)
  const bytes = new Utf8Bytes(chars)
  let before = '{'
  for (const name of Object.keys(body)) {
    const value = body[name]
    if (value === undefined) continue
    bytes.add(`${before}${JSON.stringify(name)}:`)
    before = ','
    if (value === messages) addList(messages, bytes)
    else bytes.add(JSON.stringify(value))
  }
  bytes.add('}')
  return bytes.written
}

function addList(items: readonly unknown[], bytes: Utf8Bytes): void {
  let before = '['
  for (const item of items) {
    bytes.add(before)
    bytes.add(JSON.stringify(item))
    before = ','
  }
  bytes.add(']')
}

/** About how many characters messages hold; of parts, pictures in the text included. */
function charsOf(messages: readonly unknown[]): number {
  let chars = 0
  for (const message of messages) {
    const content = (message as { readonly content?: unknown } | null)?.content
    if (typeof content === 'string') chars += content.length
    else if (Array.isArray(content)) for (const part of content) chars += charsOfPart(part)
  }
  return chars
}

function charsOfPart(part: unknown): number {
  if (typeof part !== 'object' || part === null) return 0
  let chars = 0
  for (const value of Object.values(part)) {
    if (typeof value === 'string') chars += value.length
    else if (typeof value === 'object' && value !== null) {
      for (const text of Object.values(value)) if (typeof text === 'string') chars += text.length
    }
  }
  return chars
}

const encoder = new TextEncoder()

/** Text as UTF-8, in room that grows. */
class Utf8Bytes {
  #bytes: Uint8Array
  #length = 0

  constructor(chars: number) {
    // Quotes and line ends take two bytes, and most letters one.
    this.#bytes = new Uint8Array(Math.ceil(chars * 1.1) + 4_096)
  }

  get written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  add(text: string): void {
    let rest = text
    for (;;) {
      const { read, written } = encoder.encodeInto(rest, this.#bytes.subarray(this.#length))
      this.#length += written
      if (read === rest.length) return
      rest = rest.slice(read)
      // At least twice as much: what is written is copied a few times, and not once for each text.
      const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.#bytes.length + 3 * rest.length))
      grown.set(this.written)
      this.#bytes = grown
    }
  }
}
