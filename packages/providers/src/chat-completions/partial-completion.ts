import type { PartialChoice, PartialCompletion } from '@sluice/core/provider'
import { failedGeneration, hasAnswer, isFailedGeneration } from '../wire/failed-generation.ts'
import { garbledResponse } from '../wire/garbled-response.ts'
import { countOf, type Fields, isFields, textOf } from '../wire/json-value.ts'
import { parseCompletion } from '../wire/parse-completion.ts'
import { parseJson } from '../wire/parse-json.ts'
import { errorInBody } from '../wire/upstream-error-response.ts'
import { finishReason } from './finish-reason.ts'
import { partialLogprobs } from './partial-logprobs.ts'
import { partialMessage } from './partial-message.ts'
import { partialUsage } from './partial-usage.ts'

/**
 * Reads a complete (non-streaming) response. Throws `UpstreamError`: `refused` for an error in its place, `garbled` for
 * anything else that is not a completion.
 */
export function partialCompletion(answer: unknown): PartialCompletion {
  const choices = isFields(answer) && Array.isArray(answer.choices) ? answer.choices : []
  if (!isFields(answer) || choices.length === 0) {
    throw errorInBody(answer) ?? garbledResponse('a body without choices')
  }
  if (answer.error) {
    const refusal = errorInBody(answer)
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
export function parseChatCompletion(text: string): PartialCompletion {
  return parseCompletion(text, parseJson, partialCompletion)
}
