import { type Path, pathText } from './path.ts'
import type { Reading } from './reading.ts'

/** A value within a foreign configuration, and where it stands. What is asked for by its kind counts as read. */
export class Part {
  readonly path: Path
  readonly value: unknown
  readonly #reading: Reading

  constructor(reading: Reading, path: Path, value: unknown) {
    this.#reading = reading
    this.path = path
    this.value = value
  }

  get place(): string {
    return pathText(this.path)
  }

  /** Neither an object nor a list. Of an empty one nothing can be lost. */
  get isLeaf(): boolean {
    return typeof this.value !== 'object' || this.value === null
  }

  get isThere(): boolean {
    return this.value !== undefined
  }

  at(key: string | number): Part {
    const held = this.isLeaf || !Object.hasOwn(this.value as object, key) ? undefined : this.value
    return new Part(this.#reading, [...this.path, key], (held as Record<string | number, unknown>)?.[key])
  }

  /** The members of an object; none of anything else. */
  members(): readonly (readonly [string, Part])[] {
    if (this.isLeaf || Array.isArray(this.value)) return []
    return Object.keys(this.value as object).map(key => [key, this.at(key)])
  }

  /** The items of a list; none of anything else. */
  items(): readonly Part[] {
    return Array.isArray(this.value) ? this.value.map((_, index) => this.at(index)) : []
  }

  inner(): readonly Part[] {
    return Array.isArray(this.value) ? this.items() : this.members().map(([, part]) => part)
  }

  leaves(): readonly Part[] {
    if (this.value === undefined) return []
    return this.isLeaf ? [this] : this.inner().flatMap(part => part.leaves())
  }

  /** All of it counts as read. */
  take(): this {
    for (const leaf of this.leaves()) this.#reading.finish(leaf.path)
    return this
  }

  /** All of it is told as lost. */
  lose(why: string, mend: string): void {
    if (!this.isThere) return
    this.take()
    this.#reading.lose(this.path, why, mend)
  }

  /** A text that is not empty; anything else stays unread. */
  text(): string | undefined {
    if (typeof this.value !== 'string' || this.value.trim() === '') return undefined
    this.take()
    return this.value
  }

  /** A finite number, also where it is written as text; anything else stays unread. */
  number(): number | undefined {
    const given = typeof this.value === 'string' && this.value.trim() !== '' ? Number(this.value) : this.value
    if (typeof given !== 'number' || !Number.isFinite(given)) return undefined
    this.take()
    return given
  }

  /** A whole number from `least` on; anything else stays unread. */
  count(least: number): number | undefined {
    const given = Number(this.value)
    return Number.isSafeInteger(given) && given >= least ? this.number() : undefined
  }

  flag(): boolean | undefined {
    if (typeof this.value !== 'boolean') return undefined
    this.take()
    return this.value
  }
}
