import type { PartialChunk } from '@sluice/core/provider'
import { copied } from '../wire/copied.ts'
import { type Fields, isFields, textOf } from '../wire/json-value.ts'
import { plainEnd } from '../wire/parse-json.ts'
import type { AnswerExtras } from './answer-extras.ts'
import { ChunkReader } from './chunk-reader.ts'
import { withOrigin } from './partial-completion.ts'

/** So often a form is looked for: some streams have none, and one that has several keeps the last. */
const mostTries = 3

/**
 * The form that the text events of a stream have in common. Only the text of such events differs, and what OpenAI pads
 * them with (`obfuscation`): that is read at its offset, at a third of the cost of parsing the event.
 */
export class TextEventTemplate {
  readonly #extras: AnswerExtras | undefined
  #triesLeft = mostTries
  /** The fields that its events have in common; `undefined` until a form is known. */
  #origin: Fields | undefined
  #index = 0
  #before = ''
  /** The text between content and padding; `undefined` without padding. */
  #between: string | undefined
  #after = ''

  constructor(extras?: AnswerExtras) {
    this.#extras = extras
    // Any text may cite.
    if (extras?.numberedCitations === true) this.#triesLeft = 0
  }

  /** Returns the chunk of an event of this form, or `undefined` for any other. */
  read(data: string): PartialChunk | undefined {
    const before = this.#before
    // Compared as slices, which costs half of `startsWith`.
    if (this.#origin === undefined || data.slice(0, before.length) !== before) return undefined
    const textEnd = plainEnd(data, before.length)
    // An event without text is not read here.
    if (textEnd <= before.length) return undefined
    let end = textEnd
    if (this.#between !== undefined) {
      if (!data.startsWith(this.#between, end)) return undefined
      end = plainEnd(data, end + this.#between.length)
      if (end === -1) return undefined
    }
    if (data.slice(end) !== this.#after) return undefined
    const content = data.slice(before.length, textEnd)
    return withOrigin({ choices: [{ index: this.#index, delta: { content } }] }, this.#origin)
  }

  /**
   * Takes on the form of an event, of which `chunk` was made, if it is a plain piece of text. That the right strings are
   * taken for text and padding is not guessed but tried: the event is read once more with both of them changed.
   */
  learn(data: string, value: unknown, chunk: PartialChunk): void {
    if (this.#triesLeft === 0 || !isFields(value)) return
    const text = onlyText(chunk)
    if (text === undefined || !isPlain(text)) return
    this.#triesLeft--
    const textAt = data.indexOf(`"${text}"`, data.indexOf('"delta"')) + 1
    if (textAt === 0) return
    const before = data.slice(0, textAt)
    let after = data.slice(textAt + text.length)
    let between: string | undefined
    const padding = value.obfuscation
    if (typeof padding === 'string') {
      const paddingAt = after.indexOf(`"${padding}"`) + 1
      if (paddingAt === 0 || !isPlain(padding)) return
      between = after.slice(0, paddingAt)
      after = after.slice(paddingAt + padding.length)
    }
    const changed = `${before}${text}.${between === undefined ? '' : `${between}${padding}.`}${after}`
    const paddingPath = between === undefined ? padding : `${padding}.`
    if (!addsOnly(changed, `${text}.`, paddingPath, value, this.#extras)) return
    const { service_tier, system_fingerprint } = chunk
    this.#origin = { service_tier, system_fingerprint }
    this.#index = chunk.choices[0]!.index
    this.#before = copied(before)
    this.#between = between === undefined ? undefined : copied(between)
    this.#after = copied(after)
  }

  /** Forgets the form: an event of it would again have other provider-specific fields than the event before it. */
  forget(): void {
    this.#origin = undefined
  }
}

/** Whether an event adds just this text after `earlier`, and has this padding. */
function addsOnly(
  data: string,
  text: string,
  padding: unknown,
  earlier: Fields,
  extras: AnswerExtras | undefined,
): boolean {
  try {
    const value: unknown = JSON.parse(data)
    // The first event of a choice is read differently from the later ones.
    const reader = new ChunkReader(1, extras)
    reader.read(earlier, 'message')
    const chunk = reader.read(value, 'message')
    return chunk !== undefined && onlyText(chunk) === text && (value as Fields).obfuscation === padding
  } catch {
    return false
  }
}

/** The text of a chunk that has nothing else. */
function onlyText({ choices, usage, provider_specific_fields }: PartialChunk): string | undefined {
  const choice = choices[0]
  if (provider_specific_fields !== undefined || choice?.provider_specific_fields !== undefined)
    return undefined
  if (choices.length !== 1 || choice === undefined || usage !== undefined) return undefined
  if (choice.finish_reason !== undefined || choice.logprobs !== undefined) return undefined
  for (const name in choice.delta) if (name !== 'content') return undefined
  return textOf(choice.delta.content)
}

/** Whether JSON contains a text without escapes. */
function isPlain(text: string): boolean {
  return plainEnd(`${text}"`, 0) === text.length
}
