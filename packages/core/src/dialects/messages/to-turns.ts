import { openReasoning, type SealedReasoning } from '../../conversation/sealed-reasoning.ts'
import type {
  CallTurnPart,
  FileTurnPart,
  ImageTurnPart,
  ReasoningTurnPart,
  ResultPart,
  Turn,
  TurnPart,
} from '../../conversation/turns.ts'
import type { ConversationLoss } from '../../conversation/turns-to-chat.ts'
import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'
import { givenCallId } from './call-ids.ts'
import { type Loss, losses, lossOfBlock } from './losses.ts'
import { documentPart, imagePart, searchResultText } from './media-blocks.ts'
import { readableText } from './readable-text.ts'
import { functionNameOf } from './tool-names.ts'
import { billingLine, ownReasoningFormat } from './wire-names.ts'

/** A conversation as turns, with what they cannot express. */
export interface MessagesConversation {
  readonly turns: readonly Turn[]
  readonly losses: readonly ConversationLoss[]
  /** The path of the assistant's message at the end, which a model should continue; `undefined` if there is none. */
  readonly prefill: string | undefined
}

/**
 * Returns the conversation of a body as turns. Neighbouring messages of one role are one turn. It never throws: what is invalid
 * is left out, and is for a validation to refuse.
 */
export function messagesToTurns(body: JsonObject): MessagesConversation {
  const reader = new TurnsReader()
  reader.addSystem(jsonMember(body, 'system'), 'system')
  for (const [index, message] of jsonItems(jsonMember(body, 'messages')).entries()) {
    reader.addMessage(message, `messages[${index}]`)
  }
  const { losses } = reader
  const turns = withMark(reader.turns, cacheMark(body))
  const last = turns.at(-1)
  return { turns, losses, prefill: last?.role === 'assistant' ? last.path : undefined }
}

interface OpenTurn {
  readonly role: 'user' | 'assistant'
  readonly parts: TurnPart[]
  readonly path: string
}

const textMembers = { text: 'text' } as const
const callMembers = { 'function.name': 'name', 'function.arguments': 'input', id: 'id' } as const
const resultMembers = { tool_call_id: 'tool_use_id', content: 'content' } as const
const encryptedMembers = { reasoning_details: 'data' } as const
const reasoningMembers = { reasoning_content: 'thinking', reasoning_details: 'signature' } as const

class TurnsReader {
  readonly turns: Turn[] = []
  readonly losses: ConversationLoss[] = []
  #open: OpenTurn | undefined

  addSystem(content: JsonValue | undefined, path: string): void {
    const parts = this.#systemParts(content, path)
    if (parts.length > 0) this.#add({ role: 'system', parts, path })
  }

  addMessage(message: JsonValue, path: string): void {
    const role = jsonMember(message, 'role')
    const content = jsonMember(message, 'content')
    switch (role) {
      case 'system':
        this.addSystem(content, path)
        break
      case 'user':
        for (const part of this.#userParts(content, path)) this.#openTurn('user', path).parts.push(part)
        break
      case 'assistant':
        for (const part of this.#assistantParts(content, path))
          this.#openTurn('assistant', path).parts.push(part)
        break
    }
  }

  #add(turn: Turn): void {
    this.#open = undefined
    this.turns.push(turn)
  }

  #openTurn(role: OpenTurn['role'], path: string): OpenTurn {
    if (this.#open?.role === role) return this.#open
    const turn: OpenTurn = { role, parts: [], path }
    this.#add(turn)
    this.#open = turn
    return turn
  }

  /** Texts up to a cache mark are one part, because servers differ in how they join several. */
  #systemParts(content: JsonValue | undefined, path: string): TurnPart[] {
    if (typeof content === 'string') return this.#isBilling(content, path) ? [] : textParts(content, path)
    const parts: TurnPart[] = []
    let texts: string[] = []
    let from = path
    const flush = (extra: JsonObject | undefined): void => {
      if (texts.length > 0)
        parts.push(withExtra({ kind: 'text', text: texts.join('\n\n'), path: from }, extra))
      texts = []
    }
    for (const [index, block] of jsonItems(content).entries()) {
      const at = `${blocksPath(path)}[${index}]`
      const text = jsonMember(block, 'text')
      if (jsonMember(block, 'type') !== 'text' || typeof text !== 'string') {
        this.#drop(at, block)
        continue
      }
      if (text === '' || this.#isBilling(text, at)) continue
      if (texts.length === 0) from = at
      texts.push(text)
      const extra = cacheMark(block)
      if (extra !== undefined) flush(extra)
    }
    flush(undefined)
    return parts
  }

  #isBilling(text: string, path: string): boolean {
    if (!text.startsWith(billingLine)) return false
    this.#lose(path, losses.billingLine)
    return true
  }

