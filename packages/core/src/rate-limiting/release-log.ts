const maxKeys = 1_000

/**
 * Which counts were released while somebody was being answered: the answer may be from before. Where nobody is,
 * nothing is kept; of more than 1,000 counts all are forgotten.
 */
export class ReleaseLog {
  readonly #lastOf = new Map<string, number>()
  #time = 0
  #asking = 0

  /** Somebody asks. The time returned is for `missed`. */
  begin(): number {
    this.#asking++
    return this.#time
  }

  end(): void {
    this.#asking--
  }

  add(keys: readonly string[]): void {
    this.#time++
    if (this.#asking === 0 || this.#lastOf.size > maxKeys) this.#lastOf.clear()
    if (this.#asking === 0) return
    for (const key of keys) this.#lastOf.set(key, this.#time)
  }

  /** Whether one of the counts was released since then. */
  missed(keys: readonly string[], since: number): boolean {
    return keys.some(key => (this.#lastOf.get(key) ?? 0) > since)
  }
}
