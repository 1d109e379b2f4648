import { garbledResponse } from './garbled-response.ts'

const maxDepth = 512

/**
 * The value of a vendor's JSON text. Throws `SyntaxError` where it is no JSON, and `UpstreamError` of kind
 * `garbled` where it nests more than 512 deep: so recursive code can read and write the value.
 */
export function parseJson(text: string): unknown {
  if (nestsTooDeep(text)) throw garbledResponse('JSON that nests without end')
  return JSON.parse(text)
}

/** Where the text is no JSON, the answer does not matter. */
function nestsTooDeep(text: string): boolean {
  // So deep a value has as many ends. Nearly every event of a stream is shorter.
  if (text.length <= 2 * maxDepth) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = stringEnd(text, at)
        if (at === -1) return false
        break
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > maxDepth) return true
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth--
        break
    }
  }
  return false
}

/** The place of the quote that ends the string which begins at `start`; -1 where there is none. */
export function stringEnd(text: string, start: number): number {
  let end = start
  while (true) {
    end = text.indexOf('"', end + 1)
    if (end === -1) return -1
    let before = end
    while (text.charCodeAt(before - 1) === 0x5c) before--
    if ((end - before) % 2 === 0) return end
  }
}

/** The index of the quote that ends a JSON string without escapes, or -1. */
export function plainEnd(json: string, start: number): number {
  for (let at = start; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === 0x22) return at
    if (code === 0x5c || code < 0x20) return -1
  }
  return -1
}
