import type { PartialChoice, PartialCompletion, PartialMessage } from '@sluice/core/provider'
import { failedGeneration, hasAnswer, isFailedGeneration } from '../wire/failed-generation.ts'
import { garbledResponse } from '../wire/garbled-response.ts'
import { countOf, type Fields, isFields, textOf } from '../wire/json-value.ts'
import { parseCompletion } from '../wire/parse-completion.ts'
import { parseJson } from '../wire/parse-json.ts'
import { errorInBody } from '../wire/upstream-error-response.ts'
import type { AnswerExtras } from './answer-extras.ts'
import { finishReason } from './finish-reason.ts'
import { CitationBudget, NumberedCitations } from './numbered-citations.ts'
import { partialLogprobs } from './partial-logprobs.ts'
import { partialMessage } from './partial-message.ts'
import { partialUsage } from './partial-usage.ts'
import { addFields, ProviderFieldReader } from './provider-fields.ts'

/**
 * Reads a complete (non-streaming) response. Throws `UpstreamError`: `refused` for an error in its place, `garbled` for
 * anything else that is not a completion.
 */
export function partialCompletion(answer: unknown, extras?: AnswerExtras): PartialCompletion {
  const choices = isFields(answer) && Array.isArray(answer.choices) ? answer.choices : []
  if (!isFields(answer) || choices.length === 0) {
    throw errorInBody(answer) ?? garbledResponse('a body without choices')
  }
  if (answer.error) {
    const refusal = errorInBody(answer)
    if (refusal !== undefined) throw refusal
  }
  const usage = partialUsage(answer, extras?.fields)
  const read = choices.map(partialChoice)
  const completion: PartialCompletion = withModel(
    withOrigin(usage === undefined ? { choices: read } : { choices: read, usage }, answer),
    answer,
  )
  if (extras !== undefined) addExtras(completion, answer, choices as readonly Fields[], extras)
  return completion
}

/** Adds what the server says beyond the protocol. `raw`: its choices, in the order of the completion's. */
function addExtras(
  completion: PartialCompletion,
  answer: Fields,
  raw: readonly Fields[],
  { fields, numberedCitations }: AnswerExtras,
): void {
  const reader = fields === undefined ? undefined : new ProviderFieldReader(fields, false)
  const budget = new CitationBudget()
  completion.choices.forEach((choice, position) => {
    const { message } = choice
    const { message: rawMessage } = raw[position]!
    if (numberedCitations) addAnnotations(message, answer, budget)
    if (isFields(rawMessage)) addFields(message, reader?.message(rawMessage, position))
    addFields(choice, reader?.choice(raw[position]!, position))
  })
  addFields(completion, reader?.response(answer))
}

function addAnnotations(
  message: { content?: PartialMessage['content']; annotations?: PartialMessage['annotations'] },
  answer: Fields,
  budget: CitationBudget,
): void {
  if (!message.content || message.annotations !== undefined) return
  const citations = new NumberedCitations(budget)
  citations.add(message.content)
  const annotations = citations.take(answer)
  if (annotations !== undefined) message.annotations = annotations
}

function partialChoice(choice: unknown, position: number): PartialChoice {
  if (!isFields(choice)) throw garbledResponse('a choice that is no object')
  if (choice.error) {
    const refusal = errorInBody(choice)
    if (refusal !== undefined) throw refusal
  }
  // Azure leaves the message out where its filter stopped the answer.
  if (!isFields(choice.message) && choice.finish_reason !== 'content_filter')
    throw garbledResponse('a choice without a message')
  const index = countOf(choice.index) ?? position
  const message = isFields(choice.message) ? partialMessage(choice.message) : {}
  const logprobs = partialLogprobs(choice.logprobs)
  const finish_reason = finishReason(choice.finish_reason)
  if (isFailedGeneration(choice.finish_reason) && !hasAnswer(message)) throw failedGeneration()
  return logprobs === undefined
    ? { index, message, finish_reason }
    : { index, message, logprobs, finish_reason }
}

interface Origin {
  service_tier?: string
  system_fingerprint?: string
}

/** Adds the service tier and the system fingerprint. */
export function withOrigin<T extends object>(result: T & Origin, answer: Fields): T & Origin {
  const tier = textOf(answer.service_tier)
  if (tier !== undefined) result.service_tier = tier
  const fingerprint = textOf(answer.system_fingerprint)
  if (fingerprint !== undefined) result.system_fingerprint = fingerprint
  return result
}

/** Adds the model that the response names. */
export function withModel<T extends object>(
  result: T & { model?: string },
  { model }: Fields,
): T & { model?: string } {
  if (typeof model === 'string' && model !== '') result.model = model
  return result
}

/** Parses a completion from JSON. Throws `UpstreamError` for anything else. */
export function parseChatCompletion(text: string, extras?: AnswerExtras): PartialCompletion {
  return parseCompletion(text, parseJson, answer => partialCompletion(answer, extras))
}
