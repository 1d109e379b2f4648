/** 256 KiB in memory. ASCII text has no changes; each accented letter adds two. */
const maxChanges = 32_768

/**
 * Maps offsets in a text's UTF-8 bytes to offsets in its UTF-16 code units. The text arrives in pieces. Only the positions
 * at which the size of its characters changes are stored.
 */
export class Utf16Offsets {
  /** Each position in bytes, times 8, plus the size in bytes of each character from there on. */
  readonly #changes: number[] = []
  #size = 1
  #bytes = 0
  #full = false

  /** Adds text. */
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
   * Maps each byte offset to its offset in code units. An offset within a character maps to the character's beginning,
   * one beyond the end to the end. Offsets beyond the stored positions are omitted.
   */
  codeUnitOffsets(byteOffsets: Iterable<number>): ReadonlyMap<number, number> {
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
        const position = Math.floor(change / 8)
        if (position > wanted) break
        units += unitsOf(position - bytes, size)
        bytes = position
        size = change % 8
      }
      found.set(offset, units + unitsOf(wanted - bytes, size))
    }
    return found
  }
}

/** The code units of the complete characters in `bytes` bytes, each of `size` bytes. */
function unitsOf(bytes: number, size: number): number {
  return Math.floor(bytes / size) * (size === 4 ? 2 : 1)
}
