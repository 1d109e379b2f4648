import { garbled } from '../wire/garbled.ts'

/** What the headers of a frame say of it. Header names begin with a colon on the wire. */
export interface FrameHeaders {
  messageType: string
  eventType: string
  exceptionType: string
  errorCode: string
  errorMessage: string
}

/** Bytes of a header's value, by its type: `undefined` where a length of two bytes stands before it. */
const sizes: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16]
const textType = 7
const text = /* @__PURE__ */ new TextDecoder()

/**
 * Reads the headers of a frame of `application/vnd.amazon.eventstream`: each a name, a type, and a value of
 * that type. Those that say nothing of the message are skipped. Throws `UpstreamError` of kind `garbled` where
 * they do not fill their block exactly, and for an unknown type, whose size nobody knows.
 */
export function frameHeaders(block: Uint8Array): FrameHeaders {
  const headers: FrameHeaders = {
    messageType: '',
    eventType: '',
    exceptionType: '',
    errorCode: '',
    errorMessage: '',
  }
  for (let at = 0; at < block.length; ) {
    const nameEnd = at + 1 + block[at]!
    const name = text.decode(block.subarray(at + 1, nameEnd))
    const type = block[nameEnd]
    let start = nameEnd + 1
    if (type === undefined || type >= sizes.length) throw garbled('a header of an unknown type')
    let size = sizes[type]
    if (size === undefined) {
      size = ((block[start] ?? 0) << 8) | (block[start + 1] ?? 0)
      start += 2
    }
    at = start + size
    if (at > block.length) throw garbled('a header that is longer than its frame')
    if (type === textType) take(headers, name, block.subarray(start, at))
  }
  return headers
}

function take(headers: FrameHeaders, name: string, value: Uint8Array): void {
  switch (name) {
    case ':message-type':
      headers.messageType = text.decode(value)
      break
    case ':event-type':
      headers.eventType = text.decode(value)
      break
    case ':exception-type':
      headers.exceptionType = text.decode(value)
      break
    case ':error-code':
      headers.errorCode = text.decode(value)
      break
    case ':error-message':
      headers.errorMessage = text.decode(value)
      break
  }
}
