import type { ChatRequest, Message } from '@sluice/core/provider'

/**
 * A token: a run of up to 20 letters, marks, digits or underscores, or else a single character, in both cases
 * with one space before it. Each character of a script that is written without spaces is a token.
 */
const token =
  / ?(?:(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])[\p{L}\p{M}\p{N}_]){1,20}|[\s\S])/gu

/** Splits a text into tokens. Joined, they are the text. */
export function splitTokens(text: string): string[] {
  return text.match(token) ?? []
}

/** Counts the tokens of a text. */
export function countTokens(text: string): number {
  let count = 0
  for (token.lastIndex = 0; token.test(text); ) count++
  return count
}

/** Returns the first tokens of a text, and reads nothing after them. */
export function firstTokens(text: string, limit: number): string[] {
  const found: string[] = []
  token.lastIndex = 0
  while (found.length < limit && token.lastIndex < text.length) found.push(token.exec(text)![0])
  return found
}

/**
 * Counts a request's prompt: one token for each message and each part that is no text, the tokens of all text
 * and of the names and inputs of tool calls, and those of tools and schema as JSON.
 */
export function countPromptTokens({ messages, ...request }: ChatRequest): number {
  const schemas: unknown[] = [...(request.tools ?? []), ...(request.functions ?? [])]
  if (request.response_format?.type === 'json_schema') schemas.push(request.response_format)
  const json = schemas.reduce<number>((sum, value) => sum + countTokens(JSON.stringify(value)), 0)
  return messages.reduce((sum, message) => sum + 1 + countMessageTokens(message), json)
}

function countMessageTokens(message: Message): number {
  const media = Array.isArray(message.content) ? message.content.filter(({ type }) => type !== 'text') : []
  const count = countTokens(textOf(message.content)) + media.length
  if (message.role !== 'assistant') return count
  const { tool_calls, function_call, refusal } = message
  const calls = (tool_calls ?? []).map(call => (call.type === 'function' ? call.function : call.custom))
  const called = [...calls, ...(function_call ? [function_call] : [])]
  const texts = called.flatMap(call => [call.name, 'input' in call ? call.input : call.arguments])
  return [...texts, refusal ?? ''].reduce((sum, text) => sum + countTokens(text), count)
}

/** Returns the text of the last user message. */
export function lastUserText(messages: readonly Message[]): string {
  return textOf(messages.findLast(({ role }) => role === 'user')?.content)
}

/** Returns the text of a message's content. */
export function textOf(content: Message['content']): string {
  if (typeof content === 'string') return content
  return (content ?? []).flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n')
}
