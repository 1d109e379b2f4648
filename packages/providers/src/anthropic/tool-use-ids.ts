/**
 * Ids of calls in the form that the vendor requires: letters, digits, `_` and `-` only, unique in a conversation. Other
 * vendors' ids have more characters, and some clients number the calls of each turn from the start.
 */
export class ToolUseIds {
  /** How often a word was asked for; what was given out is in it too. */
  readonly #counts = new Map<string, number>()
  /** By the caller's id, the calls that have it and wait for their results, in order. */
  readonly #waiting = new Map<string, string[]>()

  /** The id of a call. */
  ofCall(id: string): string {
    const word = sanitized(id)
    let count = this.#counts.get(word) ?? 0
    let unique = count === 0 ? word : `${word}_${count + 1}`
    while (count > 0 && this.#counts.has(unique)) unique = `${word}_${++count + 1}`
    this.#counts.set(word, count + 1)
    if (unique !== word) this.#counts.set(unique, 1)
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) this.#waiting.set(id, [unique])
    else waiting.push(unique)
    return unique
  }

  /** The id of the call that a result answers: of several with one id, the first that waits. */
  ofResult(id: string): string {
    return this.#waiting.get(id)?.shift() ?? sanitized(id)
  }
}

function sanitized(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_') || 'call'
}
