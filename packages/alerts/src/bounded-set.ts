/** Texts of which the oldest are forgotten, as callers may choose them. */
export class BoundedSet {
  readonly #texts = new Set<string>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  add(text: string): void {
    this.#texts.add(text)
    if (this.#texts.size <= this.#max) return
    const oldest = this.#texts.keys().next()
    if (oldest.done !== true) this.#texts.delete(oldest.value)
  }

  has(text: string): boolean {
    return this.#texts.has(text)
  }

  /** Returns whether it was there. */
  delete(text: string): boolean {
    return this.#texts.delete(text)
  }
}
