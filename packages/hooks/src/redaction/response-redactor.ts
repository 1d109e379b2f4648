import type { ChunkDecision, HookChunk, TextReplacement } from '@sluice/core'
import { type Finder, type FoundValue, findValues } from './finder.ts'
import { foldText } from './fold-text.ts'
import { JsonPosition } from './json-position.ts'

/** How much before a text is read with it, so that a value is found only where a word begins. */
const lookBehind = 64

/** What to look for in a response, and what takes its place. */
export interface ResponseRules {
  readonly finders: readonly Finder[]
  readonly holdBack: number
  /** Whether texts are searched in their folded form. */
  readonly isFolded: boolean
  /** Returns the text for a value that was found. `written`: what stands in the response. */
  readonly replacementOf: (finder: Finder, written: string) => string
}

/** Replaces values in one text of a response, which arrives in parts. */
export class ResponseRedactor {
  readonly #rules: ResponseRules
  readonly #json: JsonPosition | undefined
  /** Whether the text is JSON, as the arguments of a function are, and not the free text of a custom tool. */
  #isJson: boolean | undefined
  /** A value that is longer than what is held back, and may go on. */
  #open: { readonly finder: Finder; readonly passed: string } | undefined

  constructor(rules: ResponseRules, kind: HookChunk['kind']) {
    this.#rules = rules
    this.#json = kind === 'arguments' ? new JsonPosition() : undefined
  }

  read({ text, before, isLast }: HookChunk): ChunkDecision | undefined {
    const { finders, holdBack, isFolded } = this.#rules
    const context = before.slice(-lookBehind)
    const folded = isFolded
      ? foldText(context + text)
      : { text: context + text, originOf: (at: number) => at }
    const originOf = (at: number) => folded.originOf(at) - context.length
    let from = 0
    while (from < folded.text.length && originOf(from) < 0) from++
    // What is before this position is written after this call.
    const until = isLast ? text.length : text.length - holdBack
    const replacements: TextReplacement[] = []
    if (this.#open !== undefined) {
      const { finder, passed } = this.#open
      from += finder.continued!(folded.text.slice(from), passed)
      const goesOn = from === folded.text.length && !isLast
      this.#open = goesOn ? { finder, passed: passedOf(finder, passed + text.slice(0, until)) } : undefined
      replacements.push({ start: 0, end: goesOn ? until : originOf(from), text: '' })
    }
    const first = /\S/.exec(text)?.[0]
    if (first !== undefined) this.#isJson ??= first === '{'
    let at = 0
    if (this.#open === undefined) {
      for (const found of findValues(folded.text, finders, from)) {
        const start = originOf(found.start)
        if (start >= until) break
        const goesOn = found.end === folded.text.length && !isLast && found.finder.continued !== undefined
        if (goesOn)
          this.#open = { finder: found.finder, passed: passedOf(found.finder, text.slice(start, until)) }
        const end = goesOn ? until : originOf(found.end)
        this.#json?.read(text, at, start)
        replacements.push({ start, end, text: this.#replacement(found, text.slice(start, end)) })
        this.#json?.read(text, start, end)
        at = end
      }
    }
    this.#json?.read(text, at, Math.max(at, until))
    return replacements.length === 0 ? undefined : { replacements }
  }

  #replacement({ finder }: FoundValue, written: string): string {
    const text = this.#rules.replacementOf(finder, written)
    if (this.#json === undefined || !this.#isJson) return text
    const json = JSON.stringify(text)
    return this.#json.isInString ? json.slice(1, -1) : json
  }
}

/** Returns what a finder must know of the part of a value that was passed. */
function passedOf(finder: Finder, passed: string): string {
  const { text } = foldText(passed)
  return finder.shortened?.(text) ?? text
}
