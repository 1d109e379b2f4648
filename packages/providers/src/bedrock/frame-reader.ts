import type { SseEvent } from '@sluice/core/provider'
import { garbledResponse } from '../wire/garbled-response.ts'
import { crc32 } from './crc32.ts'
import { type FrameHeaders, frameHeaders } from './frame-headers.ts'

/** Total length, length of the headers, and the CRC of both. */
const preludeBytes = 12
const crcBytes = 4
const maxHeaderBytes = 131_072
const maxFrameBytes = 16_777_216 + maxHeaderBytes + preludeBytes + crcBytes

/** Frames out of bytes, however these are cut. Each byte is copied at most a few times. */
export class FrameReader {
  #buffer = new Uint8Array(1_024)
  /** How many bytes of the buffer wait for the rest of their frame. */
  #held = 0
  #lastHeaders = new Uint8Array()
  #last: FrameHeaders | undefined
  readonly #text = new TextDecoder()

  /** Bytes of a frame that has begun and not ended are there. */
  get within(): boolean {
    return this.#held > 0
  }

  /**
   * Adds the events that the bytes complete. Throws `UpstreamError` of kind `garbled` for a frame that fails a
   * check; what came before it has been added.
   */
  push(bytes: Uint8Array, events: SseEvent[]): void {
    let data = bytes
    const buffered = this.#held > 0
    if (buffered) {
      this.#append(bytes)
      data = this.#buffer.subarray(0, this.#held)
    }
    let at = 0
    while (data.length - at >= preludeBytes) {
      const view = new DataView(data.buffer, data.byteOffset + at, data.length - at)
      const length = checkedLength(data, at, view)
      if (view.byteLength < length) break
      const event = this.#event(data.subarray(at, at + length), view)
      if (event !== undefined) events.push(event)
      at += length
    }
    if (!buffered) this.#append(data.subarray(at))
    else if (at > 0) {
      this.#buffer.copyWithin(0, at, this.#held)
      this.#held -= at
    }
  }

  #append(bytes: Uint8Array): void {
    const needed = this.#held + bytes.length
    if (needed > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(needed, this.#buffer.length * 2))
      larger.set(this.#buffer.subarray(0, this.#held))
      this.#buffer = larger
    }
    this.#buffer.set(bytes, this.#held)
    this.#held = needed
  }

  #event(frame: Uint8Array, view: DataView): SseEvent | undefined {
    const end = frame.length - crcBytes
    // The CRC of the whole covers the prelude and its CRC.
    if (crc32(frame, 0, end) !== view.getUint32(end)) throw garbledResponse('a frame whose checksum is wrong')
    const headersEnd = preludeBytes + view.getUint32(4)
    const headers = this.#headers(frame.subarray(preludeBytes, headersEnd))
    const payload = headersEnd === end ? '' : this.#text.decode(frame.subarray(headersEnd, end))
    return eventOf(headers, payload)
  }

  /** Most frames of a stream have the headers of the one before. */
  #headers(block: Uint8Array): FrameHeaders {
    if (this.#last !== undefined && equal(block, this.#lastHeaders)) return this.#last
    const headers = frameHeaders(block)
    this.#lastHeaders = block.slice()
    this.#last = headers
    return headers
  }
}

function checkedLength(data: Uint8Array, at: number, view: DataView): number {
  if (crc32(data, at, at + 8) !== view.getUint32(8)) throw garbledResponse('a frame whose checksum is wrong')
  const length = view.getUint32(0)
  const headers = view.getUint32(4)
  if (length > maxFrameBytes || headers > maxHeaderBytes || preludeBytes + headers + crcBytes > length)
    throw garbledResponse('a frame of an impossible length')
  return length
}

/** `undefined` for a message of a kind that nobody knows. */
function eventOf(headers: FrameHeaders, payload: string): SseEvent | undefined {
  switch (headers.get(':message-type')) {
    case 'event':
      // A message without members may come without a payload.
      return { event: headers.get(':event-type') ?? '', data: payload === '' ? '{}' : payload }
    case 'exception':
      return { event: `exception:${headers.get(':exception-type') ?? ''}`, data: failureData(payload) }
    case 'error':
      return {
        event: `error:${headers.get(':error-code') ?? ''}`,
        data: JSON.stringify({ message: headers.get(':error-message') ?? '' }),
      }
    default:
      return undefined
  }
}

/** An exception frame is a failure even without a message, or with one that is not JSON. */
function failureData(payload: string): string {
  return payload.trimStart().startsWith('{') ? payload : JSON.stringify({ message: payload })
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false
  return true
}
