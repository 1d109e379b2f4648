import type { JsonValue } from '../../protocol/chat.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'

/** The members of a result that hold text, in the order in which they are read. */
const textMembers = ['title', 'url', 'text', 'content', 'stdout', 'stderr', 'data'] as const

const maxDepth = 4

/** Returns the text in the result of a tool that a vendor ran, such as the pages of a search. Empty if there is none. */
export function readableText(content: JsonValue | undefined, depth = 0): string {
  if (typeof content === 'string') return content
  if (depth >= maxDepth) return ''
  if (Array.isArray(content))
    return joined(
      jsonItems(content).map(item => readableText(item, depth + 1)),
      '\n\n',
    )
  if (typeof content !== 'object' || content === null) return ''
  const isText = jsonMember(content, 'type') !== 'base64'
  const texts = textMembers.map(name => (isText ? readableText(jsonMember(content, name), depth + 1) : ''))
  return joined([...texts, readableText(jsonMember(content, 'source'), depth + 1)], '\n')
}

function joined(texts: readonly string[], separator: string): string {
  return texts.filter(text => text !== '').join(separator)
}
