import type { Message } from '@sluice/core'
import { cannotSend } from '../parameters/adjusting.ts'

/**
 * Refuses a conversation that does not begin with the user, or that ends with the assistant where the model does
 * not go on with its own words. Throws `GatewayError` (400).
 *
 * @param turns - what is sent.
 * @param messages - the caller's, for the path of the one at fault.
 */
export function checkEnds(
  turns: readonly { readonly role: string }[],
  messages: readonly Message[],
  prefill: boolean,
): void {
  const first = turns[0]
  if (first === undefined) {
    throw cannotSend(
      'messages',
      "Unsupported value: 'messages' holds no words of the user, which this model needs.",
    )
  }
  if (first.role === 'assistant') {
    const param = `messages[${messages.findIndex(({ role }) => role === 'assistant')}]`
    throw cannotSend(
      param,
      `Unsupported value: '${param}' begins the conversation, and this model takes only conversations that begin with the user.`,
    )
  }
  if (turns.at(-1)?.role === 'assistant' && !prefill) {
    const param = `messages[${messages.findLastIndex(({ role }) => role === 'assistant')}]`
    throw cannotSend(
      param,
      `Unsupported value: '${param}' ends the conversation, and this model does not go on with words of the assistant. End with a message of the user.`,
    )
  }
}
