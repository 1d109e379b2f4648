import {
  type FinishReason,
  type PartialChunk,
  type PartialChunkChoice,
  type PartialMessage,
  UpstreamError,
} from '@sluice/core/provider'
import { type Progress, truncated } from '../wire/event-chunks.ts'
import { failedGeneration, hasAnswer, isFailedGeneration } from '../wire/failed-generation.ts'
import { garbledResponse } from '../wire/garbled-response.ts'
import { countOf, type Fields, isFields } from '../wire/json-value.ts'
import { errorInBody, errorInStream } from '../wire/upstream-error-response.ts'
import type { AnswerExtras } from './answer-extras.ts'
import { failureOfReason, finishReason } from './finish-reason.ts'
import { CitationBudget, NumberedCitations } from './numbered-citations.ts'
import { withModel, withOrigin } from './partial-completion.ts'
import { partialLogprobs } from './partial-logprobs.ts'
import { isEmptyMessage, partialMessage } from './partial-message.ts'
import { partialUsage } from './partial-usage.ts'
import { addFields, ProviderFieldReader } from './provider-fields.ts'

/** What is known of one choice of a stream. */
interface ChoiceState {
  readonly index: number
  spoke: boolean
  /** It gave text or a call. */
  answered: boolean
  /** The last reason to end that it gave. */
  finish: FinishReason | null
  /** Of a server that cites by number. */
  readonly citations: NumberedCitations | undefined
}

const noChoices: readonly ChoiceState[] = []
/** No request asks for so many. */
const maxChoices = 128

/**
 * Reads the chunks of one stream. It is whole where each choice has given its reason to end, for some servers send no
 * end mark; it ends at `[DONE]`, which holds also where a choice gave no reason (Snowflake).
 */
export class ChunkReader {
  /** The failure that the last event reported, beside what it added. Nothing may be read after it. */
  failure: UpstreamError | undefined
  #choices: readonly ChoiceState[] = noChoices
  readonly #choiceCount: number
  readonly #extras: AnswerExtras | undefined
  readonly #fields: ProviderFieldReader | undefined
  readonly #citationBudget = new CitationBudget()
  /** The last event with the sources that the text cites. */
  #sources: Fields | undefined
  #ended = false
  /** The model that the last chunk named. */
  #model: unknown

  /** @param choiceCount - how many choices there have to be. */
  constructor(choiceCount: number, extras?: AnswerExtras) {
    this.#choiceCount = choiceCount
    this.#extras = extras
    if (extras?.fields !== undefined) this.#fields = new ProviderFieldReader(extras.fields, true)
  }

