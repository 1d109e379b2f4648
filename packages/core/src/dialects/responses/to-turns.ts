import type { RestoredState } from '../../contracts/draft.ts'
import { openReasoning, type SealedReasoning } from '../../conversation/sealed-reasoning.ts'
import type {
  AudioTurnPart,
  CallTurnPart,
  ReasoningTurnPart,
  ResultPart,
  Turn,
  TurnPart,
  TurnRole,
} from '../../conversation/turns.ts'
import type { ConversationLoss } from '../../conversation/turns-to-chat.ts'
import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'
import { type ItemKind, itemKinds, itemType } from './item-types.ts'
import { type Loss, losses, lossOfType } from './losses.ts'
import { turnPathOf } from './own-path.ts'
import type { NamedTool } from './tool-names.ts'
import type { ReadTools } from './tools.ts'
import { ownReasoningFormat } from './wire-names.ts'

/** A conversation as turns, with what they cannot express. */
export interface ResponsesConversation {
  readonly turns: readonly Turn[]
  readonly losses: readonly ConversationLoss[]
}

/**
 * Returns the conversation of a body as turns: the items between two messages of the user or results of tools are one turn of the
 * assistant, and results follow the turn of their call, as most vendors require. It never throws: what is invalid is left out,
 * and is for a validation to refuse.
 */
export function responsesToTurns(
  body: JsonObject,
  { nameOf }: Pick<ReadTools, 'nameOf'>,
  restored?: RestoredState,
): ResponsesConversation {
  const input = jsonMember(body, 'input')
  const reader = new TurnsReader(jsonItems(input), nameOf)
  const instructions = textOf(body, 'instructions')
  if (instructions !== '')
    reader.addTurn('system', [{ kind: 'text', text: instructions, path: 'instructions' }], 'instructions')
  if (typeof input === 'string' && input !== '')
    reader.addTurn('user', [{ kind: 'text', text: input, path: 'input' }], 'input')
  for (const [index, item] of jsonItems(input).entries()) reader.addItem(item, turnPathOf(index, restored))
  return reader.end()
}

const textMembers = { text: 'text' } as const
const imageMembers = {
  image_url: 'image_url',
  'image_url.url': 'image_url',
  'image_url.detail': 'detail',
} as const
const audioMembers = {
  'input_audio.data': 'input_audio.data',
  'input_audio.format': 'input_audio.format',
} as const
const fileMembers = { 'file.file_data': 'file_data', 'file.filename': 'filename' } as const
const functionMembers = { 'function.name': 'name', 'function.arguments': 'arguments', id: 'call_id' } as const
const customMembers = { 'function.name': 'name', 'function.arguments': 'input', id: 'call_id' } as const
const callMembers = { id: 'call_id' } as const
const resultMembers = { tool_call_id: 'call_id', content: 'output' } as const
const reasoningMembers = { reasoning_content: 'content', reasoning_details: 'encrypted_content' } as const

const messageRoles: ReadonlySet<unknown> = new Set(['system', 'developer', 'user'])

class TurnsReader {
  readonly #turns: Turn[] = []
  readonly #losses: ConversationLoss[] = []
  readonly #nameOf: ReadTools['nameOf']
  /** What is sealed in each item of reasoning. */
  readonly #sealed = new Map<JsonValue, SealedReasoning>()
  /** What came with calls, by the id of the call. */
  readonly #extras = new Map<string, JsonObject>()
  /** The parts of the assistant's turn at the end, if there is one. */
  #open: TurnPart[] | undefined

  constructor(items: readonly JsonValue[], nameOf: ReadTools['nameOf']) {
    this.#nameOf = nameOf
    for (const item of items) {
      const sealed = sealedOf(item)
      if (sealed === undefined) continue
      this.#sealed.set(item, sealed)
      for (const [id, extra] of sealed.calls) this.#extras.set(id, extra)
    }
  }

