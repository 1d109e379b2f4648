import type {
  AssistantMessage,
  FilePart,
  ImagePart,
  JsonObject,
  JsonValue,
  Message,
  RefusalPart,
  TextPart,
  ToolCall,
  UserPart,
} from '../protocol/chat.ts'
import { extraMembers, isObject, messageMembers, partMembers } from './extra-members.ts'
import type {
  CallTurnPart,
  FileTurnPart,
  ImageTurnPart,
  OpaqueTurnPart,
  ReasoningTurnPart,
  ResultPart,
  Turn,
  TurnPart,
  TurnRole,
} from './turns.ts'

/**
 * Returns the messages of a chat completion as turns, one for each message. Members that the protocol does not name are in
 * `extra`, and parts of unknown types are opaque.
 *
 * `turnsToChat` gives the same messages back, except: optional members that are `null`, empty `reasoning_content` and
 * `reasoning_details`, and entries of `reasoning_details` that are no objects are left out; an array with one plain text
 * becomes that text, and an empty array an empty text; absent `content` of an assistant becomes `null`; a single refusal at
 * the end of `content` becomes `refusal`, and one of several in `refusal` the end of `content`; an assistant's message
 * without content is left out.
 */
export function chatToTurns(messages: readonly Message[]): readonly Turn[] {
  return messages.map((message, index) => turnOf(message, `messages[${index}]`))
}

function turnOf(message: Message, path: string): Turn {
  switch (message.role) {
    case 'assistant':
      return turn('assistant', assistantParts(message, path), path, message.name, assistantExtra(message))
    case 'tool': {
      const parts = resultParts(message.content, path)
      const { name } = message as { readonly name?: unknown }
      return turn(
        'tool',
        [{ kind: 'result', callId: message.tool_call_id, parts, path }],
        path,
        name,
        extraMembers(message, typeof name === 'string' ? namedToolMembers : messageMembers.tool),
      )
    }
    case 'function': {
      const parts = resultParts(message.content, path)
      return turn(
        'tool',
        [{ kind: 'result', callId: '', parts, path, legacy: true }],
        path,
        message.name,
        extraMembers(message, messageMembers.function),
      )
    }
    default:
      return turn(
        message.role,
        contentParts(message.content, path),
        path,
        message.name,
        extraMembers(message, messageMembers[message.role]),
      )
  }
}

/** The protocol has no name here, but clients send that of the function. */
const namedToolMembers = { ...messageMembers.tool, name: true } as const

function turn(
  role: TurnRole,
  parts: readonly TurnPart[],
  path: string,
  name: unknown,
  extra: JsonObject | undefined,
): Turn {
  const plain: Turn = typeof name === 'string' ? { role, parts, path, name } : { role, parts, path }
  return withExtra(plain, extra)
}

function assistantParts(message: AssistantMessage, path: string): readonly TurnPart[] {
  const { content, refusal, audio, tool_calls: calls, function_call: legacyCall } = message
  const reasoning = reasoningPart(message, path)
  const parts: TurnPart[] = reasoning === undefined ? [] : [reasoning]
  if (typeof content === 'string') parts.push({ kind: 'text', text: content, path: `${path}.content` })
  else for (const part of contentParts(content, path)) parts.push(part)
  if (refusal) parts.push({ kind: 'refusal', text: refusal, path: `${path}.refusal` })
  if (audio) {
    const extra = extraMembers(audio, partMembers.audio)
    parts.push(withExtra({ kind: 'audio', id: audio.id, path: `${path}.audio` }, extra))
  }
  if (calls) for (const [index, call] of calls.entries()) parts.push(callPart(call, path, index))
  if (legacyCall) {
    const { name, arguments: text } = legacyCall
    const call: CallTurnPart = {
      kind: 'call',
      id: '',
      tool: 'function',
      name,
      arguments: text,
      path: `${path}.function_call`,
      legacy: true,
    }
    parts.push(withExtra(call, extraMembers(legacyCall, partMembers.function_call)))
  }
  return parts
}

/** Fields beyond the protocol, which come unchecked. */
interface ReasoningMembers {
  readonly reasoning_content?: unknown
  readonly reasoning_details?: unknown
}

