import type { Message } from '@sluice/core/provider'

const form = /^[a-zA-Z0-9]{9}$/

/** Renames tool call ids to nine letters and digits, as Mistral requires. Calls and results still match. */
export function withShortToolCallIds(messages: readonly Message[]): readonly Message[] {
  const given = new Set<string>()
  for (const message of messages) for (const id of idsOf(message)) given.add(id)
  if ([...given].every(id => form.test(id))) return messages
  const renamed = new Map<string, string>()
  let count = 0
  for (const id of given) {
    let fresh = id
    while (!form.test(fresh) || (fresh !== id && given.has(fresh)))
      fresh = `c${(count++).toString(36).padStart(8, '0')}`
    renamed.set(id, fresh)
  }
  return messages.map(message => {
    if (message.role === 'tool') return { ...message, tool_call_id: renamed.get(message.tool_call_id)! }
    if (message.role !== 'assistant' || message.tool_calls === undefined) return message
    return {
      ...message,
      tool_calls: message.tool_calls.map(call => ({ ...call, id: renamed.get(call.id)! })),
    }
  })
}

function idsOf(message: Message): readonly string[] {
  if (message.role === 'tool') return [message.tool_call_id]
  return message.role === 'assistant' ? (message.tool_calls ?? []).map(call => call.id) : []
}
