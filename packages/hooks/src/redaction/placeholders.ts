import type { Finder } from './finder.ts'

/** What surrounds the name and the number of a placeholder. */
export interface PlaceholderForm {
  /** What it begins with. Default `[`. */
  readonly open: string
  /** What it ends with. Default `]`. */
  readonly close: string
}

const maxNameLength = 32
const maxNumberLength = 7

/** The placeholders of one form, such as `[EMAIL_1]`. */
export class Placeholders {
  readonly #form: PlaceholderForm
  readonly #names: ReadonlyMap<Finder, string>
  readonly #pattern: RegExp

  /** @param names - the names of what is found, in capital letters. */
  constructor(form: PlaceholderForm, names: ReadonlyMap<Finder, string>) {
    this.#form = form
    this.#names = names
    const [open, close] = [form.open, form.close].map(text => text.replaceAll(/[^\w\s]/g, '\\$&'))
    this.#pattern = new RegExp(
      `${open}[A-Z][A-Z\\d_]{0,${maxNameLength - 1}}_\\d{1,${maxNumberLength}}${close}`,
      'g',
    )
  }

  /** The length of the longest one. */
  get maxLength(): number {
    const { open, close } = this.#form
    const longest = Math.max(0, ...[...this.#names.values()].map(name => name.length))
    return open.length + longest + 1 + maxNumberLength + close.length
  }

  /** Returns the text for what a finder has found; `undefined` for the number: one that cannot be put back. */
  of(finder: Finder, number?: number): string {
    const { open, close } = this.#form
    return `${open}${this.#names.get(finder)!}${number === undefined ? '' : `_${number}`}${close}`
  }

  /** Adds the placeholders that a caller has written to a set. */
  addWritten(text: string, written: Set<string>): void {
    if (!text.includes(this.#form.open)) return
    for (const [placeholder] of text.matchAll(this.#pattern)) written.add(placeholder)
  }

  /** Returns what finds the placeholders of a request in its response. */
  finderOf(values: ReadonlyMap<string, string>): Finder {
    const pattern = new RegExp(this.#pattern)
    return {
      maxLength: this.maxLength,
      next(text, from) {
        pattern.lastIndex = from
        for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
          const { 0: placeholder, index: start } = match
          if (values.has(placeholder)) return { start, end: start + placeholder.length }
          pattern.lastIndex = start + 1
        }
        return undefined
      },
    }
  }
}