/** Its members are those of the message, so its path is that of the message. */
function reasoningPart(message: AssistantMessage, path: string): ReasoningTurnPart | undefined {
  const { reasoning_content: content, reasoning_details: list } = message as ReasoningMembers
  if (content === undefined && list === undefined) return undefined
  const text = typeof content === 'string' && content !== '' ? content : undefined
  const details: readonly JsonObject[] = Array.isArray(list) ? list.filter(isObject) : []
  if (text === undefined && details.length === 0) return undefined
  return { kind: 'reasoning', ...(text === undefined ? {} : { text }), details, path }
}

function assistantExtra(message: AssistantMessage): JsonObject | undefined {
  const extra = extraMembers(message, messageMembers.assistant)
  if (extra === undefined) return undefined
  const { reasoning_content: content, reasoning_details: list, ...rest } = extra
  if (content === undefined && list === undefined) return extra
  const odd = {
    ...rest,
    ...(content == null || typeof content === 'string' ? {} : { reasoning_content: content }),
    ...(list == null || Array.isArray(list) ? {} : { reasoning_details: list }),
  }
  return Object.keys(odd).length === 0 ? undefined : odd
}

function callPart(call: ToolCall, path: string, index: number): TurnPart {
  const { id } = call
  const at = `${path}.tool_calls[${index}]`
  switch (call.type) {
    case 'function': {
      const { name, arguments: text } = call.function
      return withExtra<CallTurnPart>(
        { kind: 'call', id, tool: 'function', name, arguments: text, path: at },
        extraMembers(call, partMembers.function),
      )
    }
    case 'custom': {
      const { name, input } = call.custom
      return withExtra<CallTurnPart>(
        { kind: 'call', id, tool: 'custom', name, arguments: input, path: at },
        extraMembers(call, partMembers.custom),
      )
    }
    default:
      return opaquePart(call, at)
  }
}

type ContentPart = UserPart | RefusalPart

function contentParts(
  content: string | readonly ContentPart[] | null | undefined,
  path: string,
): readonly TurnPart[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content, path: `${path}.content` }]
  return (content ?? []).map((part, index) => contentPart(part, `${path}.content[${index}]`))
}

/** Tools give texts only. */
function resultParts(content: string | readonly TextPart[] | null, path: string): readonly ResultPart[] {
  return contentParts(content, path) as readonly ResultPart[]
}

function contentPart(part: ContentPart, path: string): TurnPart {
  switch (part.type) {
    case 'text':
      return withExtra({ kind: 'text', text: part.text, path }, extraMembers(part, partMembers.text))
    case 'refusal':
      return withExtra({ kind: 'refusal', text: part.refusal, path }, extraMembers(part, partMembers.refusal))
    case 'image_url':
      return imagePart(part, path)
    case 'input_audio': {
      const { data, format } = part.input_audio
      return withExtra({ kind: 'audio', data, format, path }, extraMembers(part, partMembers.input_audio))
    }
    case 'file':
      return filePart(part, path)
    default:
      return opaquePart(part, path)
  }
}

function imagePart(part: ImagePart, path: string): ImageTurnPart {
  const { url, detail } = part.image_url
  return withExtra<ImageTurnPart>(
    { kind: 'image', url, path, ...(detail == null ? {} : { detail }) },
    extraMembers(part, partMembers.image_url),
  )
}

function filePart(part: FilePart, path: string): FileTurnPart {
  const { file_data: data, file_id: fileId, filename } = part.file
  return withExtra<FileTurnPart>(
    {
      kind: 'file',
      path,
      ...(data == null ? {} : { data }),
      ...(fileId == null ? {} : { fileId }),
      ...(filename == null ? {} : { filename }),
    },
    extraMembers(part, partMembers.file),
  )
}

/** Of a type that a server beyond the protocol takes, such as a video. */
function opaquePart(part: object, path: string): OpaqueTurnPart {
  return { kind: 'opaque', dialect: 'chat', value: part as JsonValue, path }
}

function withExtra<T extends Turn | TurnPart>(part: T, extra: JsonObject | undefined): T {
  return extra === undefined ? part : { ...part, extra }
}
