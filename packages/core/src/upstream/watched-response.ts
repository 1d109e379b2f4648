import type { TransportResponse, UpstreamResponse } from '../transport.ts'
import { UpstreamError } from '../upstream-error.ts'
import type { Deadlines } from './deadlines.ts'

const maxTextBytes = 32 * 1024 * 1024
/**
 * The most that is decoded at once. A chunk of the protocol is many times as large as the least that a vendor may send
 * for it, and what is made of one read waits for a client that does not read.
 */
const maxReadBytes = 16 * 1024

/** A transport's answer whose reads are watched, and which can be read as text. */
export function watched(response: TransportResponse, deadlines: Deadlines): UpstreamResponse {
  const body: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => new WatchedBytes(response.body[Symbol.asyncIterator](), deadlines),
  }
  return { status: response.status, headers: response.headers, body, text: () => textOf(body) }
}

class WatchedBytes implements AsyncIterator<Uint8Array> {
  readonly #source: AsyncIterator<Uint8Array>
  readonly #deadlines: Deadlines
  #rest: Uint8Array | undefined

  constructor(source: AsyncIterator<Uint8Array>, deadlines: Deadlines) {
    this.#source = source
    this.#deadlines = deadlines
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    if (this.#rest !== undefined) return this.#part(this.#rest)
    this.#deadlines.waiting()
    const result = await this.#source.next()
    this.#deadlines.received()
    return result.done !== true && result.value.byteLength > maxReadBytes ? this.#part(result.value) : result
  }

  #part(bytes: Uint8Array): IteratorResult<Uint8Array> {
    this.#rest = bytes.byteLength > maxReadBytes ? bytes.subarray(maxReadBytes) : undefined
    return { done: false, value: bytes.subarray(0, maxReadBytes) }
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    await this.#source.return?.()
    return { done: true, value: undefined }
  }
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  const parts: string[] = []
  let last: Uint8Array | undefined
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > maxTextBytes) {
      throw new UpstreamError(`The upstream's answer is larger than ${maxTextBytes} bytes.`, {
        kind: 'garbled',
      })
    }
    if (last !== undefined) parts.push(decoder.decode(last, { stream: true }))
    last = chunk
  }
  // Not as a stream, which costs much more: most answers come in one piece.
  const end = decoder.decode(last)
  return parts.length === 0 ? end : parts.join('') + end
}
