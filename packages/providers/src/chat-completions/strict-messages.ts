import type { AssistantMessage, Message, ToolCall } from '@sluice/core'

/**
 * The messages without what an earlier answer carried and a strict vendor rejects when it comes back:
 * reasoning, annotations, an empty refusal, a vendor's own extras.
 */
export function strictMessages(messages: readonly Message[]): readonly Message[] {
  return messages.map(message => (message.role === 'assistant' ? strict(message) : message))
}

function strict({
  role,
  content,
  name,
  refusal,
  audio,
  tool_calls,
  function_call,
}: AssistantMessage): AssistantMessage {
  return {
    role,
    ...(content === undefined ? {} : { content }),
    ...(name === undefined ? {} : { name }),
    ...(refusal === undefined || refusal === null ? {} : { refusal }),
    ...(audio === undefined || audio === null ? {} : { audio }),
    ...(tool_calls === undefined ? {} : { tool_calls: tool_calls.map(plain) }),
    ...(function_call === undefined || function_call === null ? {} : { function_call }),
  }
}

function plain(call: ToolCall): ToolCall {
  const { id } = call
  return call.type === 'custom'
    ? { id, type: call.type, custom: call.custom }
    : { id, type: call.type, function: call.function }
}
