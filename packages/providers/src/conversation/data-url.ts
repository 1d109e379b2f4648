/** Data that a caller sent within the request. */
export interface InlineData {
  /** In lower case, without parameters: `image/png`. */
  readonly mediaType: string
  readonly base64: string
}

/** In characters: a media type and its parameters. A hostile caller may send megabytes. */
const longestHead = 1_000

/**
 * Reads a data URL (RFC 2397); `undefined` for another URL, and where no data begins within 1,000 characters. Data
 * that is not base64 is made so. A URL without a media type is `text/plain`.
 */
export function dataUrl(url: string): InlineData | undefined {
  if (!/^data:/i.test(url)) return undefined
  const comma = url.slice(0, longestHead).indexOf(',')
  if (comma === -1) return undefined
  const [type = '', ...parameters] = url.slice(5, comma).split(';')
  const mediaType = type.trim().toLowerCase() || 'text/plain'
  const data = url.slice(comma + 1)
  if (parameters.at(-1)?.trim().toLowerCase() === 'base64') return { mediaType, base64: data }
  try {
    return { mediaType, base64: base64Of(new TextEncoder().encode(decodeURIComponent(data))) }
  } catch {
    return undefined
  }
}

/** Bytes as base64 (RFC 4648, section 4). */
export function base64Of(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 32_768) {
    text += String.fromCharCode(...bytes.subarray(at, at + 32_768))
  }
  return btoa(text)
}
