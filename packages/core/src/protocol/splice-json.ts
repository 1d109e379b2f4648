import type { BodyEdit } from './body-edit.ts'
import type { JsonObject, JsonValue } from './chat.ts'
import { stringEnd, unescaped } from './json-refusals.ts'

/**
 * Applies edits to a JSON text, and leaves everything else as it is, character for character. What is between edited members is
 * scanned and never parsed, so that numbers, escapes and white space stay.
 *
 * A later edit of the same place wins. Objects that are missing on the way are added; a value in their place that is no object,
 * such as `null`, is replaced. A number is the index of an item of an array in `text`, before any edit. To remove what does not
 * exist changes nothing.
 *
 * @param text - valid JSON in which no object has a key twice.
 * @throws RangeError if the item of an array that is to be set does not exist.
 */
export function spliceJson(text: string, edits: readonly BodyEdit[]): string {
  return edits.length === 0 ? text : splicedPieces(text, edits).join('')
}

/** A part of a text, and the text in its place. */
export interface Replacement {
  readonly start: number
  readonly end: number
  readonly by: string
}

/** Returns the parts of a text that edits replace, in order. */
export function replacementsOf(text: string, edits: readonly BodyEdit[]): readonly Replacement[] {
  if (edits.length === 0) return []
  const root: Step = {}
  for (const { path, value } of edits) addEdit(root, path, value)
  return new Splice(text).apply(root)
}

/** Returns the text with its edits, in pieces: to join them copies all of it. */
export function splicedPieces(text: string, edits: readonly BodyEdit[]): readonly string[] {
  const pieces: string[] = []
  let done = 0
  for (const { start, end, by } of replacementsOf(text, edits)) {
    pieces.push(text.slice(done, start), by)
    done = end
  }
  pieces.push(text.slice(done))
  return pieces
}

/** What to do with one value: replace or remove it (`edit`), or edit its members (`steps`). It has at most one of both. */
interface Step {
  edit?: { readonly value: JsonValue | undefined }
  steps?: Map<string | number, Step> | undefined
}

function addEdit(root: Step, path: BodyEdit['path'], value: JsonValue | undefined): void {
  let step = root
  for (const [depth, name] of path.entries()) {
    if (step.edit !== undefined) {
      step.edit = { value: edited(step.edit.value, path.slice(depth), value) }
      return
    }
    step.steps ??= new Map()
    const next: Step = step.steps.get(name) ?? {}
    step.steps.set(name, next)
    step = next
  }
  step.steps = undefined
  step.edit = { value }
}