  addTurn(role: TurnRole, parts: TurnPart[], path: string): void {
    this.#open = role === 'assistant' ? parts : undefined
    this.#turns.push({ role, parts, path })
  }

  /** Returns the conversation, with each result behind the turn of its call. */
  end(): ResponsesConversation {
    const turns: Turn[] = []
    const callers = new Map<string, Turn>()
    const results = new Map<Turn, Turn[]>()
    for (const turn of this.#turns) {
      for (const part of turn.parts) if (part.kind === 'call') callers.set(part.id, turn)
      const [first] = turn.parts
      const caller = first?.kind === 'result' ? callers.get(first.callId) : undefined
      if (caller === undefined) {
        turns.push(turn)
        continue
      }
      if (caller !== turns.at(-1)) this.#lose(turn.path, losses.movedResult)
      const others = results.get(caller)
      if (others === undefined) results.set(caller, [turn])
      else others.push(turn)
    }
    return { turns: turns.flatMap(turn => [turn, ...(results.get(turn) ?? [])]), losses: this.#losses }
  }

  addItem(item: JsonValue, path: string): void {
    const type = itemType(item)
    const kind = Object.hasOwn(itemKinds, type) ? itemKinds[type] : undefined
    if (type === 'message') this.#addMessage(item, path)
    else if (type === 'agent_message') this.#addAgentMessage(item, path)
    else if (type === 'reasoning') this.#addAssistantParts(this.#reasoning(item, path), path)
    else if (type === 'compaction') this.#lose(path, losses.compaction)
    else if (kind === undefined)
      this.#lose(path, lossOfType(jsonMember(item, 'type'), losses.unknownItem, 'items'))
    else this.#addOfKind(item, path, kind)
  }

  #addOfKind(item: JsonValue, path: string, kind: ItemKind): void {
    switch (kind.does) {
      case 'call':
        if (isHostedSearch(item, kind.tool)) this.#lose(path, losses.hostedItem)
        else this.#addAssistantParts([this.#call(item, path, kind.tool)], path)
        break
      case 'result':
        if (isHostedSearch(item, kind.tool)) this.#lose(path, losses.hostedItem)
        else this.#addResult(item, path, kind.tool)
        break
      case 'hosted':
        this.#lose(path, losses.hostedItem)
    }
  }

