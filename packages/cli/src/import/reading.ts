import type { Loss } from './imported.ts'
import { Part } from './part.ts'
import { type Path, pathPattern, pathText } from './path.ts'

/** Why something has no equivalent, and what to do, by the pattern of its path. */
export type LossHints = Readonly<Record<string, Omit<Loss, 'path'>>>

const unknown = {
  why: 'The importer does not know it.',
  mend: 'See whether you need it; the pages in docs say what there is.',
}

/** Reads a value and remembers what of it was read, so that the rest can be told of. */
export class Reading {
  readonly root: Part
  readonly notes = new Set<string>()
  readonly #losses: { readonly path: Path; readonly loss: Loss }[] = []
  readonly #told = new Set<string>()
  readonly #done = new Set<string>()

  constructor(value: unknown) {
    this.root = new Part(this, [], value)
  }

  note(text: string): void {
    this.notes.add(text)
  }

  /** That the leaf at the path was read, or is told of. */
  finish(path: Path): void {
    this.#done.add(pathText(path))
  }

  isFinished(path: Path): boolean {
    return this.#done.has(pathText(path))
  }

  /** Tells of a place once. */
  lose(path: Path, why: string, mend: string): void {
    if (this.#told.has(pathText(path))) return
    this.#told.add(pathText(path))
    this.#losses.push({ path, loss: { path: pathText(path), why, mend } })
  }

  /**
   * All losses, as they stand in the input: those that were named, and every leaf that nobody has read, by the highest
   * place that holds only such. A hint counts for all within its place that has none of its own.
   */
  losses(hints: LossHints): Loss[] {
    this.#tellRest(this.root, hints, unknown)
    const order = new Map(this.root.leaves().map(({ path }, at) => [pathText(path), at] as const))
    const places = this.#losses.map(({ path, loss }) => {
      const [first] = within(this.root, path).leaves()
      return { loss, at: first === undefined ? 0 : (order.get(pathText(first.path)) ?? 0) }
    })
    return places.sort((a, b) => a.at - b.at).map(({ loss }) => loss)
  }

  #tellRest(part: Part, hints: LossHints, above: Omit<Loss, 'path'>): void {
    const leaves = part.leaves()
    const unread = leaves.filter(leaf => !this.isFinished(leaf.path))
    if (unread.length === 0) return
    const hint = ownHint(part, hints) ?? above
    const isFine = unread.some(leaf => hasHintBelow(part, leaf, hints))
    if (part.path.length > 0 && unread.length === leaves.length && !isFine) part.lose(hint.why, hint.mend)
    else for (const inner of part.inner()) this.#tellRest(inner, hints, hint)
  }
}

function ownHint({ path }: Part, hints: LossHints): Omit<Loss, 'path'> | undefined {
  const pattern = pathPattern(path)
  return Object.hasOwn(hints, pattern) ? hints[pattern] : undefined
}

/** Whether a place between these, or the leaf itself, has a hint of its own. */
function hasHintBelow(part: Part, leaf: Part, hints: LossHints): boolean {
  return leaf.path
    .slice(part.path.length)
    .some((_, at) => Object.hasOwn(hints, pathPattern(leaf.path.slice(0, part.path.length + at + 1))))
}

function within(part: Part, path: Path): Part {
  return path.reduce<Part>((inner, key) => inner.at(key), part)
}
