import type { PartialChoice, PartialCompletion } from '@sluice/core/provider'
import { failedGeneration, hasAnswer, isFailedGeneration } from '../wire/failed-generation.ts'
import { garbled } from '../wire/garbled.ts'
import { jsonOf } from '../wire/json-of.ts'
import { countOf, type Fields, isFields, textOf } from '../wire/json-value.ts'
import { refusalWithin } from '../wire/upstream-refusal.ts'
import { wholeCompletion } from '../wire/whole-completion.ts'
import { finishReason } from './finish-reason.ts'
import { partialLogprobs } from './partial-logprobs.ts'
import { partialMessage } from './partial-message.ts'
import { partialUsage } from './partial-usage.ts'

/**
 * Reads a whole completion. Throws `UpstreamError`: of kind `refused` for an error that came in its place, of
 * kind `garbled` for anything else that is no completion.
 */
export function partialCompletion(answer: unknown): PartialCompletion {
  const choices = isFields(answer) && Array.isArray(answer.choices) ? answer.choices : []
  if (!isFields(answer) || choices.length === 0) {
    throw refusalWithin(answer) ?? garbled('a body without choices')
  }
  if (answer.error) {
    const refusal = refusalWithin(answer)
    if (refusal !== undefined) throw refusal
  }
  const usage = partialUsage(answer)
  const read = choices.map(partialChoice)
  return withModel(
    withOrigin(usage === undefined ? { choices: read } : { choices: read, usage }, answer),
    answer,
  )
}

function partialChoice(choice: unknown, position: number): PartialChoice {
  if (!isFields(choice)) throw garbled('a choice that is no object')
  if (choice.error) {
    const refusal = refusalWithin(choice)
    if (refusal !== undefined) throw refusal
  }
  // Azure leaves the message out where its filter stopped the answer.
  if (!isFields(choice.message) && choice.finish_reason !== 'content_filter')
    throw garbled('a choice without a message')
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

/** Adds what an answer tells of how it was made. */
export function withOrigin<T extends object>(result: T & Origin, answer: Fields): T & Origin {
  const tier = textOf(answer.service_tier)
  if (tier !== undefined) result.service_tier = tier
  const fingerprint = textOf(answer.system_fingerprint)
  if (fingerprint !== undefined) result.system_fingerprint = fingerprint
  return result
}

/** Adds the model that an answer names. */
export function withModel<T extends object>(
  result: T & { model?: string },
  { model }: Fields,
): T & { model?: string } {
  if (typeof model === 'string' && model !== '') result.model = model
  return result
}

/** A completion from its JSON text. Throws `UpstreamError` for anything else. */
export function completionFrom(text: string): PartialCompletion {
  return wholeCompletion(text, jsonOf, partialCompletion)
}
