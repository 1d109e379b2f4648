import type { GatewayError } from '@sluice/core'
import {
  type AudioTurnPart,
  type Call,
  type CallTurnPart,
  type FileTurnPart,
  type ImageTurnPart,
  type JsonObject,
  memberPath,
  type ReasoningTurnPart,
  type RefusalTurnPart,
  type ResultTurnPart,
  type TextTurnPart,
  type Turn,
  type TurnOrigin,
  type TurnPart,
  turnsOf,
} from '@sluice/core/provider'
import { cannotSend, ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { cacheMark } from './extensions.ts'
import { pairResults } from './pair-results.ts'
import { reportTranslationLosses } from './report-losses.ts'
import { toolArguments } from './tool-arguments.ts'

/** A piece of text. `cacheControl` is the caller's mark that a prompt may be cached up to here. */
export interface AssistantText {
  readonly kind: 'text'
  readonly text: string
  readonly cacheControl?: JsonObject
}

/** A part of a user or of a tool's result other than text. Audio has data. */
export interface UserContent {
  readonly kind: 'part'
  readonly part: ImageTurnPart | AudioTurnPart | FileTurnPart
  readonly cacheControl?: JsonObject
}

/** What a tool answered. `call` is the one it answers, `undefined` where there is no such call. */
export interface ToolResult extends TurnOrigin {
  readonly callId: string
  readonly call: CallTurnPart | undefined
  /** Whether the tool failed. */
  readonly isError: boolean
  readonly items: readonly (AssistantText | UserContent)[]
  /** The texts among the items. */
  readonly texts: readonly AssistantText[]
  readonly cacheControl?: JsonObject
}

/** A call that the model made in an earlier turn. */
export interface AssistantToolCall {
  readonly kind: 'call'
  /** The call as the caller sent it. */
  readonly part: CallTurnPart
  readonly name: string
  readonly arguments: JsonObject
  /** What came with the call and has to go back with it: signatures, by vendor. */
  readonly extraContent: JsonObject | undefined
  readonly path: string
  /** The cache mark of the call, or of a message that has only calls on the last of them. */
  readonly cacheControl?: JsonObject
}

/** The reasoning of an earlier answer, as this gateway gave it to the caller. */
export interface AssistantReasoning extends TurnOrigin {
  readonly kind: 'reasoning'
  /** The text, without any signature. */
  readonly text: string | undefined
  /** Blocks with their signatures, each marked by `format` as its vendor's. */
  readonly details: readonly JsonObject[]
}

/** Neighbouring turns of users and tools, as one: what tools answered comes first. */
export interface UserTurn {
  readonly role: 'user'
  readonly results: readonly ToolResult[]
  readonly items: readonly (AssistantText | UserContent)[]
}

/** Neighbouring turns of the assistant, as one, in order. */
export interface AssistantTurn {
  readonly role: 'assistant'
  readonly items: readonly (AssistantReasoning | AssistantText | AssistantToolCall)[]
}

export type MergedTurn = UserTurn | AssistantTurn

/** A conversation as vendors with turns want it: no message is lost, and no two neighbours have one role. */
export interface Conversation {
  /** The caller's turns, to name the one that cannot be sent. */
  readonly given: readonly Turn[]
  /** The texts of system and developer messages, in order, from anywhere in the conversation. */
  readonly system: readonly AssistantText[]
  /** Paths of system messages that followed another message, and were moved to the front. */
  readonly moved: readonly string[]
  /** The reasoning that preceded the last system message that was moved. */
  readonly beforeMoved: ReadonlySet<AssistantReasoning>
  /** Paths of the names that messages carry, which vendors with turns have no place for. */
  readonly names: readonly string[]
  readonly turns: readonly MergedTurn[]
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
 * Returns the conversation of a call, and reports what cannot be sent of it. Throws `GatewayError` as `toConversation`.
 *
 * @param given - the turns, if they are not those of the call.
 */
export function readConversation(
  call: Call,
  adjuster: ParameterAdjuster,
  given: readonly Turn[] = turnsOf(call),
): Conversation {
  reportTranslationLosses(call, adjuster)
  const conversation = toConversation(given, adjuster)
  for (const path of conversation.names) adjuster.drop({ path })
  return conversation
}

/**
 * Turns as most vendors want them: neighbours merged, the system text apart, arguments parsed. Empty texts are left out,
 * since vendors refuse them; a turn that holds nothing else is left out. Throws `GatewayError` (400) for calls of custom
 * tools, audio of earlier answers, and the deprecated function messages.
 *
 * @param adjuster - reports what is dropped or replaced, and refuses parts of unknown kinds.
 */
export function toConversation(
  given: readonly Turn[],
  adjuster: ParameterAdjuster = new ParameterAdjuster(),
): Conversation {
  const system: AssistantText[] = []
  const moved: string[] = []
  const turns: OpenTurn[] = []
  const names: string[] = []
  const reasoning: AssistantReasoning[] = []
  let reasonedBefore = 0
  const callsByResult = pairResults(given)
  for (const turn of given) {
    if (turn.name !== undefined || turn.extra?.name !== undefined) names.push(memberPath(turn, 'name'))
    switch (turn.role) {
      case 'system':
      case 'developer':
        if (turns.length > 0) {
          moved.push(turn.path)
          reasonedBefore = reasoning.length
        }
        append(system, systemTexts(turn, adjuster))
        break
      case 'user':
      case 'tool':
        for (const part of turn.parts) {
          if (part.kind !== 'result') continue
          if (part.legacy) {
            const role = memberPath(turn, 'role')
            throw cannotSend(role, "Messages of role 'function' are deprecated. Use 'tool' instead.")
          }
          openTurn(turns, 'user').results.push(toolResult(part, turn, callsByResult.get(part), adjuster))
        }
        if (turn.role === 'user') {
          const items = userItems(turn, adjuster)
          if (items.length > 0) append(openTurn(turns, 'user').items, items)
        }
        break
      case 'assistant': {
        const items = assistantItems(turn, adjuster)
        for (const item of items) if (item.kind === 'reasoning') reasoning.push(item)
        if (items.length > 0) append(openTurn(turns, 'assistant').items, items)
        break
      }
    }
  }
  return { given, system, moved, beforeMoved: new Set(reasoning.slice(0, reasonedBefore)), names, turns }
}

function systemTexts(turn: Turn, adjuster: ParameterAdjuster): AssistantText[] {
  const texts: AssistantText[] = []
  for (const part of turn.parts) {
    if (part.kind === 'text') addText(texts, part)
    else if (!isLeftOut(part, adjuster)) throw notHere(part, 'system')
  }
  return withLastMarked(texts, cacheMark(turn))
}

function userItems(turn: Turn, adjuster: ParameterAdjuster): (AssistantText | UserContent)[] {
  const items: (AssistantText | UserContent)[] = []
  for (const part of turn.parts) if (part.kind !== 'result') addUserItem(items, part, adjuster)
  return withLastMarked(items, cacheMark(turn))
}

function addUserItem(
  items: (AssistantText | UserContent)[],
  part: TurnPart,
  adjuster: ParameterAdjuster,
): void {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      addText(items, part)
      break
    case 'audio':
      if (part.data === undefined) throw earlierAudio(part)
      items.push({ kind: 'part', part, ...marked(cacheMark(part)) })
      break
    case 'image':
    case 'file':
      items.push({ kind: 'part', part, ...marked(cacheMark(part)) })
      break
    default:
      if (!isLeftOut(part, adjuster)) throw notHere(part, 'user')
  }
}

function toolResult(
  part: ResultTurnPart,
  turn: Turn,
  call: CallTurnPart | undefined,
  adjuster: ParameterAdjuster,
): ToolResult {
  const { callId, path, members, isError = false } = part
  const items: (AssistantText | UserContent)[] = []
  for (const item of part.parts) addUserItem(items, item, adjuster)
  // The mark of a turn with several results is on the last.
  const isLast = turn.parts.at(-1) === part
  const mark = cacheMark(part) ?? (isLast && turn.role === 'tool' ? cacheMark(turn) : undefined)
  return {
    callId,
    call,
    isError,
    items,
    texts: items.filter(item => item.kind === 'text'),
    path,
    ...(members === undefined ? {} : { members }),
    ...marked(mark),
  }
}

function assistantItems(turn: Turn, adjuster: ParameterAdjuster): OpenAssistantTurn['items'] {
  const legacyCall = turn.parts.find(part => part.kind === 'call' && part.legacy)
  if (legacyCall !== undefined) {
    throw cannotSend(legacyCall.path, "'function_call' is deprecated. Use 'tool_calls' instead.")
  }
  const audio = turn.parts.find(part => part.kind === 'audio')
  if (audio !== undefined) throw earlierAudio(audio)
  const items: OpenAssistantTurn['items'] = []
  for (const part of turn.parts) {
    switch (part.kind) {
      case 'text':
      case 'refusal':
        addText(items, part)
        break
      case 'call':
        items.push(assistantCall(part, adjuster))
        break
      case 'reasoning':
        items.push(assistantReasoning(part))
        break
      case 'opaque':
        adjuster.drop(part, 'of a kind that this model does not take')
        break
      default:
        if (!isLeftOut(part, adjuster)) throw notHere(part, 'assistant')
    }
  }
  return withTurnMark(items, cacheMark(turn))
}

function assistantReasoning(part: ReasoningTurnPart): AssistantReasoning {
  const { text, details, path, members } = part
  return { kind: 'reasoning', text, details, path, ...(members === undefined ? {} : { members }) }
}

function assistantCall(part: CallTurnPart, adjuster: ParameterAdjuster): AssistantToolCall {
  const { tool, name, arguments: text, path, extra } = part
  if (tool === 'custom') {
    throw cannotSend(path, 'Calls of custom tools cannot be sent to this model. Use a function instead.')
  }
  const content = extra?.extra_content
  return {
    kind: 'call',
    part,
    name,
    arguments: toolArguments(text, memberPath(part, 'function.arguments'), adjuster),
    extraContent: typeof content === 'object' && content !== null ? (content as JsonObject) : undefined,
    path,
    ...marked(cacheMark(part)),
  }
}

/**
 * Whether a part can be left out: it says nothing to a model of another vendor, or the owner of the gateway wants what is
 * not supported dropped. Reports it. Throws `GatewayError` (400) for a part of an unknown kind.
 */
function isLeftOut(part: TurnPart, adjuster: ParameterAdjuster): boolean {
  if (part.kind === 'sealed' || part.kind === 'reasoning') {
    adjuster.drop(part, "another vendor's")
    return true
  }
  if (part.kind !== 'opaque') return false
  adjuster.unsupported(part, 'This model does not take content of this type.')
  return true
}

function earlierAudio({ path }: TurnPart): GatewayError {
  return cannotSend(path, 'Audio of an earlier answer cannot be sent to this model.')
}

function notHere({ kind, path }: TurnPart, role: string): GatewayError {
  const content = kind === 'call' ? 'a tool call' : kind === 'result' ? 'the result of a tool' : kind
  return cannotSend(
    path,
    `Unsupported value: '${path}' is ${content}, which this model does not take in messages of the ${role}.`,
  )
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

/** A list that holds texts among others. */
interface TextList {
  push(text: AssistantText): unknown
}

/** Adds a text that is not empty: most vendors refuse those. */
function addText(items: TextList, part: TextTurnPart | RefusalTurnPart): void {
  if (part.text !== '') items.push({ kind: 'text', text: part.text, ...marked(cacheMark(part)) })
}

function marked(mark: JsonObject | undefined): { readonly cacheControl?: JsonObject } {
  return mark === undefined ? {} : { cacheControl: mark }
}

/** The mark of an assistant's message is on its last text, or on its last call where it says nothing. */
function withTurnMark(
  items: OpenAssistantTurn['items'],
  mark: JsonObject | undefined,
): OpenAssistantTurn['items'] {
  if (mark === undefined) return items
  const text = items.findLastIndex(item => item.kind === 'text' && !isBlank(item))
  const call = items.findLastIndex(({ kind }) => kind === 'call')
  const blank = items.findLastIndex(({ kind }) => kind === 'text')
  const at = [text, call, blank].find(index => index !== -1)
  const item = at === undefined ? undefined : items[at]
  if (item !== undefined && item.kind !== 'reasoning') items[at!] = { ...item, cacheControl: mark }
  return items
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
export function calledNames(turns: readonly MergedTurn[]): readonly string[] {
  const names = new Set<string>()
  for (const { items } of turns) for (const item of items) if (item.kind === 'call') names.add(item.name)
  return [...names]
}
