import type { BedrockModel } from './models.ts'

const maxLength = 64
const foreign = { any: /[^a-zA-Z0-9_.:-]/g, plain: /[^a-zA-Z0-9_-]/g, nine: /[^a-zA-Z0-9]/g }

/**
 * Ids of calls as the model takes them, none twice in a conversation: other vendors' ids hold other
 * characters or are longer, and some clients number the calls of each turn anew. An id that fits stays as it is.
 */
export class ToolUseIds {
  readonly #kind: BedrockModel['toolIds']
  readonly #given = new Set<string>()
  readonly #latest = new Map<string, string>()
  #count = 0

  constructor(kind: BedrockModel['toolIds']) {
    this.#kind = kind
  }

  /** The id of a call. */
  ofCall(id: string): string {
    const fitting = this.#fitting(id)
    let unique = fitting
    while (!this.#fits(unique) || this.#given.has(unique)) unique = this.#numbered(fitting)
    this.#given.add(unique)
    this.#latest.set(id, unique)
    return unique
  }

  /** The id of the call that a result answers: of the last one that had this id. */
  ofResult(id: string): string {
    return this.#latest.get(id) ?? this.ofCall(id)
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
    if (this.#kind === 'nine') return `call${String(count).padStart(5, '0')}`
    const end = `_${count}`
    return id.slice(0, maxLength - end.length) + end
  }
}
