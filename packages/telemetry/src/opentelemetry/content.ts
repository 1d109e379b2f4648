import type { Attributes } from '@opentelemetry/api'
import type { ChatRequest } from '@sluice/core'
import type { Message, Tool, ToolCall } from '@sluice/core/provider'
import { attributes as names, ownAttributes } from './names.ts'

/** Returns the messages and tools of a request by the conventions. Images, audio and files are named without their data. */
export function inputContent({ messages, tools }: ChatRequest): Attributes {
  // The last messages matter most.
  const input = truncateJson(messages.map(messageOf), 'last')
  const offered = tools === undefined ? undefined : truncateJson(tools.map(toolOf), 'first')
  const truncated = input.truncated || offered?.truncated === true
  return {
    [names.inputMessages]: input.text,
    [names.toolDefinitions]: offered?.text,
    [ownAttributes.contentTruncated]: truncated ? true : undefined,
  }
}

function messageOf(message: Message): object {
  const { role, content } = message
  if (role === 'tool') {
    const response = typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('')
    return { role, parts: [{ type: 'tool_call_response', id: message.tool_call_id, response }] }
  }
  if (role === 'function') {
    return { role: 'tool', parts: [{ type: 'tool_call_response', id: null, response: content }] }
  }
  const parts = partsOf(content)
  return {
    role: role === 'developer' ? 'system' : role,
    parts: role === 'assistant' ? [...parts, ...(message.tool_calls ?? []).map(callOf)] : parts,
  }
}

function partsOf(content: Message['content']): readonly object[] {
  if (content === undefined || content === null) return []
  if (typeof content === 'string') return [{ type: 'text', content }]
  return content.map(part => {
    if (part.type === 'text') return { type: 'text', content: part.text }
    if (part.type === 'refusal') return { type: 'text', content: part.refusal }
    return { type: part.type }
  })
}

function callOf(call: ToolCall): object {
  const { name, arguments: given } =
    call.type === 'function' ? call.function : { name: call.custom.name, arguments: call.custom.input }
  return { type: 'tool_call', id: call.id, name, arguments: given }
}

function toolOf(tool: Tool): object {
  const { type } = tool
  if (type !== 'function') return { type, name: tool.custom.name }
  const { name, description, parameters } = tool.function
  return { type, name, description, parameters }
}

/** The size of a content attribute, in bytes of UTF-8. */
const maxContentBytes = 65_536

const encoder = new TextEncoder()

/**
 * Returns a list as JSON of at most `maxBytes` bytes. `keep` says which members stay where not all fit: the first or the
 * last ones.
 */
export function truncateJson(
  members: readonly object[],
  keep: 'first' | 'last',
  maxBytes: number = maxContentBytes,
): { readonly text: string; readonly truncated: boolean } {
  const texts: string[] = []
  let remaining = maxBytes - 1
  const ordered = keep === 'first' ? members : members.toReversed()
  for (const member of ordered) {
    const text = JSON.stringify(member)
    remaining -= encoder.encode(text).byteLength + 1
    if (remaining < 0) break
    texts.push(text)
  }
  if (keep === 'last') texts.reverse()
  return { text: `[${texts.join(',')}]`, truncated: texts.length < members.length }
}