  #addMessage(item: JsonValue, path: string): void {
    const role = jsonMember(item, 'role')
    const content = jsonMember(item, 'content')
    if (role === 'assistant') this.#addAssistantParts(this.#parts(content, `${path}.content`), path)
    else if (messageRoles.has(role)) {
      const parts = this.#parts(content, `${path}.content`)
      if (parts.length > 0) this.addTurn(role as TurnRole, parts, path)
    }
  }

  /** A message of another agent is for the model one of the user. */
  #addAgentMessage(item: JsonValue, path: string): void {
    const parts = this.#parts(jsonMember(item, 'content') ?? jsonMember(item, 'message'), `${path}.content`)
    const author = ['author', 'agent', 'sender'].map(name => agentName(jsonMember(item, name))).find(Boolean)
    const text = author === undefined ? 'Message of another agent:' : `Message of the agent ${author}:`
    if (parts.length > 0) this.addTurn('user', [{ kind: 'text', text, path }, ...parts], path)
  }

  #addAssistantParts(parts: readonly TurnPart[], path: string): void {
    if (parts.length === 0) return
    if (this.#open === undefined) this.addTurn('assistant', [...parts], path)
    else for (const part of parts) this.#open.push(part)
  }

  #parts(content: JsonValue | undefined, path: string): TurnPart[] {
    if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content, path }]
    const parts: TurnPart[] = []
    for (const [index, value] of jsonItems(content).entries()) {
      const part = this.#part(value, `${path}[${index}]`)
      if (part !== undefined) parts.push(part)
    }
    return parts
  }

  #part(value: JsonValue, path: string): TurnPart | undefined {
    switch (jsonMember(value, 'type')) {
      case 'input_text':
      case 'output_text':
      case 'text':
      case 'summary_text':
      case 'reasoning_text': {
        const text = textOf(value, 'text')
        return text === '' ? undefined : { kind: 'text', text, path, members: textMembers }
      }
      case 'refusal': {
        const text = textOf(value, 'refusal')
        return text === '' ? undefined : { kind: 'refusal', text, path }
      }
      case 'input_image': {
        const url = textOf(value, 'image_url')
        const detail = textOf(value, 'detail')
        if (url === '') return undefined
        return { kind: 'image', url, ...(detail !== '' && { detail }), path, members: imageMembers }
      }
      case 'input_file':
        return filePart(value, path)
      case 'input_audio':
        return audioPart(value, path)
      default:
        return this.#lose(path, lossOfType(jsonMember(value, 'type'), losses.unknownPart, 'parts'))
    }
  }

  #call(item: JsonValue, path: string, kind: NamedTool['kind']): CallTurnPart {
    const id = textOf(item, 'call_id') || textOf(item, 'id')
    const namespace = textOf(item, 'namespace')
    const name = kind === 'function' || kind === 'custom' ? textOf(item, 'name') : kind
    const tool: NamedTool = { kind, name, ...(namespace !== '' && { namespace }) }
    const extra = this.#extras.get(id)
    return {
      kind: 'call',
      id,
      tool: 'function',
      name: this.#nameOf(tool),
      arguments: this.#arguments(item, path, kind),
      path,
      members: kind === 'function' ? functionMembers : kind === 'custom' ? customMembers : callMembers,
      ...(extra !== undefined && { extra: { extra_content: extra } }),
    }
  }

  /** Those of a call that was cut off are not JSON, which many vendors refuse. */
  #arguments(item: JsonValue, path: string, kind: NamedTool['kind']): string {
    const text = argumentsOf(item, kind)
    if (jsonMember(item, 'status') !== 'incomplete' || isJson(text)) return text
    this.#lose(`${path}.arguments`, losses.cutArguments)
    return '{}'
  }

  #addResult(item: JsonValue, path: string, kind: NamedTool['kind']): void {
    const failed = jsonMember(item, 'status')
    const parts = kind === 'tool_search' ? this.#foundTools(item, path) : this.#output(item, path)
    const result: TurnPart = {
      kind: 'result',
      callId: textOf(item, 'call_id') || textOf(item, 'id'),
      parts,
      path,
      members: resultMembers,
      ...(kind === 'apply_patch' && failed === 'failed' && { isError: true }),
    }
    this.addTurn('tool', [result], path)
  }

  #output(item: JsonValue, path: string): readonly ResultPart[] {
    const output = jsonMember(item, 'output')
    // The output of a shell is a list of results, each with texts of its own.
    if (itemType(item) === 'shell_call_output' && Array.isArray(output))
      return jsonPart(output, `${path}.output`)
    return this.#parts(output, `${path}.output`).filter(isResultPart)
  }

  /** The tools that were found are among those of the request: their names say which. */
  #foundTools(item: JsonValue, path: string): readonly ResultPart[] {
    const tools = jsonItems(jsonMember(item, 'tools')).flatMap(tool => foundTools(tool).map(this.#nameOf))
    return jsonPart({ tools }, path)
  }

  #reasoning(item: JsonValue, path: string): readonly ReasoningTurnPart[] {
    const content = joinedText(jsonMember(item, 'content'))
    const encrypted = textOf(item, 'encrypted_content')
    const sealed = this.#sealed.get(item)
    const part = (text: string, details: readonly JsonObject[]): ReasoningTurnPart => ({
      kind: 'reasoning',
      ...(text !== '' && { text }),
      details,
      path,
      members: reasoningMembers,
    })
    if (encrypted !== '' && sealed === undefined) {
      const id = textOf(item, 'id')
      const detail = {
        type: 'reasoning.encrypted',
        format: ownReasoningFormat,
        ...(id !== '' && { id }),
        data: encrypted,
      }
      return [{ ...part(content, [detail]), isVendors: true }]
    }
    // A thought that was shown as a summary is all that there is of it.
    const text = content || joinedText(jsonMember(item, 'summary'))
    const details = sealed?.details ?? []
    if (text !== '' || details.length > 0) return [part(text, details)]
    this.#lose(path, losses.emptyReasoning)
    return []
  }

  #lose(path: string, loss: Loss): undefined {
    this.#losses.push({ path, ...loss })
  }
}

