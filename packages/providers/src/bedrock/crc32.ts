const table = /* @__PURE__ */ makeTable()

function makeTable(): Uint32Array {
  const table = new Uint32Array(256)
  for (let byte = 0; byte < 256; byte++) {
    let value = byte
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
    table[byte] = value
  }
  return table
}

/**
 * The CRC-32 (ISO 3309, as in gzip) of a range of bytes, as an unsigned number.
 *
 * @param before - the CRC of what came before the range, to go on from there.
 */
export function crc32(bytes: Uint8Array, start = 0, end = bytes.length, before = 0): number {
  let value = ~before
  for (let at = start; at < end; at++) value = (value >>> 8) ^ table[(value ^ bytes[at]!) & 0xff]!
  return ~value >>> 0
}