  #userParts(content: JsonValue | undefined, path: string): TurnPart[] {
    if (typeof content === 'string') return textParts(content, `${path}.content`)
    const parts: TurnPart[] = []
    for (const [index, block] of jsonItems(content).entries()) {
      const at = `${path}.content[${index}]`
      if (jsonMember(block, 'type') === 'tool_result') parts.push(this.#result(block, at))
      else for (const part of this.#contentParts(block, at)) parts.push(part)
    }
    return parts
  }

  #result(block: JsonValue, path: string): TurnPart {
    const content = jsonMember(block, 'content')
    const parts: ResultPart[] = []
    if (typeof content === 'string') {
      if (content !== '') parts.push({ kind: 'text', text: content, path: `${path}.content` })
    } else {
      for (const [index, inner] of jsonItems(content).entries()) {
        for (const part of this.#contentParts(inner, `${path}.content[${index}]`)) parts.push(part)
      }
    }
    return withExtra(
      {
        kind: 'result',
        callId: givenCallId(textOf(block, 'tool_use_id')),
        parts,
        path,
        members: resultMembers,
        ...(jsonMember(block, 'is_error') === true && { isError: true }),
      },
      cacheMark(block),
    )
  }

  /** Returns what a block of a user or of a result says: usually one part. */
  #contentParts(block: JsonValue, path: string): readonly ResultPart[] {
    const extra = cacheMark(block)
    switch (jsonMember(block, 'type')) {
      case 'text':
        return textPart(textOf(block, 'text'), path, extra)
      case 'image': {
        const image = imagePart(block, path)
        if (image !== undefined) return [withExtra<ImageTurnPart>(image, extra)]
        this.#lose(`${path}.source`, losses.accountFile)
        return []
      }
      case 'document':
        return this.#document(block, path, extra)
      case 'search_result':
        return textPart(searchResultText(block), path, extra)
      case 'tool_reference':
        return textPart(textOf(block, 'tool_name'), path, extra)
      default:
        this.#drop(path, block)
        return []
    }
  }

  #document(block: JsonValue, path: string, extra: JsonObject | undefined): readonly ResultPart[] {
    if (jsonMember(jsonMember(block, 'citations'), 'enabled') === true) {
      this.#lose(`${path}.citations`, losses.citations)
    }
    const found = documentPart(block, path)
    if (found === undefined) {
      this.#lose(`${path}.source`, losses.accountFile)
      return []
    }
    if (found.kind === 'file') return [withExtra<FileTurnPart>(found, extra)]
    const parts: ResultPart[] = [...textPart(found.text, path, extra)]
    for (const [index, inner] of found.images) {
      const image = imagePart(inner, `${path}.source.content[${index}]`)
      if (image !== undefined) parts.push(image)
    }
    return parts
  }

  #assistantParts(content: JsonValue | undefined, path: string): TurnPart[] {
    if (typeof content === 'string') return textParts(content, `${path}.content`)
    const blocks = jsonItems(content)
    const sealed = sealedIn(blocks)
    const parts: TurnPart[] = []
    if (sealed !== undefined) parts.push(openedPart(blocks, sealed, path))
    for (const [index, block] of blocks.entries()) {
      for (const part of this.#assistantBlock(block, `${path}.content[${index}]`, sealed)) parts.push(part)
    }
    return parts
  }

  #assistantBlock(block: JsonValue, path: string, sealed: SealedReasoning | undefined): readonly TurnPart[] {
    const type = jsonMember(block, 'type')
    switch (type) {
      case 'text':
        return textPart(textOf(block, 'text'), path, cacheMark(block))
      case 'tool_use':
        return [callPart(block, path, sealed)]
      case 'thinking':
      case 'redacted_thinking':
        return sealed === undefined || isSignedByVendor(block) ? reasoningParts(block, path) : []
      case 'compaction':
        return textPart(textOf(block, 'content'), path, cacheMark(block))
      case 'image':
      case 'document':
      case 'search_result':
        return this.#contentParts(block, path)
      default:
        return this.#resultOfVendor(block, path)
    }
  }

  /** The result of a tool that a vendor ran: what can be read of it. */
  #resultOfVendor(block: JsonValue, path: string): readonly TurnPart[] {
    const type = jsonMember(block, 'type')
    const isResult = typeof type === 'string' && type.endsWith('_tool_result')
    const text = isResult ? readableText(jsonMember(block, 'content')) : ''
    if (text === '') {
      this.#drop(path, block)
      return []
    }
    this.#lose(path, losses.hostedResult)
    return textPart(text, path, undefined)
  }

  #drop(path: string, block: JsonValue): void {
    this.#lose(path, lossOfBlock(jsonMember(block, 'type')))
  }

  #lose(path: string, loss: Loss): void {
    this.losses.push({ path, ...loss })
  }
}

/** System blocks are members of `system` itself, those of a message of its `content`. */
function blocksPath(path: string): string {
  return path === 'system' ? path : `${path}.content`
}

