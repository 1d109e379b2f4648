/** Up to so many keys of an object are compared one by one; more go into a set. */
const few = 16

/** The keys of all open objects while a JSON text is scanned, those of the innermost last. */
export class KeyStack {
  readonly #names: string[] = []
  readonly #starts: number[] = []
  readonly #sets: (Set<string> | undefined)[] = []

  open(): void {
    this.#starts.push(this.#names.length)
    this.#sets.push(undefined)
  }

  close(): void {
    this.#names.length = this.#starts.pop() ?? 0
    this.#sets.pop()
  }

  /** How many keys the innermost object has so far. */
  get count(): number {
    const innermost = this.#starts.length - 1
    return this.#sets[innermost]?.size ?? this.#names.length - (this.#starts[innermost] ?? 0)
  }

  /** Adds a key of the innermost object. `false`: it was there already. */
  add(name: string): boolean {
    const innermost = this.#starts.length - 1
    const set = this.#sets[innermost]
    if (set !== undefined) return set.size < set.add(name).size
    const names = this.#names
    const start = this.#starts[innermost] ?? 0
    for (let index = start; index < names.length; index++) if (names[index] === name) return false
    names.push(name)
    if (names.length - start > few) this.#sets[innermost] = new Set(names.slice(start))
    return true
  }
}
