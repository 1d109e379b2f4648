import type { CallTurnPart } from '@sluice/core/provider'

/**
 * Ids of calls in the form that the vendor requires: letters, digits, `_` and `-` only, unique in a conversation. Other
 * vendors' ids have more characters, and some clients number the calls of each turn from the start.
 */
export class ToolUseIds {
  /** How often a word was asked for; what was given out is in it too. */
  readonly #counts = new Map<string, number>()
  readonly #ids = new Map<CallTurnPart, string>()

  /** The id of a call. */
  ofCall(call: CallTurnPart): string {
    const known = this.#ids.get(call)
    if (known !== undefined) return known
    const word = sanitized(call.id)
    let count = this.#counts.get(word) ?? 0
    let unique = count === 0 ? word : `${word}_${count + 1}`
    while (count > 0 && this.#counts.has(unique)) unique = `${word}_${++count + 1}`
    this.#counts.set(word, count + 1)
    if (unique !== word) this.#counts.set(unique, 1)
    this.#ids.set(call, unique)
    return unique
  }

  /** The id in a result. `call`: the one that it answers, by `pairResults`. */
  ofResult(call: CallTurnPart | undefined, callId: string): string {
    return call === undefined ? sanitized(callId) : this.ofCall(call)
  }
}

function sanitized(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_') || 'call'
}