function textParts(text: string, path: string): TurnPart[] {
  return text === '' ? [] : [{ kind: 'text', text, path }]
}

function textPart(text: string, path: string, extra: JsonObject | undefined): readonly ResultPart[] {
  return text === '' ? [] : [withExtra({ kind: 'text', text, path, members: textMembers }, extra)]
}

function callPart(block: JsonValue, path: string, sealed: SealedReasoning | undefined): CallTurnPart {
  const id = givenCallId(textOf(block, 'id'))
  const input = jsonMember(block, 'input')
  const content = sealed?.calls.get(id)
  const extra = { ...cacheMark(block), ...(content !== undefined && { extra_content: content }) }
  return withExtra(
    {
      kind: 'call',
      id,
      tool: 'function',
      name: functionNameOf(textOf(block, 'name')),
      arguments: typeof input === 'object' && input !== null ? JSON.stringify(input) : '{}',
      path,
      members: callMembers,
    },
    Object.keys(extra).length === 0 ? undefined : extra,
  )
}

function reasoningParts(block: JsonValue, path: string): readonly ReasoningTurnPart[] {
  const data = textOf(block, 'data')
  const text = textOf(block, 'thinking')
  const signature = textOf(block, 'signature')
  const ofVendor = (detail: JsonObject): ReasoningTurnPart => ({
    ...reasoningPart(text, [{ ...detail, format: ownReasoningFormat }], path),
    isVendors: true,
  })
  if (jsonMember(block, 'type') === 'redacted_thinking') {
    return data === ''
      ? []
      : [{ ...ofVendor({ type: 'reasoning.encrypted', data }), members: encryptedMembers }]
  }
  if (signature === '') return text === '' ? [] : [reasoningPart(text, [], path)]
  return [ofVendor({ type: 'reasoning.text', text, signature })]
}

function reasoningPart(text: string, details: readonly JsonObject[], path: string): ReasoningTurnPart {
  return { kind: 'reasoning', ...(text !== '' && { text }), details, path, members: reasoningMembers }
}

/** Reasoning that was sealed, at the start of its message: each block knows its position. */
function openedPart(
  blocks: readonly JsonValue[],
  { details }: SealedReasoning,
  path: string,
): ReasoningTurnPart {
  const at = blocks.findIndex(block => jsonMember(block, 'type') === 'thinking')
  const texts = blocks.filter(block => jsonMember(block, 'type') === 'thinking' && !isSignedByVendor(block))
  const text = texts.map(block => textOf(block, 'thinking')).join('')
  return reasoningPart(text, details, at === -1 ? path : `${path}.content[${at}]`)
}

/** Returns what is sealed in the blocks of a message, in order. */
function sealedIn(blocks: readonly JsonValue[]): SealedReasoning | undefined {
  const all = blocks.map(sealedOf).filter(sealed => sealed !== undefined)
  if (all.length <= 1) return all[0]
  return {
    details: all.flatMap(({ details }) => details),
    calls: new Map(all.flatMap(({ calls }) => [...calls])),
  }
}

/** Returns what is sealed in a block of thinking. */
export function sealedOf(block: JsonValue): SealedReasoning | undefined {
  switch (jsonMember(block, 'type')) {
    case 'thinking':
      return openReasoning(textOf(block, 'signature'))
    case 'redacted_thinking':
      return openReasoning(textOf(block, 'data'))
    default:
      return undefined
  }
}

/** Whether a block of thinking has a signature of a vendor, and none of this gateway. */
export function isSignedByVendor(block: JsonValue): boolean {
  const name = jsonMember(block, 'type') === 'thinking' ? 'signature' : 'data'
  return textOf(block, name) !== '' && sealedOf(block) === undefined
}

function cacheMark(block: JsonValue): JsonObject | undefined {
  const mark = jsonMember(block, 'cache_control')
  return typeof mark === 'object' && mark !== null && !Array.isArray(mark)
    ? { cache_control: mark }
    : undefined
}

/** Marks the last part, which is what a mark of the entire request means. */
function withMark(turns: readonly Turn[], mark: JsonObject | undefined): readonly Turn[] {
  const turn = turns.at(-1)
  const part = turn?.parts.at(-1)
  if (mark === undefined || turn === undefined || part === undefined) return turns
  if (part.kind === 'reasoning' || part.extra?.cache_control !== undefined) return turns
  const marked = { ...part, extra: { ...part.extra, ...mark } }
  return [...turns.slice(0, -1), { ...turn, parts: [...turn.parts.slice(0, -1), marked] }]
}

function textOf(value: JsonValue | undefined, name: string): string {
  const member = jsonMember(value, name)
  return typeof member === 'string' ? member : ''
}

function withExtra<T extends TurnPart>(part: T, extra: JsonObject | undefined): T {
  return extra === undefined ? part : { ...part, extra }
}
