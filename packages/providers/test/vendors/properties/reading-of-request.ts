import type { ChatRequest, Message, Tool, UserPart } from '@sluice/core/provider'
import type { Item, Reading, ReadTool, ReadTurn } from './reading.ts'

/** What any vendor's request has to say for a caller's: turns of two roles, results before what the user says. */
export function readingOfRequest({ messages, tools = [] }: ChatRequest): Reading {
  const turns: { role: ReadTurn['role']; results: Item[]; items: Item[] }[] = []
  for (const message of messages) {
    const items = itemsOf(message)
    if (message.role === 'system' || message.role === 'developer' || items.length === 0) continue
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    if (turns.at(-1)?.role !== role) turns.push({ role, results: [], items: [] })
    const turn = turns.at(-1)!
    if (message.role === 'tool') turn.results.push(...items)
    else turn.items.push(...items)
  }
  return {
    system: messages.flatMap(({ role, content }) =>
      role === 'system' || role === 'developer' ? textsOf(content) : [],
    ),
    turns: turns.map(({ role, results, items }) => ({ role, items: [...results, ...items] })),
    tools: tools.map(toolOf),
  }
}

function itemsOf(message: Message): Item[] {
  switch (message.role) {
    case 'user':
      return (typeof message.content === 'string' ? [textPart(message.content)] : message.content).flatMap(
        partItem,
      )
    case 'tool':
      return [{ kind: 'result', of: message.tool_call_id, text: textsOf(message.content).join('') }]
    case 'assistant': {
      const { content, refusal, tool_calls: calls = [] } = message
      const refused = (Array.isArray(content) ? content : []).flatMap(part => part.refusal ?? part.text)
      const texts = Array.isArray(content) ? refused : textsOf(content)
      return [
        ...[...texts, ...(refusal ? [refusal] : [])].flatMap(text => partItem(textPart(text))),
        ...calls.flatMap((call): Item[] =>
          call.type === 'function'
            ? [
                {
                  kind: 'call',
                  id: call.id,
                  name: call.function.name,
                  input: parsed(call.function.arguments),
                },
              ]
            : [],
        ),
      ]
    }
    default:
      return []
  }
}

function partItem(part: UserPart): Item[] {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? [] : [{ kind: 'text', text: part.text }]
    case 'image_url':
      return [{ kind: 'data', data: dataOf(part.image_url.url) }]
    case 'input_audio':
      return [{ kind: 'data', data: part.input_audio.data }]
    case 'file':
      return [{ kind: 'data', data: dataOf(part.file.file_data ?? part.file.file_id ?? '') }]
  }
}

export function dataOf(url: string): string {
  return /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1] ?? url
}

/** Empty arguments are none. */
export function parsed(json: string): unknown {
  try {
    return json.trim() === '' ? {} : JSON.parse(json)
  } catch {
    return json
  }
}

function toolOf(tool: Tool): ReadTool {
  if (tool.type === 'custom')
    return { name: tool.custom.name, description: tool.custom.description, schema: undefined }
  const { name, description, parameters } = tool.function
  return { name, description, schema: parameters }
}

function textPart(text: string): UserPart {
  return { type: 'text', text }
}

function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return content === '' ? [] : [content]
  return Array.isArray(content) ? content.map(({ text }) => text as string) : []
}
