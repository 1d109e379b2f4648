import type * as z from 'zod/mini'
import type { AssistantMessage, Message, UserPart } from '../../protocol/chat.ts'
import { either, list, object, type SchemaIssue, tagged, where } from '../../validation/container-schemas.ts'
import { maybe, name, nullable, oneOf, only, text } from '../../validation/scalar-schemas.ts'
import { urlIssue } from '../../validation/url-issue.ts'

const maxContentLength = 10_485_760
const listOfParts = 'an array of objects'
const textOrParts = 'one of a string or array of objects'

const textPart = object({ type: only('text'), text: text() })

/** A list of text parts. */
export const textParts = list(tagged('type', { text: textPart }), listOfParts)

const assistantParts = list(
  tagged('type', { text: textPart, refusal: object({ type: only('refusal'), refusal: text() }) }),
  listOfParts,
)

export const userPart = tagged('type', {
  text: textPart,
  image_url: object({
    type: only('image_url'),
    image_url: object({ url: where(text(), urlIssue), detail: maybe(oneOf(['auto', 'low', 'high'])) }),
  }),
  input_audio: object({
    type: only('input_audio'),
    input_audio: object({ data: text(), format: oneOf(['wav', 'mp3']) }),
  }),
  file: object({
    type: only('file'),
    file: object({ file_id: maybe(text()), file_data: maybe(text()), filename: maybe(text()) }),
  }),
}) satisfies z.ZodMiniType<UserPart>

const functionCall = object({ name: text(), arguments: text() })

export const toolCall = tagged('type', {
  function: object({ id: text(), type: only('function'), function: functionCall }),
  custom: object({
    id: text(),
    type: only('custom'),
    custom: object({ name: text(), input: text() }),
  }),
})

/** One message, by its role. */
export function messageSchema(live: boolean): z.ZodMiniType<Message> {
  const string = live ? text(maxContentLength) : text()
  const author = maybe(live ? name() : text())
  const textual = either(textOrParts, { string, array: textParts })
  /** The live profile accepts `null` here and rejects it last, with its own message (see live-rules.ts). */
  const required = <T extends z.ZodMiniType>(schema: T): T =>
    live ? (maybe(schema) as unknown as T) : schema
  const assistant = object({
    role: only('assistant'),
    content: maybe(nullable(either(textOrParts, { string, array: assistantParts }))),
    refusal: maybe(nullable(string)),
    name: author,
    audio: maybe(nullable(object({ id: text() }))),
    tool_calls: maybe(list(toolCall, listOfParts, live ? 1 : 0)),
    function_call: maybe(nullable(functionCall)),
  })
  return tagged('role', {
    system: object({ role: only('system'), content: required(textual), name: author }),
    assistant: live ? assistant : where(assistant, missingContentIssue),
    user: object({
      role: only('user'),
      content: required(either(textOrParts, { string, array: list(userPart, listOfParts) })),
      name: author,
    }),
    function: object({ role: only('function'), name: text(), content: nullable(string) }),
    tool: object({ role: only('tool'), content: required(textual), tool_call_id: text() }),
    developer: object({ role: only('developer'), content: textual, name: author }),
  })
}

/** An assistant message needs content, unless it has tool calls or another field instead. */
export function missingContentIssue(message: AssistantMessage): SchemaIssue | undefined {
  if (message.content !== undefined || hasOtherContent(message)) return undefined
  return {
    reason: 'missing_required_parameter',
    message: path => `Missing required parameter: '${path}.content'.`,
    param: path => `${path}.content`,
  }
}

/** Whether an assistant message has another field instead of content. */
export function hasOtherContent({ tool_calls, function_call, refusal, audio }: AssistantMessage): boolean {
  const hasCalls = Array.isArray(tool_calls) && tool_calls.length > 0
  return hasCalls || [function_call, refusal, audio].some(value => value !== undefined && value !== null)
}
