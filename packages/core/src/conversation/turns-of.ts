import type { ChatRequest } from '../protocol/chat.ts'
import { chatToTurns } from './chat-to-turns.ts'
import type { GenerateRequest } from './generate-request.ts'
import type { Turn } from './turns.ts'

/**
 * Returns the conversation of a call as turns, in the caller's own terms: those of `request`, or of the messages of `input`
 * if there is no request, or if a provider around this one replaced the messages.
 */
export function turnsOf(call: {
  readonly input: ChatRequest
  readonly request?: GenerateRequest
}): readonly Turn[] {
  const { request, input } = call
  if (request !== undefined && request.chat().messages === input.messages) return request.turns()
  return chatToTurns(input.messages)
}
