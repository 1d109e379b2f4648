import type { Adjustment } from '../../contracts/provider.ts'
import type { BodyEdit } from '../../conversation/body-edit.ts'
import { readerOf, whyUnread } from '../../conversation/sealed-reasoning.ts'
import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'

/** A signature, or encrypted reasoning, in a block of thinking. */
export interface SignedBlock {
  readonly message: number
  readonly block: number
  readonly member: 'signature' | 'data'
  /** Who alone can read it; `undefined` for that of a vendor, which does not tell. */
  readonly realm: string | undefined
}

/** A body without some of its signatures. */
export interface ReadableBody {
  readonly body: JsonObject
  readonly adjustments: readonly Adjustment[]
  /** Changes of other members that follow from it, for a vendor of the protocol. */
  readonly edits?: readonly BodyEdit[]
}

/** Returns the signatures and the encrypted reasoning of a body that may be invalid. */
export function signedBlocks(body: JsonObject): readonly SignedBlock[] {
  const found: SignedBlock[] = []
  for (const [message, each] of jsonItems(jsonMember(body, 'messages')).entries()) {
    if (jsonMember(each, 'role') !== 'assistant') continue
    for (const [block, value] of jsonItems(jsonMember(each, 'content')).entries()) {
      const member = signedMember(value)
      const text = member && jsonMember(value, member)
      if (member === undefined || typeof text !== 'string' || text === '') continue
      found.push({ message, block, member, realm: readerOf(text) })
    }
  }
  return found
}

function signedMember(block: JsonValue): SignedBlock['member'] | undefined {
  switch (jsonMember(block, 'type')) {
    case 'thinking':
      return 'signature'
    case 'redacted_thinking':
      return 'data'
    default:
      return undefined
  }
}

/** Returns a body with empty texts in place of some signatures, so that all blocks keep their positions. `why`: default by the realm. */
export function withoutSignatures(
  body: JsonObject,
  left: readonly SignedBlock[],
  why?: string,
): ReadableBody {
  const messages = [...jsonItems(jsonMember(body, 'messages'))]
  const adjustments: Adjustment[] = []
  let content: JsonValue[] = []
  let copied = -1
  for (const { message, block, member, realm } of left) {
    if (message !== copied) {
      const given = messages[message] as JsonObject
      content = [...jsonItems(given.content)]
      messages[message] = { ...given, content }
      copied = message
    }
    content[block] = { ...(content[block] as JsonObject), [member]: '' }
    adjustments.push({
      parameter: `messages[${message}].content[${block}].${member}`,
      action: 'dropped',
      detail: why ?? whyUnread(realm),
    })
  }
  return { body: { ...body, messages }, adjustments }
}

/**
 * Returns a body without any signatures, after a vendor refused them. With a budget for thinking, the vendor goes on with an answer
 * after a tool only if that began with a thought: then it goes on without thinking.
 */
export function withoutThoughts(body: JsonObject, left: readonly SignedBlock[]): ReadableBody {
  const readable = withoutSignatures(body, left, 'the vendor refused it')
  const hasBudget = jsonMember(jsonMember(body, 'thinking'), 'type') === 'enabled'
  const last = jsonItems(jsonMember(jsonItems(jsonMember(body, 'messages')).at(-1), 'content'))
  if (!hasBudget || !last.some(block => jsonMember(block, 'type') === 'tool_result')) return readable
  const mapped: Adjustment = { parameter: 'thinking', action: 'mapped', detail: 'disabled' }
  const edit = { path: ['thinking'], value: { type: 'disabled' } }
  const edits = [edit, ...thoughtClearing(body)]
  return { ...readable, adjustments: [...readable.adjustments, mapped], edits }
}

/** Returns what leaves out the clearing of earlier thoughts, which the vendor refuses without thinking. */
function thoughtClearing(body: JsonObject): readonly BodyEdit[] {
  const given = jsonItems(jsonMember(jsonMember(body, 'context_management'), 'edits'))
  const kept = given.filter(edit => !String(jsonMember(edit, 'type')).startsWith('clear_thinking_'))
  if (kept.length === given.length) return []
  if (kept.length === 0) return [{ path: ['context_management'], value: undefined }]
  return [{ path: ['context_management', 'edits'], value: kept }]
}
