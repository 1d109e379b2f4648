import type { Message } from '@sluice/core/provider'
import { cannotSend } from '../parameters/parameter-adjuster.ts'
import type { Content } from './contents.ts'
import type { GeminiModel } from './models.ts'

/**
 * Sees that a conversation does not begin with calls, which no Gemini takes, and ends with the user or with what
 * tools answered where the model does not go on with its own words. Throws `GatewayError` (400).
 */
export function checkTurns(
  contents: readonly Content[],
  messages: readonly Message[],
  { prefill }: GeminiModel,
): void {
  const first = contents[0]
  if (first?.role === 'model' && first.parts.some(part => part.functionCall !== undefined)) {
    const param = `messages[${messages.findIndex(message => message.role === 'assistant' && message.tool_calls !== undefined)}]`
    throw cannotSend(
      param,
      `Unsupported value: '${param}' calls tools before the user has said anything, and this model takes calls only after a message of the user.`,
    )
  }
  if (contents.at(-1)?.role === 'model' && !prefill) {
    const param = `messages[${messages.findLastIndex(({ role }) => role === 'assistant')}]`
    throw cannotSend(
      param,
      `Unsupported value: '${param}' ends the conversation, and this model does not go on with words of the assistant. End with a message of the user.`,
    )
  }
}
