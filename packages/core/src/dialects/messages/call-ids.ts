import type { JsonObject } from '../../protocol/chat.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'

/** What vendors of the protocol take as the id of a call. */
const ownForm = /^[a-zA-Z0-9_-]+$/

/** What the other form of an id begins with. */
const prefix = 'toolu_sluice1_'

/** The longest id that has another form, in UTF-16 code units. */
const maxLength = 1_024

/**
 * Returns the id of a call in a form that every vendor of the protocol takes: vendors of other protocols write ids such as
 * `functions.read:0`, and one of the protocol refuses a conversation that has them.
 */
export function writtenCallId(id: string): string {
  if (ownForm.test(id) || id.length > maxLength) return id
  const binary = String.fromCharCode(...new TextEncoder().encode(id))
  const base64 = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  return prefix + base64
}

/** Returns the id that the vendor wrote. Any other text stays as it is. */
export function givenCallId(id: string): string {
  if (!id.startsWith(prefix)) return id
  try {
    const binary = atob(id.slice(prefix.length).replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, character => character.charCodeAt(0))
    const given = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return given !== '' && writtenCallId(given) === id ? given : id
  } catch {
    return id
  }
}

/**
 * Returns the ids of the calls in a conversation, as their vendors wrote them. Some vendors number the calls of each answer from the
 * start, and those of the protocol refuse an id that is there twice.
 */
export function callIdsIn(body: JsonObject): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const message of jsonItems(jsonMember(body, 'messages'))) {
    if (jsonMember(message, 'role') !== 'assistant') continue
    for (const block of jsonItems(jsonMember(message, 'content'))) {
      const id = jsonMember(block, 'type') === 'tool_use' ? jsonMember(block, 'id') : undefined
      if (typeof id === 'string') ids.add(givenCallId(id))
    }
  }
  return ids
}
