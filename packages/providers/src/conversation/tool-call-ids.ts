/** Which ids a vendor takes: `any` letters, digits and `_.:-`; `plain` ones without `.` and `:`; `nine` letters and digits. */
export type ToolCallIdKind = 'any' | 'plain' | 'nine'

const maxLength = 64
const foreign = { any: /[^a-zA-Z0-9_.:-]/g, plain: /[^a-zA-Z0-9_-]/g, nine: /[^a-zA-Z0-9]/g }

/**
 * Ids of calls in the form that the model requires, unique in a conversation. Other vendors' ids have other characters or
 * are longer, and some clients number the calls of each turn from the start. A valid id is unchanged.
 */
export class ToolCallIds {
  readonly #kind: ToolCallIdKind
  readonly #given = new Set<string>()
  /** By the caller's id: what its calls got, and how many of them were answered. */
  readonly #calls = new Map<string, { readonly ids: string[]; answered: number }>()
  #count = 0

  constructor(kind: ToolCallIdKind) {
    this.#kind = kind
  }

  /** The id of a call. */
  ofCall(id: string): string {
    const fitting = this.#fitting(id)
    let unique = fitting
    while (!this.#fits(unique) || this.#given.has(unique)) unique = this.#numbered(fitting)
    this.#given.add(unique)
    const calls = this.#calls.get(id)
    if (calls === undefined) this.#calls.set(id, { ids: [unique], answered: 0 })
    else calls.ids.push(unique)
    return unique
  }

  /** The id of the call that a result answers: of several with one id, the first that has no result yet. */
  ofResult(id: string): string {
    const calls = this.#calls.get(id)
    return calls?.ids[calls.answered++] ?? this.ofCall(id)
  }

  #fitting(id: string): string {
    const clean = id.replace(foreign[this.#kind], this.#kind === 'nine' ? '' : '_')
    return clean.slice(0, maxLength) || 'call'
  }

  #fits(id: string): boolean {
    return this.#kind !== 'nine' || id.length === 9
  }

  #numbered(id: string): string {
    const count = ++this.#count
    if (this.#kind === 'nine') return `c${count.toString(36).padStart(8, '0')}`
    const end = `_${count}`
    return id.slice(0, maxLength - end.length) + end
  }
}
