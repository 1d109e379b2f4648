/**
 * Ids of calls as the vendor takes them: letters, digits, `_` and `-` only, none twice in a conversation. Other
 * vendors' ids hold more, and some clients number the calls of each turn anew.
 */
export class ToolUseIds {
  /** How often a word was asked for; what was given out is in it too. */
  readonly #counts = new Map<string, number>()
  readonly #latest = new Map<string, string>()

  /** The id of a call. */
  ofCall(id: string): string {
    const word = sanitized(id)
    let count = this.#counts.get(word) ?? 0
    let unique = count === 0 ? word : `${word}_${count + 1}`
    while (count > 0 && this.#counts.has(unique)) unique = `${word}_${++count + 1}`
    this.#counts.set(word, count + 1)
    if (unique !== word) this.#counts.set(unique, 1)
    this.#latest.set(id, unique)
    return unique
  }

  /** The id of the call that a result answers: of the last one that had this id. */
  ofResult(id: string): string {
    return this.#latest.get(id) ?? sanitized(id)
  }
}

function sanitized(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_') || 'call'
}
