import type { UnsupportedSetting } from './import-result.ts'

/** Why something has no equivalent, and what to do, by the pattern of its path. */
export type UnsupportedHints = Readonly<Record<string, Omit<UnsupportedSetting, 'path'>>>

const unknown = {
  why: 'Unknown setting.',
  fix: 'Check whether you need it; see docs for what Sluice supports.',
}

/** Reads a value and records which parts were read, so that the rest can be reported. */
export class ImportReader {
  readonly root: ImportNode
  readonly notes = new Set<string>()
  readonly #unsupported: { readonly path: Path; readonly loss: UnsupportedSetting }[] = []
  readonly #reported = new Set<string>()
  readonly #done = new Set<string>()

  constructor(value: unknown) {
    this.root = new ImportNode(this, [], value)
  }

  note(text: string): void {
    this.notes.add(text)
  }

  /** Marks the leaf at the path as read or reported. */
  finish(path: Path): void {
    this.#done.add(pathText(path))
  }

  isFinished(path: Path): boolean {
    return this.#done.has(pathText(path))
  }

  /** Reports a path once. */
  reportUnsupported(path: Path, why: string, fix: string): void {
    if (this.#reported.has(pathText(path))) return
    this.#reported.add(pathText(path))
    this.#unsupported.push({ path, loss: { path: pathText(path), why, fix } })
  }

  /**
   * All losses, as they stand in the input: those that were named, and every leaf that nobody has read, by the highest
   * place that holds only such. A hint counts for all within its place that has none of its own.
   */
  unsupported(hints: UnsupportedHints): UnsupportedSetting[] {
    this.#reportRest(this.root, hints, unknown)
    const order = new Map(this.root.leaves().map(({ path }, at) => [pathText(path), at] as const))
    const targets = this.#unsupported.map(({ path, loss }) => {
      const [first] = within(this.root, path).leaves()
      return { loss, at: first === undefined ? 0 : (order.get(pathText(first.path)) ?? 0) }
    })
    return targets.sort((a, b) => a.at - b.at).map(({ loss }) => loss)
  }

  #reportRest(part: ImportNode, hints: UnsupportedHints, above: Omit<UnsupportedSetting, 'path'>): void {
    const leaves = part.leaves()
    const unread = leaves.filter(leaf => !this.isFinished(leaf.path))
    if (unread.length === 0) return
    const hint = ownHint(part, hints) ?? above
    const isFine = unread.some(leaf => hasHintBelow(part, leaf, hints))
    if (part.path.length > 0 && unread.length === leaves.length && !isFine)
      part.reportUnsupported(hint.why, hint.fix)
    else for (const inner of part.inner()) this.#reportRest(inner, hints, hint)
  }
}

function ownHint(
  { path }: ImportNode,
  hints: UnsupportedHints,
): Omit<UnsupportedSetting, 'path'> | undefined {
  const pattern = pathPattern(path)
  return Object.hasOwn(hints, pattern) ? hints[pattern] : undefined
}

/** Whether a place between these, or the leaf itself, has a hint of its own. */
function hasHintBelow(part: ImportNode, leaf: ImportNode, hints: UnsupportedHints): boolean {
  return leaf.path
    .slice(part.path.length)
    .some((_, at) => Object.hasOwn(hints, pathPattern(leaf.path.slice(0, part.path.length + at + 1))))
}

function within(part: ImportNode, path: Path): ImportNode {
  return path.reduce<ImportNode>((inner, key) => inner.at(key), part)
}

/** A value within a foreign configuration, and where it stands. What is asked for by its kind counts as read. */
export class ImportNode {
  readonly path: Path
  readonly value: unknown
  readonly #reader: ImportReader

  constructor(reader: ImportReader, path: Path, value: unknown) {
    this.#reader = reader
    this.path = path
    this.value = value
  }

  get pathText(): string {
    return pathText(this.path)
  }

  /** Neither an object nor a list. Of an empty one nothing can be lost. */
  get isLeaf(): boolean {
    return typeof this.value !== 'object' || this.value === null
  }

  get isThere(): boolean {
    return this.value !== undefined
  }

  at(key: string | number): ImportNode {
    const held = this.isLeaf || !Object.hasOwn(this.value as object, key) ? undefined : this.value
    return new ImportNode(
      this.#reader,
      [...this.path, key],
      (held as Record<string | number, unknown>)?.[key],
    )
  }

  /** The members of an object; none of anything else. */
  members(): readonly (readonly [string, ImportNode])[] {
    if (this.isLeaf || Array.isArray(this.value)) return []
    return Object.keys(this.value as object).map(key => [key, this.at(key)])
  }

  /** The items of a list; none of anything else. */
  items(): readonly ImportNode[] {
    return Array.isArray(this.value) ? this.value.map((_, index) => this.at(index)) : []
  }

  inner(): readonly ImportNode[] {
    return Array.isArray(this.value) ? this.items() : this.members().map(([, part]) => part)
  }

  leaves(): readonly ImportNode[] {
    if (this.value === undefined) return []
    return this.isLeaf ? [this] : this.inner().flatMap(part => part.leaves())
  }

  /** All of it counts as read. */
  markRead(): this {
    for (const leaf of this.leaves()) this.#reader.finish(leaf.path)
    return this
  }

  /** Reports the entire value as unsupported. */
  reportUnsupported(why: string, fix: string): void {
    if (!this.isThere) return
    this.markRead()
    this.#reader.reportUnsupported(this.path, why, fix)
  }

  /** A text that is not empty; anything else stays unread. */
  text(): string | undefined {
    if (typeof this.value !== 'string' || this.value.trim() === '') return undefined
    this.markRead()
    return this.value
  }

  /** The finite number that is written here, also as text; `undefined` for anything else. Does not count as reading. */
  get numeric(): number | undefined {
    const given = typeof this.value === 'string' && this.value.trim() !== '' ? Number(this.value) : this.value
    return typeof given === 'number' && Number.isFinite(given) ? given : undefined
  }

  /** The same, read; anything else stays unread. */
  number(): number | undefined {
    const given = this.numeric
    if (given !== undefined) this.markRead()
    return given
  }

  /** A whole number from `least` on; anything else stays unread. */
  count(min: number): number | undefined {
    const given = this.numeric
    return Number.isSafeInteger(given) && given! >= min ? this.number() : undefined
  }

  flag(): boolean | undefined {
    if (typeof this.value !== 'boolean') return undefined
    this.markRead()
    return this.value
  }
}

export type Path = readonly (string | number)[]

const plainKey = /^[A-Za-z_][\w-]*$/

/** As people read it: `model_list[0].litellm_params`, `["a.b"]` for a key that could be misread. */
export function pathText(path: Path): string {
  return path
    .map((key, at) => {
      if (typeof key === 'number') return `[${key}]`
      if (!plainKey.test(key)) return `[${JSON.stringify(key)}]`
      return at === 0 ? key : `.${key}`
    })
    .join('')
}

/** The same for all items of a list: `model_list[].litellm_params`. */
function pathPattern(path: Path): string {
  return pathText(path).replaceAll(/\[\d+\]/g, '[]')
}
