import { garbledResponse } from './garbled-response.ts'

const maxTextBytes = 33_554_432
const maxBlankBytes = 65_536

/** The bytes of a body, of whose beginning and end something has to be known. */
export class PeekedBody implements AsyncIterable<Uint8Array> {
  /** Whether the body has ended by itself. */
  ended = false
  /** For who reads on without this: what follows what is `held`. */
  readonly bytes: AsyncIterator<Uint8Array>
  /** What was read to see how the body begins, and not yet handed on. */
  held: Uint8Array | undefined

  constructor(body: AsyncIterable<Uint8Array>) {
    this.bytes = body[Symbol.asyncIterator]()
  }

  /**
   * Whether the first byte that is no white space opens a JSON value. No line of an event stream does. Reads
   * of white space alone, which say nothing in either, are dropped. Throws `UpstreamError` of kind `garbled`
   * above 64 KiB of them.
   */
  async beginsAsJson(): Promise<boolean> {
    for (let blank = 0; blank <= maxBlankBytes; ) {
      const read = await this.#read()
      if (read.done === true) return false
      const first = read.value.find(byte => byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)
      if (first !== undefined) {
        this.held = read.value
        return first === 0x7b || first === 0x5b
      }
      blank += read.value.byteLength
    }
    await this.bytes.return?.()
    throw garbledResponse(`more than ${maxBlankBytes} bytes of white space`)
  }

  /** All of it as UTF-8 text. Throws `UpstreamError` of kind `garbled` above 32 MiB. */
  async text(): Promise<string> {
    const decoder = new TextDecoder()
    let text = ''
    let bytes = 0
    for await (const chunk of this) {
      bytes += chunk.byteLength
      if (bytes > maxTextBytes) throw garbledResponse(`a body of more than ${maxTextBytes} bytes`)
      text += decoder.decode(chunk, { stream: true })
    }
    return text + decoder.decode()
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: () => {
        const value = this.held
        if (value === undefined) return this.#read()
        this.held = undefined
        return Promise.resolve({ done: false, value })
      },
      return: async () => {
        await this.bytes.return?.()
        return { done: true, value: undefined }
      },
    }
  }

  async #read(): Promise<IteratorResult<Uint8Array>> {
    if (this.ended) return { done: true, value: undefined }
    const result = await this.bytes.next()
    if (result.done === true) this.ended = true
    return result
  }
}
