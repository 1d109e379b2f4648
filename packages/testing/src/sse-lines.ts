/** The lines of a byte stream as they come. */
export interface SseLines {
  readonly lines: AsyncIterable<string>
  /** Whether the byte stream itself failed. */
  readonly failed: boolean
  /** The text after the last line end. */
  readonly rest: string
}

/**
 * Splits UTF-8 bytes into lines. Throws on bytes that are no UTF-8, on a BOM and, unless `anyLineEnd`, on CR.
 */
export function sseLines(source: AsyncIterable<Uint8Array>, anyLineEnd: boolean): SseLines {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let rest = ''
  let failed = false
  let first = true

  async function* texts(): AsyncGenerator<string> {
    const iterator = source[Symbol.asyncIterator]()
    try {
      for (;;) {
        let next: IteratorResult<Uint8Array>
        try {
          next = await iterator.next()
        } catch (error) {
          failed = true
          throw error
        }
        if (next.done) break
        yield decoder.decode(next.value, { stream: true })
      }
      yield decoder.decode()
    } finally {
      if (!failed) await iterator.return?.()
    }
  }

  async function* lines(): AsyncGenerator<string> {
    // A CR at the end of the bytes may be the first half of a CRLF: it waits for the next byte.
    const lineEnd = anyLineEnd ? /\r\n|\n|\r(?!$)/ : /\n/
    for await (const text of texts()) {
      if (first && text.startsWith('\uFEFF'))
        throw new Error('server-sent events: got a byte order mark, expected none')
      if (text !== '') first = false
      if (!anyLineEnd && text.includes('\r'))
        throw new Error('server-sent events: got CR, expected LF line ends only')
      const parts = (rest + text).split(lineEnd)
      rest = parts.pop() ?? ''
      yield* parts
    }
    if (anyLineEnd && rest.endsWith('\r')) {
      const last = rest.slice(0, -1)
      rest = ''
      yield last
    }
  }

  return {
    lines: lines(),
    get failed() {
      return failed
    },
    get rest() {
      return rest
    },
  }
}
