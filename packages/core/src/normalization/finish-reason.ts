import type { PartialChoice } from '../contracts/provider.ts'
import type { FinishReason } from '../protocol/chat.ts'

/**
 * Returns why a choice ended. Corrects vendors that send `stop` with a tool call, or no reason for a complete response.
 */
export function finishReason(
  given: FinishReason | null | undefined,
  toolsCalled: boolean,
  functionCalled: boolean,
): FinishReason {
  if (given != null && given !== 'stop') return given
  if (toolsCalled) return 'tool_calls'
  return functionCalled ? 'function_call' : 'stop'
}

/** Returns why a choice of a complete answer ended. */
export function choiceFinishReason({ message, finish_reason }: PartialChoice): FinishReason {
  const { tool_calls: calls } = message
  return finishReason(
    finish_reason,
    calls !== undefined && calls.length > 0,
    message.function_call !== undefined,
  )
}
