import type { ChatRequest, Message } from '@sluice/core'
import { countTokens } from './tokens.ts'

/** What the local provider looks at in a request's messages. */
export interface Prompt {
  /** The text of the last user message; empty where there is none. */
  readonly text: string
  /** Parts of the last user message that are no text, such as `image_url`. */
  readonly otherParts: readonly string[]
  /** The text of the user message before the last one. */
  readonly earlier: string | undefined
  /** Whether the assistant has not spoken yet. */
  readonly firstContact: boolean
  /** What the tools answered after the assistant's last message; empty where the user spoke since. */
  readonly results: readonly ToolResult[]
}

export interface ToolResult {
  readonly name: string
  readonly content: string
}

/** Reads what matters to the local provider from a conversation. */
export function readPrompt(messages: readonly Message[]): Prompt {
  const users = messages.filter(message => message.role === 'user')
  const last = users.at(-1)
  const before = users.at(-2)
  return {
    text: textOf(last?.content),
    otherParts: Array.isArray(last?.content)
      ? last.content.map(part => part.type).filter(type => type !== 'text')
      : [],
    earlier: before === undefined ? undefined : textOf(before.content),
    firstContact: !messages.some(message => message.role === 'assistant'),
    results: readResults(messages),
  }
}

/**
 * Counts a request's prompt in the tokens of the local provider: one for each message, the tokens of all
 * text in the messages, of the names and arguments of tool calls, one for each part that is no text, and the
 * tokens of the tools and the answer's schema as JSON text.
 */
export function countPromptTokens(request: ChatRequest): number {
  let count = 0
  for (const message of request.messages) {
    count++
    if (typeof message.content === 'string') count += countTokens(message.content)
    else for (const part of message.content ?? []) count += part.type === 'text' ? countTokens(part.text) : 1
    if (message.role !== 'assistant') continue
    if (typeof message.refusal === 'string') count += countTokens(message.refusal)
    for (const call of message.tool_calls ?? []) {
      count += countTokens(call.type === 'function' ? call.function.name : call.custom.name)
      count += countTokens(call.type === 'function' ? call.function.arguments : call.custom.input)
    }
    if (message.function_call) {
      count += countTokens(message.function_call.name) + countTokens(message.function_call.arguments)
    }
  }
  for (const declared of [request.tools, request.functions]) {
    if (declared && declared.length > 0) count += countTokens(JSON.stringify(declared))
  }
  if (request.response_format?.type === 'json_schema')
    count += countTokens(JSON.stringify(request.response_format))
  return count
}

function textOf(content: Message['content']): string {
  if (typeof content === 'string') return content
  const texts: string[] = []
  for (const part of content ?? []) if (part.type === 'text') texts.push(part.text)
  return texts.join('\n')
}

function readResults(messages: readonly Message[]): ToolResult[] {
  const results: ToolResult[] = []
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at]
    if (message?.role === 'tool') {
      results.unshift({
        name: toolNamed(messages, message.tool_call_id) ?? 'tool',
        content: textOf(message.content),
      })
    } else if (message?.role === 'function') {
      results.unshift({ name: message.name, content: textOf(message.content) })
    } else break
  }
  return results
}

function toolNamed(messages: readonly Message[], id: string): string | undefined {
  for (const message of messages) {
    if (message.role !== 'assistant') continue
    const call = message.tool_calls?.find(call => call.id === id)
    if (call) return call.type === 'function' ? call.function.name : call.custom.name
  }
  return undefined
}
