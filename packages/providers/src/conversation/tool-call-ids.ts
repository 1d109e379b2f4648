import type { CallTurnPart } from '@sluice/core/provider'

/**
 * Which ids a vendor takes: `any` letters, digits and `_.:-`; `plain` ones without `.` and `:`; `nine` letters and digits;
 * `free`: all.
 */
export type ToolCallIdKind = 'any' | 'plain' | 'nine' | 'free'

const maxLength = 64
const foreign = { any: /[^a-zA-Z0-9_.:-]/g, plain: /[^a-zA-Z0-9_-]/g, nine: /[^a-zA-Z0-9]/g }

/**
 * Ids of calls in the form that the model requires, unique in a conversation. Other vendors' ids have other characters or
 * are longer, and some clients number the calls of each turn from the start. A valid id is unchanged.
 */
export class ToolCallIds {
  readonly #kind: ToolCallIdKind
  readonly #given = new Set<string>()
  /** By the call, or by the id of a result without one. */
  readonly #ids = new Map<CallTurnPart | string, string>()
  #count = 0

  constructor(kind: ToolCallIdKind) {
    this.#kind = kind
  }

  /** The id of a call. */
  ofCall(call: CallTurnPart): string {
    return this.#idOf(call, call.id)
  }

  /** The id in a result. `call`: the one that it answers, by `pairResults`. */
  ofResult(call: CallTurnPart | undefined, callId: string): string {
    return this.#idOf(call ?? callId, callId)
  }

  #idOf(key: CallTurnPart | string, id: string): string {
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    const fitting = this.#fitting(id)
    let unique = fitting
    while (!this.#fits(unique) || this.#given.has(unique)) unique = this.#numbered(fitting)
    this.#given.add(unique)
    this.#ids.set(key, unique)
    return unique
  }

  #fitting(id: string): string {
    if (this.#kind === 'free') return id
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
    return (this.#kind === 'free' ? id : id.slice(0, maxLength - end.length)) + end
  }
}
