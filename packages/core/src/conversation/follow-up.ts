import { ChatGenerateRequest } from './chat-generate-request.ts'
import type { GenerateRequest } from './generate-request.ts'
import type { Turn } from './turns.ts'
import { TurnsGenerateRequest } from './turns-generate-request.ts'

/** Returns a request that continues another one: with the text that the model answered, and a message of the user after it. */
export function followUp(request: GenerateRequest, answer: string, message: string): GenerateRequest {
  if (request.dialect === 'chat') {
    const { messages, ...settings } = request.chat()
    const further = [
      { role: 'assistant', content: answer },
      { role: 'user', content: message },
    ] as const
    return new ChatGenerateRequest({ ...settings, messages: [...messages, ...further] }, request.body)
  }
  const turns = request.turns()
  const turnOf = (role: 'assistant' | 'user', text: string, at: number): Turn => {
    const path = `messages[${at}]`
    return { role, path, parts: [{ kind: 'text', text, path: `${path}.content` }] }
  }
  return new TurnsGenerateRequest({
    dialect: request.dialect,
    body: request.body,
    settings: request.settings(),
    turns: [...turns, turnOf('assistant', answer, turns.length), turnOf('user', message, turns.length + 1)],
  })
}
