import type { PartialChunk, PartialChunkChoice, PartialMessage } from '@sluice/core/provider'
import type { EventReader, Progress } from '../wire/event-chunks.ts'
import { garbledResponse } from '../wire/garbled-response.ts'
import { countOf, type Fields, isFields, textOf } from '../wire/json-value.ts'
import { errorInStream } from '../wire/upstream-error-response.ts'
import { CandidateReader, splitChoice } from './candidate-reader.ts'
import { withGoogleDetails } from './google-error.ts'
import { serviceTierOf, usageOf } from './usage-metadata.ts'

/** No reason at all; Vertex AI spells it in its own way. */
const unspecified = /^BLOCK(?:ED)?_REASON_UNSPECIFIED$/

/** No request asks for so many. */
const maxCandidates = 128

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

/**
 * Reads the `GenerateContentResponse`s of one answer. There is no end mark: it is whole where each candidate
 * that was seen has given its reason to end, or where the prompt was blocked.
 */
export class ResponseReader implements EventReader {
  /** Of a complete answer, what each part of its candidates adds, in their order. */
  readonly ordered: PartialChunkChoice[] = []
  readonly #candidates = new Map<number, CandidateReader>()
  readonly #declared: ReadonlySet<string>
  readonly #whole: boolean
  #blocked = false
  /** The model that the last response named. */
  #model: string | undefined

  /**
   * @param declared - the names of the tools that the caller gave.
   * @param whole - there is one response, and it holds all.
   */
  constructor(declared: ReadonlySet<string>, whole = false) {
    this.#declared = declared
    this.#whole = whole
  }

  get progress(): Progress {
    if (this.#blocked) return 'whole'
    for (const candidate of this.#candidates.values()) if (!candidate.finished) return 'open'
    return this.#candidates.size > 0 ? 'whole' : 'open'
  }

  read(value: Fields, _event: string, chunks: PartialChunk[]): void {
    if (value.error) throwRefusal(value)
    const choices: PartialChunkChoice[] = []
    const { candidates, usageMetadata } = value
    let failure: unknown
    if (Array.isArray(candidates) && candidates.length > 0) {
      try {
        if (!this.#blocked) this.#readCandidates(candidates, choices)
      } catch (error) {
        // What was used up to it is in the same response.
        failure = error
      }
    } else if (isFields(value.promptFeedback)) this.#readFeedback(value.promptFeedback, choices)
    else if (usageMetadata === undefined) throwRefusal(value)
    const usage = isFields(usageMetadata) ? usageOf(usageMetadata) : undefined
    if (choices.length > 0 || usage !== undefined) {
      const chunk: Writable<PartialChunk> = { choices }
      if (usage !== undefined) chunk.usage = usage
      const tier = isFields(usageMetadata) ? serviceTierOf(usageMetadata) : undefined
      if (tier !== undefined) chunk.service_tier = tier
      // Every response repeats it.
      const model = textOf(value.modelVersion)
      if (model && model !== this.#model) chunk.model = model
      this.#model = model
      chunks.push(chunk)
    }
    if (failure !== undefined) throw failure
  }

  /** The buffered content of an answer whose end never arrives. */
  withheld(): PartialChunk | undefined {
    const choices: PartialChunkChoice[] = []
    for (const candidate of this.#candidates.values()) {
      const choice = candidate.withheld()
      if (choice !== undefined) choices.push(choice)
    }
    return choices.length === 0 ? undefined : { choices }
  }

  #readCandidates(candidates: readonly unknown[], choices: PartialChunkChoice[]): void {
    for (let position = 0; position < candidates.length; position++) {
      const candidate = candidates[position]
      if (!isFields(candidate)) continue
      const index = countOf(candidate.index) ?? position
      let reader = this.#candidates.get(index)
      if (reader === undefined) {
        if (index >= maxCandidates) throw garbledResponse(`a candidate of index ${index}`)
        reader = new CandidateReader(index, this.#declared)
        this.#candidates.set(index, reader)
      }
      const order: PartialMessage[] | undefined = this.#whole ? [] : undefined
      const choice = reader.read(candidate, order)
      if (choice === undefined) continue
      choices.push(choice)
      if (order !== undefined) for (const part of splitChoice(choice, order)) this.ordered.push(part)
    }
  }

  /** A prompt that was blocked is answered by its refusal. Where the answer had begun, it only ends. */
  #readFeedback(feedback: Fields, choices: PartialChunkChoice[]): void {
    const reason = textOf(feedback.blockReason)
    if (reason === undefined || unspecified.test(reason) || this.#blocked) return
    this.#blocked = true
    if (this.#candidates.size === 0) {
      const refusal = textOf(feedback.blockReasonMessage) ?? `The prompt was blocked (${reason}).`
      choices.push({ index: 0, delta: { refusal }, finish_reason: 'content_filter' })
    }
    for (const [index, { finished }] of this.#candidates) {
      if (!finished) choices.push({ index, delta: {}, finish_reason: 'content_filter' })
    }
  }
}

function throwRefusal(value: Fields): void {
  const refusal = errorInStream(value)
  if (refusal !== undefined) throw withGoogleDetails(refusal, value)
}
