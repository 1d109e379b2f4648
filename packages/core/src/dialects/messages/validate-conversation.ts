import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { shorten } from '../../protocol/error-messages.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'
import { invalid, missing, wrongType } from './invalid.ts'
import { strictVersion } from './wire-names.ts'

/**
 * Checks the system text and the messages of a request, and that each result of a tool has its call in the turn before it.
 * Blocks of unknown types are valid. Throws `GatewayError` (400).
 *
 * @param strict - whether it has to be valid in the strict version of the protocol.
 */
export function checkConversation(body: JsonObject, strict: boolean): void {
  const system = jsonMember(body, 'system') ?? undefined
  if (system !== undefined) checkSystem(system)
  /** The ids of the calls in the last turn of the assistant. */
  let calls = new Set<string>()
  let lastRole: unknown
  for (const [index, message] of jsonItems(jsonMember(body, 'messages')).entries()) {
    const path = `messages[${index}]`
    const role = checkMessage(message, path)
    const blocks = jsonItems(jsonMember(message, 'content'))
    if (strict) checkStrict(role, blocks, path)
    if (role === 'assistant') {
      if (lastRole !== 'assistant') calls = new Set()
      for (const id of callIds(blocks)) calls.add(id)
    } else if (role === 'user') checkResults(blocks, calls, path)
    // A system message does not end a turn.
    if (role !== 'system') lastRole = role
  }
}

/** Checks what only older versions take: documents of the assistant, and citations in the text of a user. */
function checkStrict(role: string, blocks: readonly JsonValue[], path: string): void {
  const odd = role === 'assistant' ? isDocument : role === 'user' ? isCited : undefined
  const index = odd === undefined ? -1 : blocks.findIndex(odd)
  if (index === -1) return
  const what = role === 'assistant' ? 'documents of the assistant are' : 'citations in the text of a user are'
  throw invalid(`${path}.content[${index}]`, `${what} not supported with version ${strictVersion}`)
}

function isDocument(block: JsonValue): boolean {
  return jsonMember(block, 'type') === 'document'
}

function isCited(block: JsonValue): boolean {
  return jsonMember(block, 'type') === 'text' && (jsonMember(block, 'citations') ?? null) !== null
}

function checkSystem(system: JsonValue): void {
  if (typeof system === 'string') return
  if (!Array.isArray(system)) throw wrongType('system', 'a valid string or a list of blocks')
  for (const [index, block] of system.entries()) checkBlock(block, `system[${index}]`)
}

function checkMessage(message: JsonValue, path: string): string {
  if (!isObject(message)) throw wrongType(path, 'an object')
  const role = jsonMember(message, 'role') ?? undefined
  if (role === undefined) throw missing(`${path}.role`)
  if (role !== 'user' && role !== 'assistant' && role !== 'system') {
    throw wrongType(`${path}.role`, "'user', 'assistant' or 'system'")
  }
  const content = jsonMember(message, 'content') ?? undefined
  if (content === undefined) throw missing(`${path}.content`)
  if (typeof content === 'string') return role
  if (!Array.isArray(content)) throw wrongType(`${path}.content`, 'a valid string or a list of blocks')
  for (const [index, block] of content.entries()) checkBlock(block, `${path}.content[${index}]`)
  return role
}

function checkBlock(block: JsonValue, path: string): void {
  if (!isObject(block)) throw wrongType(path, 'an object')
  const type = jsonMember(block, 'type') ?? undefined
  if (type === undefined) throw missing(`${path}.type`)
  switch (type) {
    case 'text':
      checkText(block, 'text', path)
      break
    case 'image':
      checkSource(block, path)
      break
    case 'document':
      checkSource(block, path)
      break
    case 'search_result':
      checkText(block, 'source', path)
      checkText(block, 'title', path)
      break
    case 'tool_use':
      checkText(block, 'id', path)
      checkText(block, 'name', path)
      checkInput(block, path)
      break
    case 'tool_result':
      checkResult(block, path)
      break
    case 'thinking':
      checkText(block, 'thinking', path)
      checkText(block, 'signature', path)
      break
    case 'redacted_thinking':
      checkText(block, 'data', path)
      break
    default:
      if (typeof type !== 'string') throw wrongType(`${path}.type`, 'a valid string')
  }
}

function checkText(block: JsonObject, name: string, path: string): void {
  const value = jsonMember(block, name) ?? undefined
  if (value === undefined) throw missing(`${path}.${name}`)
  if (typeof value !== 'string') throw wrongType(`${path}.${name}`, 'a valid string')
}

/** The texts that a source of a type needs. A source of another type is for a vendor that knows it. */
const sourceTexts: ReadonlyMap<unknown, readonly string[]> = new Map<unknown, readonly string[]>([
  ['base64', ['media_type', 'data']],
  ['text', ['data']],
  ['url', ['url']],
  ['file', ['file_id']],
])

function checkSource(block: JsonObject, path: string): void {
  const source = jsonMember(block, 'source') ?? undefined
  if (source === undefined) throw missing(`${path}.source`)
  if (!isObject(source)) throw wrongType(`${path}.source`, 'an object')
  const type = jsonMember(source, 'type') ?? undefined
  if (type === undefined) throw missing(`${path}.source.type`)
  for (const name of sourceTexts.get(type) ?? []) checkText(source, name, `${path}.source`)
}

function checkInput(block: JsonObject, path: string): void {
  const input = jsonMember(block, 'input') ?? undefined
  if (input === undefined) throw missing(`${path}.input`)
  if (!isObject(input)) throw wrongType(`${path}.input`, 'an object')
}

function checkResult(block: JsonObject, path: string): void {
  checkText(block, 'tool_use_id', path)
  const failed = jsonMember(block, 'is_error') ?? undefined
  if (failed !== undefined && typeof failed !== 'boolean')
    throw wrongType(`${path}.is_error`, 'a valid boolean')
  const content = jsonMember(block, 'content') ?? undefined
  if (content === undefined || typeof content === 'string') return
  if (!Array.isArray(content)) throw wrongType(`${path}.content`, 'a valid string or a list of blocks')
  for (const [index, inner] of content.entries()) {
    const at = `${path}.content[${index}]`
    // Results do not hold results, so that nothing here is recursive.
    if (jsonMember(inner, 'type') === 'tool_result')
      throw invalid(`${at}.type`, "Input tag 'tool_result' is not expected")
    checkBlock(inner, at)
  }
}

function callIds(blocks: readonly JsonValue[]): string[] {
  return blocks.flatMap(block => {
    const id = jsonMember(block, 'type') === 'tool_use' ? jsonMember(block, 'id') : undefined
    return typeof id === 'string' ? [id] : []
  })
}

function checkResults(blocks: readonly JsonValue[], calls: ReadonlySet<string>, path: string): void {
  for (const [index, block] of blocks.entries()) {
    if (jsonMember(block, 'type') !== 'tool_result') continue
    const id = String(jsonMember(block, 'tool_use_id'))
    if (calls.has(id)) continue
    throw invalid(
      `${path}.content[${index}]`,
      `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${shorten(id)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
    )
  }
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
