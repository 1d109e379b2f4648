import { GatewayError } from '../../errors/errors.ts'
import type { Message } from '../../protocol/chat.ts'
import { shorten } from '../../protocol/wording.ts'

const mostShown = 10
/** Nothing is added to it. */
const none = new Set<string>()

/**
 * Sees that every tool message answers a call of the assistant's message before it, and that every call is
 * answered before anything else is said (protocol section 1.1).
 */
export function checkToolPairing(messages: readonly Message[]): void {
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
  const shown = Array.from(ids).slice(0, mostShown).map(shorten)
  const rest = ids.size > mostShown ? ` and ${ids.size - mostShown} more` : ''
  return new GatewayError('invalid_request', {
    message: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${shown.join(', ')}${rest}`,
    param: `messages.[${index}].role`,
  })
}