/** Returns what is sealed in an item of reasoning. */
export function sealedOf(item: JsonValue): SealedReasoning | undefined {
  if (itemType(item) !== 'reasoning') return undefined
  return openReasoning(textOf(item, 'encrypted_content'))
}

/** A function has its arguments as text, which need not be JSON; other tools have an object or a text. */
function argumentsOf(item: JsonValue, kind: NamedTool['kind']): string {
  switch (kind) {
    case 'function':
      return textOf(item, 'arguments') || '{}'
    case 'custom':
      return JSON.stringify({ input: textOf(item, 'input') })
    case 'tool_search':
      return objectText(jsonMember(item, 'arguments'))
    case 'apply_patch':
      return objectText(jsonMember(item, 'operation'))
    case 'shell':
      return objectText(jsonMember(item, 'action'))
    case 'local_shell': {
      const action = jsonMember(item, 'action')
      if (!isObject(action)) return '{}'
      const { type: _, ...rest } = action
      return JSON.stringify(rest)
    }
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function objectText(value: JsonValue | undefined): string {
  return isObject(value) ? JSON.stringify(value) : '{}'
}

/** Whether the vendor searched its tools by itself. */
function isHostedSearch(item: JsonValue, kind: NamedTool['kind']): boolean {
  return kind === 'tool_search' && jsonMember(item, 'execution') === 'server'
}

function foundTools(tool: JsonValue): readonly NamedTool[] {
  const name = textOf(tool, 'name')
  if (jsonMember(tool, 'type') !== 'namespace') return name === '' ? [] : [namedTool(tool)]
  return jsonItems(jsonMember(tool, 'tools')).map(inner => ({ ...namedTool(inner), namespace: name }))
}

function namedTool(tool: JsonValue): NamedTool {
  return { kind: jsonMember(tool, 'type') === 'custom' ? 'custom' : 'function', name: textOf(tool, 'name') }
}

function jsonPart(value: JsonValue, path: string): readonly ResultPart[] {
  return [{ kind: 'text', text: JSON.stringify(value), path }]
}

function isResultPart(part: TurnPart): part is ResultPart {
  return part.kind === 'text' || part.kind === 'image' || part.kind === 'file'
}

/** Returns a file; `undefined` for one without data or link, which a validation refuses. */
function filePart(value: JsonValue, path: string): TurnPart | undefined {
  const data = textOf(value, 'file_data')
  const url = textOf(value, 'file_url')
  const filename = textOf(value, 'filename')
  const named = filename === '' ? {} : { filename }
  if (data !== '') return { kind: 'file', data, ...named, path, members: fileMembers }
  if (url !== '') return { kind: 'file', url, ...named, path, members: fileMembers }
  return undefined
}

function audioPart(value: JsonValue, path: string): AudioTurnPart {
  const audio = jsonMember(value, 'input_audio')
  return {
    kind: 'audio',
    data: textOf(audio, 'data'),
    format: textOf(audio, 'format'),
    path,
    members: audioMembers,
  }
}

function agentName(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value.slice(0, 128)
  return (textOf(value, 'name') || textOf(value, 'id')).slice(0, 128)
}

function joinedText(parts: JsonValue | undefined): string {
  return jsonItems(parts)
    .map(part => textOf(part, 'text'))
    .filter(text => text !== '')
    .join('\n\n')
}

function textOf(value: JsonValue | undefined, name: string): string {
  const member = jsonMember(value, name)
  return typeof member === 'string' ? member : ''
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
