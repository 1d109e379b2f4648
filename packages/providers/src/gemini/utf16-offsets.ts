/** So many changes are 256 KiB. Text in ASCII has none, an accent makes two. */
const maxChanges = 32_768

/**
 * Where offsets into a text's UTF-8 bytes lie in its UTF-16 code units. The text comes in pieces and is not
 * kept, only the places where the size of its characters changes.
 */
export class Utf16Offsets {
  /** Each place in bytes, times 8, plus the bytes of each character from there on. */
  readonly #changes: number[] = []
  #size = 1
  #bytes = 0
  #full = false

  /** More of the text. */
  add(text: string): void {
    for (let at = 0; at < text.length && !this.#full; at++) {
      const code = text.codePointAt(at) ?? 0
      const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
      if (size !== this.#size) {
        if (this.#changes.length === maxChanges) {
          this.#full = true
          return
        }
        this.#changes.push(this.#bytes * 8 + size)
        this.#size = size
      }
      this.#bytes += size
      if (size === 4) at++
    }
  }

  /**
   * The given offsets in bytes, each with its place in code units. One within a character is that of its
   * beginning, one beyond the end that of the end. Those beyond what could be kept are left out.
   */
  places(byteOffsets: Iterable<number>): ReadonlyMap<number, number> {
    const found = new Map<number, number>()
    let next = 0
    let bytes = 0
    let units = 0
    let size = 1
    for (const offset of [...new Set(byteOffsets)].sort((a, b) => a - b)) {
      if (this.#full && offset > this.#bytes) break
      const wanted = Math.min(offset, this.#bytes)
      for (; next < this.#changes.length; next++) {
        const change = this.#changes[next] ?? 0
        const place = Math.floor(change / 8)
        if (place > wanted) break
        units += unitsOf(place - bytes, size)
        bytes = place
        size = change % 8
      }
      found.set(offset, units + unitsOf(wanted - bytes, size))
    }
    return found
  }
}

/** How many code units the whole characters among `bytes` have, where each is `size` bytes long. */
function unitsOf(bytes: number, size: number): number {
  return Math.floor(bytes / size) * (size === 4 ? 2 : 1)
}
