import type { TransportResponse, UpstreamResponse } from '../transport.ts'
import { UpstreamError } from '../upstream-error.ts'
import type { Deadlines } from './deadlines.ts'

const maxTextBytes = 32 * 1024 * 1024

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

  constructor(source: AsyncIterator<Uint8Array>, deadlines: Deadlines) {
    this.#source = source
    this.#deadlines = deadlines
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    this.#deadlines.waiting()
    const result = await this.#source.next()
    this.#deadlines.received()
    return result
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    await this.#source.return?.()
    return { done: true, value: undefined }
  }
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  const parts: string[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > maxTextBytes) {
      throw new UpstreamError(`The upstream's answer is larger than ${maxTextBytes} bytes.`, {
        kind: 'garbled',
      })
    }
    parts.push(decoder.decode(chunk, { stream: true }))
  }
  parts.push(decoder.decode())
  return parts.length === 1 ? parts[0]! : parts.join('')
}
