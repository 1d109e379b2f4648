/**
 * Where the given offsets into a text's UTF-8 bytes lie in its UTF-16 code units. An offset within a character
 * is that of its beginning, one beyond the end that of the end.
 */
export function utf16Offsets(text: string, byteOffsets: readonly number[]): ReadonlyMap<number, number> {
  const sorted = [...new Set(byteOffsets)].sort((a, b) => a - b)
  const found = new Map<number, number>()
  let at = 0
  let bytes = 0
  for (const offset of sorted) {
    while (at < text.length) {
      const code = text.codePointAt(at) ?? 0
      const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
      if (bytes + size > offset) break
      bytes += size
      at += size === 4 ? 2 : 1
    }
    found.set(offset, at)
  }
  return found
}
