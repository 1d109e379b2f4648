import {
  type PartialChoice,
  type PartialChunk,
  type PartialCompletion,
  UpstreamError,
} from '@sluice/core/provider'
import { finishReason } from '../chat-completions/finish-reason.ts'
import { partialUsage } from '../chat-completions/partial-usage.ts'
import { garbledResponse } from '../wire/garbled-response.ts'
import { type Fields, isFields, textOf } from '../wire/json-value.ts'
import { parseJson } from '../wire/parse-json.ts'
import { errorInBody, errorInStream } from '../wire/upstream-error-response.ts'

/** What choices have: a text, or a message as in chat completions. */
export type ChoiceForm = 'text' | 'message'

/** Parses a complete answer. Throws `UpstreamError`: `refused` for an error, `garbled` for what is no completion. */
export function parseTextCompletion(
  text: string,
  form: ChoiceForm,
): { readonly completion: PartialCompletion; readonly native: string } {
  const value = parsed(text)
  if (!isFields(value) || !Array.isArray(value.choices) || value.choices.length === 0)
    throw errorInBody(value) ?? garbledResponse('a body without choices')
  const written = form === 'text' ? value : withTexts(value)
  const { model, usage, fingerprint } = origin(value)
  const choices = (written.choices as readonly unknown[]).map((choice): PartialChoice => {
    const { index, text: content, reason } = readChoice(choice)
    return { index, message: { content }, finish_reason: reason }
  })
  return {
    completion: { choices, ...model, ...usage, ...fingerprint },
    native: form === 'text' ? text : JSON.stringify(written),
  }
}

/** Reads an event of a stream. Throws `UpstreamError`: `refused` for an error, `garbled` for what is no chunk. */
export function readTextChunk(
  data: string,
  form: ChoiceForm,
): { readonly chunk: PartialChunk; readonly native: string } {
  const value = parsed(data)
  if (!isFields(value)) throw garbledResponse('an event that is no object')
  const error = errorInStream(value)
  if (error !== undefined) throw error
  if (!Array.isArray(value.choices)) throw garbledResponse('an event without choices')
  const written = form === 'text' ? value : withTexts(value)
  const { model, usage, fingerprint } = origin(value)
  const choices = (written.choices as readonly unknown[]).map(choice => {
    const { index, text, reason } = readChoice(choice)
    return { index, delta: { content: text }, finish_reason: reason }
  })
  const line = data.includes('\n') ? data.replaceAll('\n', ' ') : data
  return {
    chunk: { choices, ...model, ...usage, ...fingerprint },
    native: form === 'text' ? line : JSON.stringify(written),
  }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch (cause) {
    throw UpstreamError.is(cause) ? cause : garbledResponse('something that is no JSON', cause)
  }
}

function origin(value: Fields) {
  const name = textOf(value.model)
  const usage = partialUsage(value)
  const fingerprint = textOf(value.system_fingerprint)
  return {
    model: name === undefined ? {} : { model: name },
    usage: usage === undefined ? {} : { usage },
    fingerprint: fingerprint === undefined ? {} : { system_fingerprint: fingerprint },
  }
}

function readChoice(choice: unknown) {
  if (!isFields(choice)) throw garbledResponse('a choice that is no object')
  const { index = 0, text } = choice
  if (typeof index !== 'number' || typeof text !== 'string') throw garbledResponse('a choice without a text')
  return { index, text, reason: finishReason(choice.finish_reason) }
}

/** Returns an answer whose choices have the text of their messages. */
function withTexts(value: Fields): Fields {
  const choices = (value.choices as readonly unknown[]).map(choice => {
    if (!isFields(choice)) throw garbledResponse('a choice that is no object')
    const { message, delta, ...others } = choice
    const content = isFields(message) ? message.content : isFields(delta) ? delta.content : undefined
    if (content !== undefined && content !== null && typeof content !== 'string')
      throw garbledResponse('a choice without a text')
    return { ...others, text: content ?? '', logprobs: null }
  })
  return { ...value, object: 'text_completion', choices }
}
