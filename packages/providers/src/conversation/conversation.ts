import type { AssistantMessage, JsonObject, Message, TextPart, UserPart } from '@sluice/core/provider'
import { cannotSend } from '../parameters/parameter-adjuster.ts'
import { cacheControl, reasoningDetails } from './extensions.ts'
import { toolArguments } from './tool-arguments.ts'

/** A piece of text. `cacheControl` is the caller's mark that a prompt may be cached up to here. */
export interface AssistantText {
  readonly kind: 'text'
  readonly text: string
  readonly cacheControl?: JsonObject
}

/** A part of a user message other than text, and its `path` in the request. */
export interface UserContent {
  readonly kind: 'part'
  readonly part: Exclude<UserPart, TextPart>
  readonly path: string
  readonly cacheControl?: JsonObject
}

/** What a tool answered. `name` is that of the call it answers, `undefined` where there is no such call. */
export interface ToolResult {
  readonly callId: string
  readonly name: string | undefined
  readonly texts: readonly AssistantText[]
  readonly path: string
  readonly cacheControl?: JsonObject
}

/** A call that the model made in an earlier turn. */
export interface AssistantToolCall {
  readonly kind: 'call'
  readonly id: string
  readonly name: string
  readonly arguments: JsonObject
  /** What came with the call and has to go back with it: signatures, by vendor. */
  readonly extraContent: JsonObject | undefined
  readonly path: string
  /** The cache mark of a message that has only calls, on the last of them. */
  readonly cacheControl?: JsonObject
}

/** The reasoning of an earlier answer, as this gateway gave it to the caller. */
export interface AssistantReasoning {
  readonly kind: 'reasoning'
  /** `reasoning_content`: the text, without any signature. */
  readonly text: string | undefined
  /** `reasoning_details`: blocks with their signatures, each marked by `format` as its vendor's. */
  readonly details: readonly JsonObject[]
  readonly path: string
}

/** Neighbouring messages of users and tools, as one turn: what tools answered comes first. */
export interface UserTurn {
  readonly role: 'user'
  readonly results: readonly ToolResult[]
  readonly items: readonly (AssistantText | UserContent)[]
}

/** Neighbouring messages of the assistant, as one turn: of each, reasoning, then text, then calls. */
export interface AssistantTurn {
  readonly role: 'assistant'
  readonly items: readonly (AssistantReasoning | AssistantText | AssistantToolCall)[]
}

export type Turn = UserTurn | AssistantTurn

/** A conversation as vendors with turns want it: no message is lost, and no two neighbours have one role. */
export interface Conversation {
  /** The texts of system and developer messages, in order, from anywhere in the conversation. */
  readonly system: readonly AssistantText[]
  /** Paths of system messages that followed another message, and were moved to the front. */
  readonly moved: readonly string[]
  /** Paths of the names that messages carry, which vendors with turns have no place for. */
  readonly names: readonly string[]
  readonly turns: readonly Turn[]
}

interface OpenUserTurn {
  readonly role: 'user'
  readonly results: ToolResult[]
  readonly items: (AssistantText | UserContent)[]
}

interface OpenAssistantTurn {
  readonly role: 'assistant'
  readonly items: (AssistantReasoning | AssistantText | AssistantToolCall)[]
}

type OpenTurn = OpenUserTurn | OpenAssistantTurn

/**
 * The messages as turns. Empty texts are left out, since vendors refuse them; a message
 * that holds nothing else makes no turn. Throws `GatewayError` (400) for
 * calls whose arguments are no JSON object, calls of custom tools, and the deprecated function messages.
 */