  get progress(): Progress {
    if (this.#ended) return 'ended'
    for (const { finish } of this.#choices) if (finish === null) return 'open'
    return this.#choices.length >= this.#choiceCount ? 'whole' : 'open'
  }

  /** `[DONE]` was seen. Throws `UpstreamError` of kind `truncated` where nothing came before it. */
  end(): void {
    if (this.#choices.length === 0) throw truncated()
    this.#ended = true
  }

  /**
   * What an event's value adds, or `undefined` where it adds nothing. An error in it is left in `failure`.
   * Throws `UpstreamError` of kind `garbled` for what is no chunk.
   */
  read(value: unknown, event: string): PartialChunk | undefined {
    if (event === 'error') {
      this.failure = errorInBody(value) ?? nameless()
    } else if (!isFields(value) || value.error || !Array.isArray(value.choices)) {
      this.failure = errorInStream(value)
    }
    if (!isFields(value)) {
      if (this.failure !== undefined) return undefined
      throw garbledResponse('an event that is no chunk')
    }
    const raw = Array.isArray(value.choices) ? value.choices : []
    const choices: PartialChunkChoice[] = []
    // Perplexity ends with an object that repeats the whole message.
    const repeats = value.object === 'chat.completion.done'
    const cites = this.#extras?.numberedCitations === true
    if (cites && (Array.isArray(value.citations) || Array.isArray(value.search_results)))
      this.#sources = value
    for (let position = 0; position < raw.length; position++) {
      const choice = this.#choice(raw[position], position, repeats)
      if (choice !== undefined) choices.push(choice)
    }
    const usage = partialUsage(value, this.#extras?.fields)
    // What comes beside a failure may describe it.
    const fields = this.failure === undefined ? this.#fields?.response(value) : undefined
    if (choices.length === 0 && fields === undefined && (usage === undefined || this.failure !== undefined))
      return undefined
    const chunk: PartialChunk = withOrigin(usage === undefined ? { choices } : { choices, usage }, value)
    addFields(chunk, fields)
    // Every chunk repeats it.
    if (value.model === this.#model) return chunk
    this.#model = value.model
    return withModel(chunk, value)
  }

  #choice(choice: unknown, position: number, repeats: boolean): PartialChunkChoice | undefined {
    if (!isFields(choice)) {
      if (this.failure !== undefined) return undefined
      throw garbledResponse('a choice that is no object')
    }
    if (choice.error) this.failure ??= errorInBody(choice)
    this.failure ??= failureOfReason(choice.finish_reason)
    const index = countOf(choice.index) ?? position
    let state = this.#choices.find(known => known.index === index)
    const isNew = state === undefined
    if (state === undefined) {
      if (index >= maxChoices) throw garbledResponse(`a choice of index ${index}`)
      const cites = this.#extras?.numberedCitations === true
      const citations = cites ? new NumberedCitations(this.#citationBudget) : undefined
      state = { index, spoke: false, answered: false, finish: null, citations }
      this.#choices = [...this.#choices, state]
    }
    const raw = rawDelta(choice, repeats, state.spoke)
    const delta: PartialMessage = raw === undefined ? {} : partialMessage(raw)
    if (!state.answered) {
      state.answered = hasAnswer(delta)
      if (!state.answered && isFailedGeneration(choice.finish_reason)) this.failure ??= failedGeneration()
    }
    // Beside a failure only words count: no reason to end, no first sight.
    const failed = this.failure !== undefined
    const reason = failed ? null : finishReason(choice.finish_reason)
    const logprobs = partialLogprobs(choice.logprobs)
    if (state.citations !== undefined && !failed) {
      const ended = reason !== null || state.finish !== null
      cite(state.citations, delta, ended ? this.#sources : undefined)
    }
    const empty = isEmptyMessage(delta)
    if (empty && failed) return undefined
    const fields = failed ? undefined : this.#fields?.choice(choice, index)
    const ofDelta = failed || raw === undefined ? undefined : this.#fields?.message(raw, index)
    const adds = !empty || fields !== undefined || ofDelta !== undefined
    if (!adds && !isNew && logprobs === undefined && (reason === null || reason === state.finish))
      return undefined
    if (!empty) state.spoke = true
    if (reason !== null) state.finish = reason
    addFields(delta, ofDelta)
    // The first delta of a choice is passed on even without content: it shows that the choice exists.
    const textless = isNew && empty && isFields(choice.delta) && choice.delta.content === null
    const read = chunkChoice(index, textless ? { ...delta, content: null } : delta, logprobs, reason)
    addFields(read, fields)
    return read
  }
}

/** Adds the annotations of a choice that has ended, if its sources are known. */
function cite(
  citations: NumberedCitations,
  delta: { annotations?: PartialMessage['annotations'] },
  sources: Fields | undefined,
): void {
  const { content, annotations } = delta as PartialMessage
  if (content) citations.add(content)
  if (sources === undefined || annotations !== undefined) return
  const cited = citations.take(sources)
  if (cited !== undefined) delta.annotations = cited
}

/** A server that answers in one piece may put the message where the delta belongs. */
function rawDelta({ delta, message }: Fields, repeats: boolean, spoke: boolean): Fields | undefined {
  if (isFields(delta) && !repeats) return delta
  return isFields(message) && !spoke ? message : undefined
}

function chunkChoice(
  index: number,
  delta: PartialMessage,
  logprobs: PartialChunkChoice['logprobs'] | undefined,
  finish_reason: FinishReason | null,
): PartialChunkChoice {
  if (logprobs === undefined)
    return finish_reason === null ? { index, delta } : { index, delta, finish_reason }
  return finish_reason === null ? { index, delta, logprobs } : { index, delta, logprobs, finish_reason }
}

function nameless(): UpstreamError {
  return new UpstreamError('The upstream ended its stream with an error.', { kind: 'refused', status: 500 })
}
