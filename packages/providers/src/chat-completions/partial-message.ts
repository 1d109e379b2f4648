import type { JsonObject, PartialMessage } from '@sluice/core/provider'
import { type Fields, isFields, objectsOf, textOf } from '../wire/json-value.ts'
import { partialFunctionCall, partialToolCalls } from './partial-tool-calls.ts'

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

/**
 * What a message says, or what a delta adds, in one form for all vendors: only what is there, extra keys
 * dropped, reasoning under one name.
 */
export function partialMessage(raw: Fields): PartialMessage {
  const message: Writable<PartialMessage> = {}
  let reasoning = textOf(raw.reasoning_content) ?? textOf(raw.reasoning)
  const { content } = raw
  if (typeof content === 'string') {
    if (content !== '') message.content = content
  } else if (Array.isArray(content)) {
    const parts = partsOf(content)
    if (parts.text !== '') message.content = parts.text
    if (parts.thinking !== '') reasoning ??= parts.thinking
  }
  if (typeof raw.refusal === 'string' && raw.refusal !== '') message.refusal = raw.refusal
  const details = objectsOf(raw.reasoning_details)
  if (details !== undefined) {
    message.reasoning_details = details as readonly JsonObject[]
    reasoning ??= textOf(details.map(detailText).join(''))
  }
  if (reasoning !== undefined) message.reasoning_content = reasoning
  const annotations = objectsOf(raw.annotations)
  if (annotations !== undefined) message.annotations = annotations as readonly JsonObject[]
  const calls = partialToolCalls(raw.tool_calls)
  if (calls !== undefined) message.tool_calls = calls
  const call = partialFunctionCall(raw.function_call)
  if (call !== undefined) message.function_call = call
  if (isFields(raw.audio) && Object.values(raw.audio).some(Boolean)) message.audio = raw.audio as JsonObject
  return message
}

/** Whether nothing is said. */
export function isEmptyMessage(message: PartialMessage): boolean {
  for (const _key in message) return false
  return true
}

/** Mistral answers in content parts where it thinks: text, and thinking that is text or parts again. */
function partsOf(content: readonly unknown[]): { text: string; thinking: string } {
  let text = ''
  let thinking = ''
  for (const part of content) {
    if (typeof part === 'string') text += part
    else if (isFields(part)) {
      if (part.type === 'thinking') thinking += inner(part.thinking)
      else if (typeof part.text === 'string') text += part.text
    }
  }
  return { text, thinking }
}

function inner(thinking: unknown): string {
  if (typeof thinking === 'string') return thinking
  return Array.isArray(thinking) ? partsOf(thinking).text : ''
}

function detailText(detail: Fields): string {
  return textOf(detail.text) ?? textOf(detail.summary) ?? ''
}
