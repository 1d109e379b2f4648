import { other } from './names.ts'

/** Longer names tell no more, and cost. In characters. */
const longest = 200

/**
 * Values of one attribute of a metric. Each new value is a series of its own, which is kept for ever, so there are only
 * so many: what comes later is `_OTHER`.
 */
export class BoundedNames {
  readonly #known = new Set<string>()
  readonly #most: number

  constructor(most = 500) {
    this.#most = most
  }

  of(name: string): string {
    const short = name.slice(0, longest)
    if (this.#known.has(short)) return short
    if (this.#known.size >= this.#most) return other
    this.#known.add(short)
    return short
  }
}
