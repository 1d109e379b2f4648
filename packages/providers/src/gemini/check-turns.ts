import type { Turn } from '@sluice/core/provider'
import { cannotSend } from '../parameters/parameter-adjuster.ts'
import type { Content } from './contents.ts'
import type { GeminiModel } from './models.ts'

/**
 * Sees that a conversation does not begin with calls, which no Gemini takes, and ends with the user or with what
 * tools answered where the model does not go on with its own words. Throws `GatewayError` (400).
 */
export function checkTurns(
  contents: readonly Content[],
  given: readonly Turn[],
  { prefill }: GeminiModel,
): void {
  const first = contents[0]
  if (first?.role === 'model' && first.parts.some(part => part.functionCall !== undefined)) {
    const calling = given.find(
      ({ role, parts }) => role === 'assistant' && parts.some(({ kind }) => kind === 'call'),
    )
    const param = calling?.path ?? 'messages'
    throw cannotSend(
      param,
      `Unsupported value: '${param}' calls tools before the user has said anything, and this model takes calls only after a message of the user.`,
    )
  }
  if (contents.at(-1)?.role === 'model' && !prefill) {
    const param = given.findLast(({ role }) => role === 'assistant')?.path ?? 'messages'
    throw cannotSend(
      param,
      `Unsupported value: '${param}' ends the conversation, and this model does not go on with words of the assistant. End with a message of the user.`,
    )
  }
}
