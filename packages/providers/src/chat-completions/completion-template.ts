import type {
  FinishReason,
  PartialChoice,
  PartialCompletion,
  ProviderSpecificFields,
} from '@sluice/core/provider'
import { copied } from '../wire/copied.ts'
import type { Fields } from '../wire/json-value.ts'
import { plainEnd, stringEnd } from '../wire/parse-json.ts'
import { withModel, withOrigin } from './partial-completion.ts'
import { partialUsage } from './partial-usage.ts'
import { addFields, type SelectedFields } from './provider-fields.ts'
import { findSlots, type Slot } from './template-slots.ts'

interface FieldsByLevel {
  readonly response: ProviderSpecificFields | undefined
  readonly choice: ProviderSpecificFields | undefined
  readonly message: ProviderSpecificFields | undefined
}

/** Texts longer than this hold more than a form. */
const longestForm = 2_000
/** In characters. Shorter strings are scanned one by one; longer ones go to `JSON.parse`. */
const short = 200

/**
 * The parts that complete responses of one upstream share: all but ids, times, token counts and the text of the only
 * choice. From a response of this form only those are read, at less than half the cost of parsing the JSON.
 */
export class CompletionTemplate {
  readonly #slots: readonly Slot[]
  /** The text before each slot, and after the last one. */
  readonly #between: readonly string[]
  readonly #index: number
  readonly #finishReason: FinishReason | null
  readonly #origin: Fields
  /** Undefined if its usage has no provider-specific fields. */
  readonly #usageFields: SelectedFields | undefined
  /**
   * Its provider-specific fields outside the usage, if it has any: they are between the slots, so all its responses have the
   * same.
   */
  readonly #fields: FieldsByLevel | undefined

  private constructor(
    slots: readonly Slot[],
    between: readonly string[],
    { choices, usage, service_tier, system_fingerprint, model, ...rest }: PartialCompletion,
    selected: SelectedFields | undefined,
  ) {
    this.#slots = slots
    this.#between = between
    if (usage?.provider_specific_fields !== undefined) this.#usageFields = selected
    const response = rest.provider_specific_fields
    const choice = choices[0]!.provider_specific_fields
    const message = choices[0]!.message.provider_specific_fields
    if (response !== undefined || choice !== undefined || message !== undefined) {
      this.#fields = { response, choice, message }
    }
    this.#index = choices[0]!.index
    this.#finishReason = choices[0]!.finish_reason ?? null
    this.#origin = { service_tier, system_fingerprint, model }
  }

  /**
   * The form of an answer's JSON text, of which `parse` has made `completion`; `undefined` where it has none. That the
   * right values are taken for what may differ is not guessed but tried: with all of them changed, what is read has to be
   * what is parsed.
   */
  static of(
    text: string,
    completion: PartialCompletion,
    parse: (text: string) => PartialCompletion,
    selected?: SelectedFields,
  ): CompletionTemplate | undefined {
    if (!isOnlyText(completion)) return undefined
    const slots = findSlots(text)
    if (slots === undefined) return undefined
    const between: string[] = []
    let at = 0
    for (const { start, end } of slots) {
      between.push(text.slice(at, start))
      at = end
    }
    between.push(text.slice(at))
    if (between.join('').length > longestForm) return undefined
    const form = new CompletionTemplate(slots, between.map(copied), completion, selected)
    return form.#holds(text, parse) ? form : undefined
  }

  /** Returns the completion in a response of this form, or `undefined` for any other. */
  read(text: string): PartialCompletion | undefined {
    const slots = this.#slots
    const between = this.#between
    let content = ''
    const usage: Record<string, unknown> = {}
    let at = 0
    for (let nth = 0; nth < slots.length; nth++) {
      const before = between[nth]!
      if (!text.startsWith(before, at)) return undefined
      at += before.length
      const slot = slots[nth]!
      if (slot.kind === 'number') {
        const start = at
        let value = 0
        for (let digit = digitAt(text, at); digit !== -1; digit = digitAt(text, at)) {
          value = 10 * value + digit
          at++
        }
        if (!isWhole(text, start, at)) return undefined
        if (slot.name !== undefined) count(usage, slot.group, slot.name, value)
      } else {
        const end = stringEnd(text, at - 1)
        if (end === -1) return undefined
        if (slot.kind === 'content') {
          const unescaped = unquoted(text, at, end)
          if (unescaped === undefined || unescaped === '') return undefined
          content = unescaped
        } else if (plainEnd(text, at) !== end) return undefined
        at = end
      }
    }
    const after = between[slots.length]!
    if (text.length !== at + after.length || !text.startsWith(after, at)) return undefined
    const choice: PartialChoice = {
      index: this.#index,
      message: { content },
      finish_reason: this.#finishReason,
    }
    const counted = partialUsage({ usage }, this.#usageFields)
    const completion = counted === undefined ? { choices: [choice] } : { choices: [choice], usage: counted }
    const read: PartialCompletion = withModel(withOrigin(completion, this.#origin), this.#origin)
    if (this.#fields !== undefined) {
      addFields(choice.message, this.#fields.message)
      addFields(choice, this.#fields.choice)
      addFields(read, this.#fields.response)
    }
    return read
  }

  #holds(text: string, parse: (text: string) => PartialCompletion): boolean {
    return [text, this.#changed(text, 1), this.#changed(text, 2)].every(each => {
      try {
        return JSON.stringify(this.read(each)) === JSON.stringify(parse(each))
      } catch {
        return false
      }
    })
  }

  /** The text with every value changed, each in its own way. */
  #changed(text: string, by: number): string {
    let changed = ''
    this.#slots.forEach(({ kind, start, end }, nth) => {
      const value =
        kind === 'number'
          ? String((1_000 + nth) * by)
          : `${text.slice(start, end)}${kind === 'content' ? '\\n' : ''}${'.'.repeat(by)}`
      changed += this.#between[nth]! + value
    })
    return changed + this.#between.at(-1)!
  }
}

/** Whether it has one choice, with nothing but text and provider-specific fields. */
function isOnlyText({ choices }: PartialCompletion): boolean {
  const choice = choices[0]
  if (choices.length !== 1 || choice === undefined || choice.logprobs !== undefined) return false
  for (const name in choice.message)
    if (name !== 'content' && name !== 'provider_specific_fields') return false
  return choice.message.content !== undefined
}

function count(usage: Record<string, unknown>, group: string | undefined, name: string, value: number): void {
  if (group === undefined) {
    usage[name] = value
    return
  }
  let members = usage[group] as Record<string, unknown> | undefined
  if (members === undefined) {
    members = {}
    usage[group] = members
  }
  members[name] = value
}

/** The digit at a place; -1 where there is none. */
function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0x30 && code <= 0x39 ? code - 0x30 : -1
}

/** Whether digits are a number as JSON writes it, which a double holds. */
function isWhole(text: string, start: number, end: number): boolean {
  const digits = end - start
  return digits > 0 && digits <= 15 && (digits === 1 || text.charCodeAt(start) !== 0x30)
}

/** Returns the string between two quotes, unescaped, or `undefined` if it is not valid JSON. */
function unquoted(text: string, start: number, end: number): string | undefined {
  if (end - start <= short && plainEnd(text, start) === end) return text.slice(start, end)
  try {
    return JSON.parse(text.slice(start - 1, end + 1)) as string
  } catch {
    return undefined
  }
}
