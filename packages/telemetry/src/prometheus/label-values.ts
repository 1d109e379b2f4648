/** What is counted under a label when its values are too many. */
export const otherValue = 'other'

/** A longer value is nobody's name. */
const longest = 256

/** The values that a label has: the first `most` as they are, all others as one. */
export class LabelValues {
  readonly #known = new Set<string>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  /** The value under which it is counted. */
  of(value: string): string {
    if (this.#known.has(value)) return value
    if (this.#known.size >= this.#most || value.length > longest) return otherValue
    this.#known.add(value)
    return value
  }
}
