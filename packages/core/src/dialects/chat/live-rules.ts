import { GatewayError } from '../../errors/errors.ts'
import type { ChatRequest, Message } from '../../protocol/chat.ts'
import { shorten } from '../../protocol/error-messages.ts'
import { strictSchemaIssue } from '../../validation/strict-schema.ts'
import { hasOtherContent } from './message-schema.ts'

/** Checks the rules of hosted services that span fields, for `validation: 'live'`. Throws 400. */
export function checkFieldRules(input: ChatRequest): void {
  if (input.tool_choice !== undefined && input.tools === undefined) {
    throw refusal(
      'tool_choice',
      "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
    )
  }
  if (input.max_tokens !== undefined && input.max_completion_tokens !== undefined) {
    throw new GatewayError('invalid_parameter_combination', {
      message: "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      param: 'max_tokens',
    })
  }
  if (input.top_logprobs !== undefined && input.logprobs !== true) {
    throw refusal('top_logprobs', "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.")
  }
  if (input.stream_options !== undefined && input.stream !== true) {
    throw refusal(
      'stream_options',
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    )
  }
  if (input.modalities?.includes('audio') === true && input.audio === undefined) {
    throw new GatewayError('missing_required_parameter', {
      message: "Missing required parameter: 'audio'.",
      param: 'audio',
    })
  }
}

/** Checks the rules that hosted services apply last: JSON schemas and the conversation. Throws 400. */
export function checkConversationRules(input: ChatRequest): void {
  checkStrictSchemas(input)
  checkContents(input.messages)
  checkToolPairing(input.messages)
  if (input.response_format?.type === 'json_object' && !input.messages.some(mentionsJson)) {
    throw refusal(
      'messages',
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
    )
  }
}

function checkStrictSchemas({ tools = [], response_format: format }: ChatRequest): void {
  for (const [index, tool] of tools.entries()) {
    if (tool.type !== 'function' || tool.function.strict !== true) continue
    const fault = strictSchemaIssue(tool.function.parameters)
    if (fault === undefined) continue
    throw refusal(
      `tools[${index}].function.parameters`,
      `Invalid schema for function '${tool.function.name}': ${fault}`,
    )
  }
  if (format?.type !== 'json_schema' || format.json_schema.strict !== true) return
  const fault = strictSchemaIssue(format.json_schema.schema)
  if (fault === undefined) return
  throw refusal(
    'response_format',
    `Invalid schema for response_format '${format.json_schema.name}': ${fault}`,
  )
}

function checkContents(messages: readonly Message[]): void {
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!
    if (message.content !== null && message.content !== undefined) continue
    if (message.role === 'function' || (message.role === 'assistant' && hasOtherContent(message))) continue
    throw refusal(`messages.[${index}].content`, "Invalid value for 'content': expected a string, got null.")
  }
}

function mentionsJson({ content }: Message): boolean {
  if (typeof content === 'string') return /json/i.test(content)
  return content?.some(part => part.type === 'text' && /json/i.test(part.text)) ?? false
}

function refusal(param: string, message: string): GatewayError {
  return new GatewayError('invalid_request', { message, param })
}

const maxShown = 10
/** Never modified. */
const none = new Set<string>()

/**
 * Checks that every tool message answers a call of the preceding assistant message, and that every call is answered
 * before any other message.
 */
function checkToolPairing(messages: readonly Message[]): void {
  let calls: ReadonlySet<string> = none
  let unanswered = none
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!
    if (message.role === 'tool') {
      if (!calls.has(message.tool_call_id)) throw orphan(index)
      unanswered.delete(message.tool_call_id)
      continue
    }
    if (unanswered.size > 0) throw unansweredCalls(index, unanswered)
    const made = message.role === 'assistant' ? message.tool_calls : undefined
    calls = made === undefined ? none : new Set(made.map(call => call.id))
    unanswered = made === undefined ? none : new Set(calls)
  }
  if (unanswered.size > 0) throw unansweredCalls(messages.length - 1, unanswered)
}

function orphan(index: number): GatewayError {
  return new GatewayError('invalid_request', {
    // "preceeding" is how hosted services spell it; clients match on the text.
    message:
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    param: `messages.[${index}].role`,
  })
}

function unansweredCalls(index: number, ids: ReadonlySet<string>): GatewayError {
  const shown = Array.from(ids).slice(0, maxShown).map(shorten)
  const rest = ids.size > maxShown ? ` and ${ids.size - maxShown} more` : ''
  return new GatewayError('invalid_request', {
    message: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${shown.join(', ')}${rest}`,
    param: `messages.[${index}].role`,
  })
}
