import { garbledResponse } from '../wire/garbled-response.ts'

/** The text headers of a frame whose names begin with a colon, by name. */
export type FrameHeaders = ReadonlyMap<string, string>

/** Bytes of a header's value, by its type: `undefined` if a length of two bytes precedes it. */
const sizes: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16]
const textType = 7
const colon = 0x3a
const text = /* @__PURE__ */ new TextDecoder()

/**
 * Reads the headers of a frame of `application/vnd.amazon.eventstream`: each a name, a type, and a value of
 * that type. Throws `UpstreamError` of kind `garbled` where they do not fill their block exactly, and for an
 * unknown type, whose size nobody knows.
 */
export function frameHeaders(block: Uint8Array): FrameHeaders {
  const headers = new Map<string, string>()
  for (let at = 0; at < block.length; ) {
    const name = at + 1
    const nameEnd = name + block[at]!
    const type = block[nameEnd]
    let start = nameEnd + 1
    if (type === undefined || type >= sizes.length) throw garbledResponse('a header of an unknown type')
    let size = sizes[type]
    if (size === undefined) {
      size = ((block[start] ?? 0) << 8) | (block[start + 1] ?? 0)
      start += 2
    }
    at = start + size
    if (at > block.length) throw garbledResponse('a header that is longer than its frame')
    if (type !== textType || block[name] !== colon) continue
    headers.set(text.decode(block.subarray(name, nameEnd)), text.decode(block.subarray(start, at)))
  }
  return headers
}
