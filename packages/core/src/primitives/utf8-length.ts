/** Returns the length of a text in UTF-8 bytes. An unpaired surrogate has three, as in `TextEncoder`. */
export function utf8Length(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x80) continue
    bytes += code < 0x800 ? 1 : 2
    // The two halves of a pair have four bytes together.
    if (code >= 0xd800 && code < 0xdc00 && isLow(text.charCodeAt(at + 1))) at++
  }
  return bytes
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000
}