export function toConversation(messages: readonly Message[]): Conversation {
  const system: AssistantText[] = []
  const moved: string[] = []
  const turns: OpenTurn[] = []
  const names: string[] = []
  const called = new Map<string, string>()
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`
    if ('name' in message && message.name !== undefined) names.push(`${path}.name`)
    switch (message.role) {
      case 'system':
      case 'developer':
        if (turns.length > 0) moved.push(path)
        append(system, textsOf(message.content, cacheControl(message)))
        break
      case 'user': {
        const items = userItems(message.content, path, cacheControl(message))
        if (items.length > 0) append(openTurn(turns, 'user').items, items)
        break
      }
      case 'tool':
        openTurn(turns, 'user').results.push({
          callId: message.tool_call_id,
          name: called.get(message.tool_call_id),
          texts: textsOf(message.content),
          path,
          ...marked(cacheControl(message)),
        })
        break
      case 'assistant': {
        const items = assistantItems(message, path)
        for (const item of items) if (item.kind === 'call') called.set(item.id, item.name)
        if (items.length > 0) append(openTurn(turns, 'assistant').items, items)
        break
      }
      case 'function':
        throw cannotSend(`${path}.role`, "Messages of role 'function' are deprecated. Use 'tool' instead.")
    }
  }
  return { system, moved, names, turns }
}

/** Text without blanks, so that what a vendor would refuse as empty is not sent. */
function textsOf(content: string | readonly TextPart[], mark?: JsonObject): AssistantText[] {
  if (typeof content === 'string') return content === '' ? [] : [assistantText(content, mark)]
  const texts = content
    .filter(({ text }) => text !== '')
    .map(part => assistantText(part.text, cacheControl(part)))
  return withLastMarked(texts, mark)
}

function userItems(
  content: string | readonly UserPart[],
  path: string,
  mark: JsonObject | undefined,
): (AssistantText | UserContent)[] {
  if (typeof content === 'string') return textsOf(content, mark)
  const items = content.flatMap((part, index): (AssistantText | UserContent)[] => {
    if (part.type === 'text') return textsOf([part])
    return [{ kind: 'part', part, path: `${path}.content[${index}]`, ...marked(cacheControl(part)) }]
  })
  return withLastMarked(items, mark)
}

function assistantItems(message: AssistantMessage, path: string): OpenAssistantTurn['items'] {
  const { content, refusal, tool_calls: calls, function_call: legacyCall, audio } = message
  if (legacyCall) {
    throw cannotSend(`${path}.function_call`, "'function_call' is deprecated. Use 'tool_calls' instead.")
  }
  if (audio) throw cannotSend(`${path}.audio`, 'Audio of an earlier answer cannot be sent to this model.')
  const items: OpenAssistantTurn['items'] = []
  const reasoning = reasoningDetails(message)
  if (reasoning !== undefined) items.push({ kind: 'reasoning', ...reasoning, path })
  const parts = typeof content === 'string' ? [{ type: 'text', text: content } as const] : (content ?? [])
  const texted = parts.map(part => (part.type === 'text' ? part : { ...part, text: part.refusal }))
  if (refusal) texted.push({ type: 'text', text: refusal })
  const texts = texted
    .filter(({ text }) => text !== '')
    .map(part => assistantText(part.text, cacheControl(part)))
  const toolCalls: AssistantToolCall[] = []
  for (const [index, call] of (calls ?? []).entries()) {
    const at = `${path}.tool_calls[${index}]`
    if (call.type === 'custom')
      throw cannotSend(at, 'Calls of custom tools cannot be sent to this model. Use a function instead.')
    const { name, arguments: text } = call.function
    const extra = (call as { extra_content?: unknown }).extra_content
    toolCalls.push({
      kind: 'call',
      id: call.id,
      name,
      arguments: toolArguments(text, `${at}.function.arguments`),
      extraContent: typeof extra === 'object' && extra !== null ? (extra as JsonObject) : undefined,
      path: at,
    })
  }
  const mark = cacheControl(message)
  const callsMarked = toolCalls.length > 0 && texts.every(isBlank)
  append(items, callsMarked ? texts : withLastMarked(texts, mark))
  append(items, callsMarked ? withLastMarked(toolCalls, mark) : toolCalls)
  return items
}

function openTurn(turns: OpenTurn[], role: 'user'): OpenUserTurn
function openTurn(turns: OpenTurn[], role: 'assistant'): OpenAssistantTurn
function openTurn(turns: OpenTurn[], role: OpenTurn['role']): OpenTurn {
  const last = turns.at(-1)
  if (last?.role === role) return last
  const turn: OpenTurn = role === 'user' ? { role, results: [], items: [] } : { role, items: [] }
  turns.push(turn)
  return turn
}

/** As many as a request may hold are too many for one call of `push`. */
function append<T>(list: T[], items: readonly T[]): void {
  for (const item of items) list.push(item)
}

function assistantText(text: string, mark: JsonObject | undefined): AssistantText {
  return { kind: 'text', text, ...marked(mark) }
}

function marked(mark: JsonObject | undefined): { readonly cacheControl?: JsonObject } {
  return mark === undefined ? {} : { cacheControl: mark }
}

/** A mark on a message is one on its last item, or on the last that is not white space alone: most vendors take none. */
function withLastMarked<T extends Markable>(items: T[], mark: JsonObject | undefined): T[] {
  if (mark === undefined || items.length === 0) return items
  const last = items.findLastIndex(item => !isBlank(item))
  const at = last === -1 ? items.length - 1 : last
  items[at] = { ...items[at]!, cacheControl: mark }
  return items
}

interface Markable {
  readonly kind: string
  readonly text?: string
  readonly cacheControl?: JsonObject
}

function isBlank({ kind, text }: Markable): boolean {
  return kind === 'text' && text?.trim() === ''
}

/** The names of the tools that were called in a conversation, each once. */
export function calledNames(turns: readonly Turn[]): readonly string[] {
  const names = new Set<string>()
  for (const { items } of turns) for (const item of items) if (item.kind === 'call') names.add(item.name)
  return [...names]
}
