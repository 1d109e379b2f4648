/** Text as UTF-8 bytes; bytes as they are. */
export function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data, 'utf8') : data
}
