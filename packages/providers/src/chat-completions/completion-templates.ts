import type { PartialCompletion } from '@sluice/core/provider'
import type { AnswerExtras } from './answer-extras.ts'
import { CompletionTemplate } from './completion-template.ts'
import { parseChatCompletion } from './partial-completion.ts'

// Tuned for the bench row `node`: reading each answer by `JSON.parse` and its checks costs 1.8 us more of some 50.

/** The maximum templates: one for each finish reason, and some earlier ones. */
const most = 4
/** Templates that are always learned, and then one more for each `answersEach` matches. */
const leastLearnt = 4
const answersEach = 100
/** The maximum characters to learn from: a longer text takes too long. */
const longestExample = 16_384

/** Templates of one upstream's non-streaming responses. */
export class CompletionTemplates {
  readonly #forms: CompletionTemplate[] = []
  #learnt = 0
  #matched = 0
  readonly #extras: AnswerExtras | undefined
  readonly #parse: (text: string) => PartialCompletion

  constructor(extras?: AnswerExtras) {
    this.#extras = extras
    this.#parse = text => parseChatCompletion(text, extras)
  }

  /** Parses a completion's JSON text. Returns and throws the same as `parseChatCompletion`. */
  read(text: string): PartialCompletion {
    for (let nth = 0; nth < this.#forms.length; nth++) {
      const form = this.#forms[nth]!
      const completion = form.read(text)
      if (completion === undefined) continue
      this.#matched++
      if (nth > 0) {
        this.#forms[nth] = this.#forms[0]!
        this.#forms[0] = form
      }
      return completion
    }
    const completion = this.#parse(text)
    // Any text may cite.
    const learns =
      this.#learnt < leastLearnt + this.#matched / answersEach &&
      text.length <= longestExample &&
      this.#extras?.numberedCitations !== true
    if (learns) this.#learn(text, completion)
    return completion
  }

  #learn(text: string, completion: PartialCompletion): void {
    this.#learnt++
    const form = CompletionTemplate.of(text, completion, this.#parse, this.#extras?.fields)
    if (form === undefined) return
    this.#forms.unshift(form)
    if (this.#forms.length > most) this.#forms.pop()
  }
}
