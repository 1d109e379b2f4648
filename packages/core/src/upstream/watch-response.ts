import type { TransportResponse, UpstreamResponse } from '../contracts/transport.ts'
import { UpstreamError } from '../errors/upstream-error.ts'
import { maxReadBytes, ReceivedBody } from '../transports/received-body.ts'
import type { Deadlines } from './deadlines.ts'

const maxTextBytes = 32 * 1024 * 1024

/** Enough for 2,048 vectors of 3,072 numbers. */
export const maxVectorBytes = 128 * 1024 * 1024

/**
 * Returns a transport's response whose reads count for the deadlines, and which can be read as text of at most `maxBytes`.
 */
export function watchResponse(
  response: TransportResponse,
  deadlines: Deadlines,
  maxBytes = maxTextBytes,
): UpstreamResponse {
  const { status, headers } = response
  const body = watchedBody(response.body, deadlines)
  return {
    status,
    headers,
    body,
    text: () => textOf(body, maxBytes),
    bufferedText: () => arrivedTextOf(body),
  }
}

function watchedBody(body: AsyncIterable<Uint8Array>, deadlines: Deadlines): AsyncIterable<Uint8Array> {
  if (!(body instanceof ReceivedBody)) return new WatchedBody(body, deadlines)
  body.watchedBy(deadlines)
  return body
}

class WatchedBody implements AsyncIterable<Uint8Array> {
  readonly #body: AsyncIterable<Uint8Array>
  readonly #deadlines: Deadlines

  constructor(body: AsyncIterable<Uint8Array>, deadlines: Deadlines) {
    this.#body = body
    this.#deadlines = deadlines
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return new WatchedBytes(this.#body[Symbol.asyncIterator](), this.#deadlines)
  }
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

function textOf(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const arrived = arrivedTextOf(body)
  return arrived === undefined ? collectedText(body, maxBytes) : Promise.resolve(arrived)
}

function arrivedTextOf(body: AsyncIterable<Uint8Array>): string | undefined {
  // What is held of one is little: no limit is needed for it.
  const whole = body instanceof ReceivedBody ? body.takeAll() : undefined
  return whole && utf8.decode(whole)
}

const utf8 = new TextDecoder()

async function collectedText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder()
  const parts: string[] = []
  let last: Uint8Array | undefined
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) {
      throw new UpstreamError(`The upstream's answer is larger than ${maxBytes} bytes.`, {
        kind: 'garbled',
      })
    }
    if (last !== undefined) parts.push(decoder.decode(last, { stream: true }))
    last = chunk
  }
  // Decoded at once, which costs much less than a stream: most responses arrive in one piece.
  const end = decoder.decode(last)
  return parts.length === 0 ? end : parts.join('') + end
}