/** Returns a value with one edit, as a copy. */
function edited(
  target: JsonValue | undefined,
  [name, ...rest]: BodyEdit['path'],
  value: JsonValue | undefined,
): JsonValue | undefined {
  if (name === undefined) return value
  if (typeof name === 'number') {
    const items = Array.isArray(target) ? [...(target as readonly JsonValue[])] : []
    const exists = name < items.length
    if (!exists && value !== undefined) throw missingItem()
    const item = exists ? edited(items[name], rest, value) : undefined
    if (exists) items.splice(name, 1, ...(item === undefined ? [] : [item]))
    return exists ? items : target
  }
  const members = isObject(target) ? new Map(Object.entries(target)) : undefined
  if (members === undefined && value === undefined) return target
  const all = members ?? new Map<string, JsonValue>()
  const member = edited(all.get(name), rest, value)
  if (member === undefined) all.delete(name)
  else all.set(name, member)
  return Object.fromEntries(all)
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the text of a value that did not exist, or `undefined` if nothing is set in it. */
function textOfNew({ edit, steps }: Step): string | undefined {
  if (edit !== undefined) return edit.value === undefined ? undefined : JSON.stringify(edit.value)
  const members = steps === undefined ? '' : textOfMembers(steps, steps.keys())
  return members === '' ? undefined : `{${members}}`
}

/** Returns the text of new members, without those that are only removed. */
function textOfMembers(steps: ReadonlyMap<string | number, Step>, names: Iterable<string | number>): string {
  const members: string[] = []
  for (const name of names) {
    const text = textOfNew(steps.get(name)!)
    if (text === undefined) continue
    if (typeof name === 'number') throw missingItem()
    members.push(`${JSON.stringify(name)}:${text}`)
  }
  return members.join(',')
}

function missingItem(): RangeError {
  return new RangeError('An edit sets an item of an array that does not exist.')
}

/** Returns the name of a member, whose string is between these positions. `undefined` if it is invalid. */
function keyAt(text: string, start: number, end: number): string | undefined {
  const raw = text.slice(start + 1, end - 1)
  return raw.includes('\\') ? unescaped(raw) : raw
}

const quote = 0x22
const comma = 0x2c
const openArray = 0x5b
const closeArray = 0x5d
const openObject = 0x7b
const closeObject = 0x7d

/** One run over a text. It ends where nothing is left to edit. */
class Splice {
  readonly #text: string
  readonly #replacements: Replacement[] = []

  constructor(text: string) {
    this.#text = text
  }

  apply(root: Step): readonly Replacement[] {
    this.#value(this.#skipSpace(0), root, true)
    return this.#replacements
  }

  /** Replaces a part of the text. Parts come in order. */
  #replace(start: number, end: number, by: string): void {
    this.#replacements.push({ start, end, by })
  }

  /**
   * Edits the value at `start`.
   *
   * @param last - whether nothing is to be edited after it, so that its end does not matter.
   * @returns its end, or any position if it is the last.
   */
  #value(start: number, step: Step, last: boolean): number {
    const code = this.#text.charCodeAt(start)
    if (step.steps !== undefined) {
      if (code === openObject) return this.#members(start, step.steps, last)
      const isIndexed = [...step.steps.keys()].some(name => typeof name === 'number')
      if (code === openArray && isIndexed) return this.#members(start, step.steps, last)
    }
    const end = this.#valueEnd(start)
    const text = textOfNew(step)
    if (text !== undefined) this.#replace(start, end, text)
    return end
  }

  /** Edits the members of an object, or the items of an array. */
  #members(start: number, steps: ReadonlyMap<string | number, Step>, last: boolean): number {
    const isObject = this.#text.charCodeAt(start) === openObject
    const left = new Set(steps.keys())
    const cuts = new Cuts((from, to) => this.#replace(from, to, ''))
    let end = start + 1
    let at = this.#skipSpace(end)
    for (let index = 0; !this.#isClosing(at); index++) {
      let name: string | number | undefined = index
      let value = at
      if (isObject) {
        const keyEnd = this.#stringEnd(at)
        name = keyAt(this.#text, at, keyEnd)
        value = this.#skipSpace(this.#skipSpace(keyEnd) + 1)
      }
      const step = name === undefined ? undefined : steps.get(name)
      if (step !== undefined) left.delete(name!)
      const removed = step?.edit !== undefined && step.edit.value === undefined
      cuts.begin(at, removed)
      const isLast = last && left.size === 0 && cuts.isClosed
      end = step === undefined || removed ? this.#valueEnd(value) : this.#value(value, step, isLast)
      cuts.end(end, removed)
      if (isLast) return end
      at = this.#skipSpace(end)
      if (this.#text.charCodeAt(at) === comma) at = this.#skipSpace(at + 1)
    }
    cuts.close()
    const added = textOfMembers(steps, left)
    if (added !== '') {
      if (!isObject) throw missingItem()
      this.#replace(end, end, cuts.anyKept ? `,${added}` : added)
    }
    return at + 1
  }

  #isClosing(at: number): boolean {
    const code = this.#text.charCodeAt(at)
    return code === closeObject || code === closeArray || Number.isNaN(code)
  }

  #skipSpace(start: number): number {
    let at = start
    for (; at < this.#text.length; at++) {
      const code = this.#text.charCodeAt(at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break
    }
    return at
  }

  /** Returns the position after the string at `start`. */
  #stringEnd(start: number): number {
    const end = stringEnd(this.#text, start)
    return end === -1 ? this.#text.length : end + 1
  }

  /** Returns the position after the value at `start`. */
  #valueEnd(start: number): number {
    const text = this.#text
    let depth = 0
    let at = start
    do {
      switch (text.charCodeAt(at)) {
        case quote:
          at = this.#stringEnd(at)
          break
        case openObject:
        case openArray:
          depth++
          at++
          break
        case closeObject:
        case closeArray:
          depth--
          at++
          break
        default:
          at++
          // A number or a literal; between values also white space, colons and commas.
          if (depth === 0) at = this.#scalarEnd(at)
      }
    } while (depth > 0 && at < text.length)
    return at
  }

  #scalarEnd(start: number): number {
    let at = start
    for (; at < this.#text.length; at++) {
      const code = this.#text.charCodeAt(at)
      if (code <= 0x20 || code === comma || code === closeObject || code === closeArray) break
    }
    return at
  }
}

/** Finds what to cut where members of a container are removed: each with one of the commas around it. */
class Cuts {
  /** Whether a member so far stays. */
  anyKept = false
  readonly #cut: (start: number, end: number) => void
  /** Start of removed members that have no member before them. They end with the comma that follows. */
  #from = -1
  #lastEnd = -1

  constructor(cut: (start: number, end: number) => void) {
    this.#cut = cut
  }

  /** Whether nothing is left to cut. */
  get isClosed(): boolean {
    return this.#from === -1
  }

  /** A member begins. */
  begin(start: number, removed: boolean): void {
    if (removed && !this.anyKept && this.#from === -1) this.#from = start
    if (removed) return
    this.anyKept = true
    if (this.#from !== -1) this.#cut(this.#from, start)
    this.#from = -1
  }

  /** The member ends. */
  end(end: number, removed: boolean): void {
    // With the comma before it.
    if (removed && this.anyKept) this.#cut(this.#lastEnd, end)
    this.#lastEnd = end
  }

  /** The container ends. */
  close(): void {
    if (this.#from !== -1) this.#cut(this.#from, this.#lastEnd)
    this.#from = -1
  }
}
