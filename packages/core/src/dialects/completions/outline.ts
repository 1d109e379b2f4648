import type { Outline } from '../../contracts/outline.ts'
import { utf8Length } from '../../primitives/utf8-length.ts'
import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'

/** Looks at the parsed body of a request to complete texts. Each member is computed when it is read. */
export function completionsOutline(body: JsonObject): Outline {
  return new CompletionsOutline(body)
}

class CompletionsOutline implements Outline {
  readonly #body: JsonObject

  constructor(body: JsonObject) {
    this.#body = body
  }

  get stream(): boolean {
    return jsonMember(this.#body, 'stream') === true
  }

  get user(): string | undefined {
    const user = jsonMember(this.#body, 'user')
    return typeof user === 'string' ? user : undefined
  }

  /**
   * The number of token ids, and an estimate of a `suffix`, which each prompt has. `undefined` for texts, whose tokens are estimated
   * by the length of the body, unless that has a suffix once and they have it several times.
   */
  get promptTokens(): number | undefined {
    const prompts = promptsOf(jsonMember(this.#body, 'prompt'))
    const suffix = jsonMember(this.#body, 'suffix')
    const suffixTokens = typeof suffix === 'string' ? tokensOf(suffix) : 0
    if (prompts.length === 0) return undefined
    let tokens = prompts.length * suffixTokens
    for (const prompt of prompts) {
      if (typeof prompt === 'string' && (suffixTokens === 0 || prompts.length === 1)) return undefined
      tokens += typeof prompt === 'string' ? tokensOf(prompt) : prompt.length
    }
    return tokens
  }

  /** A vendor generates `best_of` answers to each prompt, and bills all of them. */
  get choices(): number {
    const prompts = Math.max(1, promptsOf(jsonMember(this.#body, 'prompt')).length)
    return prompts * Math.max(countOf(this.#body, 'n') ?? 1, countOf(this.#body, 'best_of') ?? 1)
  }

  get maxOutputTokens(): number | undefined {
    return countOf(this.#body, 'max_tokens')
  }
}

/** The most tokens that a text is taken for: one for three bytes. */
function tokensOf(text: string): number {
  return Math.ceil(utf8Length(text) / 3)
}

function countOf(body: JsonObject, name: string): number | undefined {
  const value = jsonMember(body, name)
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** A prompt: a text, or token ids. */
export type Prompt = string | readonly number[]

/** Returns the prompts of a request: one for a text or for token ids, and none where there is something else. */
export function promptsOf(given: JsonValue | undefined): readonly Prompt[] {
  if (typeof given === 'string') return [given]
  if (given === undefined || isTokens(given)) return given === undefined ? [] : [given]
  const items = jsonItems(given)
  return items.every(each => typeof each === 'string' || isTokens(each)) ? (items as readonly Prompt[]) : []
}

function isTokens(value: JsonValue): value is readonly number[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(item => Number.isSafeInteger(item) && (item as number) >= 0)
  )
}
