import type { JsonObject, JsonValue } from '../protocol/chat.ts'
import type { TurnRole } from './turns.ts'

/** A text of a request that a model may read. */
export interface RequestText {
  /** Where it is in the body. An edit with this path replaces it. */
  readonly path: readonly (string | number)[]
  readonly text: string
  /** Whose text it is, as far as the request says. */
  readonly role: TurnRole | undefined
}

/**
 * Members that are settings or references in every protocol. All others may be read by a model, also those that this gateway does
 * not know.
 */
const settings: ReadonlySet<string> = new Set([
  'model',
  'models',
  'type',
  'role',
  'name',
  'status',
  'id',
  'call_id',
  'tool_call_id',
  'tool_use_id',
  'item_id',
  'file_id',
  'previous_response_id',
  'prompt_cache_key',
  'user',
  'user_id',
  'safety_identifier',
  'service_tier',
  'media_type',
  'mime_type',
  'format',
  'detail',
  'data',
  'file_data',
  'encrypted_content',
  'signature',
  'reasoning_effort',
  'include',
  'required',
  'enum',
])

const roles: Readonly<Record<string, TurnRole>> = {
  system: 'system',
  developer: 'developer',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
}

/** The roles of members at the top level of a body. */
const rolesOfMembers: Readonly<Record<string, TurnRole>> = {
  system: 'system',
  instructions: 'system',
  input: 'user',
  prompt: 'user',
  query: 'user',
  documents: 'user',
}

/**
 * Returns the texts of a request in any protocol that is JSON, in the order of the body: each string but settings, references, data
 * URLs and reasoning that its vendor has signed, which cannot be changed. Never throws for JSON within the bounds of a gateway.
 */
export function requestTexts(body: JsonObject): readonly RequestText[] {
  const found: RequestText[] = []
  const addMembers = (value: JsonObject, origin: TextOrigin): void => {
    if (isSigned(value)) return
    const role = roleOf(value) ?? origin.role
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined || (!origin.isInput && isSetting(name, member, value))) continue
      const isInput = origin.isInput || (name === 'input' && isObject(member))
      add(member, { path: [...origin.path, name], role, isInput })
    }
  }
  const add = (value: JsonValue, origin: TextOrigin): void => {
    const { path, role } = origin
    if (typeof value === 'string') {
      if (value !== '' && !value.startsWith('data:')) found.push({ path, text: value, role })
    } else if (isObject(value)) addMembers(value, origin)
    else if (Array.isArray(value)) {
      for (const [index, item] of (value as readonly JsonValue[]).entries()) {
        add(item, { ...origin, path: [...path, index] })
      }
    }
  }
  for (const [name, member] of Object.entries(body)) {
    if (member === undefined || isSetting(name, member, body)) continue
    const role = Object.hasOwn(rolesOfMembers, name) ? rolesOfMembers[name] : undefined
    add(member, { path: [name], role, isInput: false })
  }
  return found
}

interface TextOrigin {
  readonly path: RequestText['path']
  readonly role: TurnRole | undefined
  /** Whether it is in the input of a tool call, whose members are the tool's own: each is text. */
  readonly isInput: boolean
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A member that is an object is none: it may be a property of a schema with such a name. */
function isSetting(name: string, value: JsonValue, { type }: JsonObject): boolean {
  if (!settings.has(name) || isObject(value)) return false
  // The text of a document in the Messages API is its data.
  return !(name === 'data' && type === 'text')
}

const reasoning: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking', 'reasoning'])

/** Whether an object is reasoning that its vendor accepts only as it was. */
function isSigned({ type, signature, encrypted_content: encrypted }: JsonObject): boolean {
  if (typeof type !== 'string' || (typeof signature !== 'string' && typeof encrypted !== 'string'))
    return false
  return reasoning.has(type) || type.startsWith('reasoning.')
}

function roleOf({ role, type }: JsonObject): TurnRole | undefined {
  if (typeof role === 'string' && Object.hasOwn(roles, role)) return roles[role]
  if (typeof type !== 'string') return undefined
  return type === 'tool_result' || type.endsWith('_call_output') ? 'tool' : undefined
}
