import type { PartialCompletion } from '@sluice/core/provider'
import { AnswerForm } from './answer-form.ts'
import { completionFrom } from './partial-completion.ts'

// Tuned for the bench row `node`: reading each answer by `JSON.parse` and its checks costs 1.8 us more of some 50.

/** So many are known at a time: one for each way in which answers end, and some of before. */
const most = 4
/** So many are learnt in any case, and one more for so many answers that were of one. */
const leastLearnt = 4
const answersEach = 100
/** A longer answer is no example: to learn from it would take long, and the next one may do. */
const longestExample = 16_384

/** The forms that whole answers of one upstream have. */
export class AnswerForms {
  readonly #forms: AnswerForm[] = []
  #learnt = 0
  #matched = 0

  /** What an answer says, by its JSON text: as `completionFrom`, which it throws as. */
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
    const completion = completionFrom(text)
    const learns = this.#learnt < leastLearnt + this.#matched / answersEach && text.length <= longestExample
    if (learns) this.#learn(text, completion)
    return completion
  }

  #learn(text: string, completion: PartialCompletion): void {
    this.#learnt++
    const form = AnswerForm.of(text, completion, completionFrom)
    if (form === undefined) return
    this.#forms.unshift(form)
    if (this.#forms.length > most) this.#forms.pop()
  }
}
