import type { AnswerDelta } from '../../contracts/dialect.ts'
import type { PartialMessage } from '../../contracts/provider.ts'
import { sealReasoning } from '../../conversation/sealed-reasoning.ts'
import { UpstreamError } from '../../errors/upstream-error.ts'
import type { JsonObject, ToolCallDelta } from '../../protocol/chat.ts'
import { jsonMember } from '../../protocol/json-members.ts'
import { ownReasoningFormat } from './wire-names.ts'

/** A block of a message. The input of a call is JSON text. */
export type ContentBlock =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: string }

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }
type ToolUse = Writable<Extract<ContentBlock, { type: 'tool_use' }>>

/**
 * Returns a complete answer as blocks, in the order in which it was generated, with reasoning where it was. What other vendors
 * want back with the next request is sealed into a signature.
 *
 * @param deltas - those of one choice.
 * @param wasCut - whether the answer ended at its maximum: then a call without its whole input has an empty one.
 * @param earlierIds - returns the ids of the calls before it: a call with one of them gets another.
 * @param realmOf - returns who alone can read what is sealed.
 * @throws UpstreamError of kind `garbled` for a call whose arguments are no JSON object.
 */
export function answerContent(
  deltas: readonly AnswerDelta[],
  wasCut: boolean,
  newId: () => string,
  earlierIds: () => ReadonlySet<string>,
  realmOf: () => string | undefined = () => undefined,
): readonly ContentBlock[] {
  const blocks: ContentBlock[] = []
  const calls = new Map<number, ToolUse>()
  const extras = new Map<string, JsonObject>()
  const details: JsonObject[] = []
  const addText = (text: string) => {
    const last = blocks.at(-1)
    if (last?.type === 'text') blocks[blocks.length - 1] = { type: 'text', text: last.text + text }
    else blocks.push({ type: 'text', text })
  }
  const addCall = ({ index, id, function: called, custom, extra_content: extra }: ToolCallDelta) => {
    if (custom !== undefined) throw customCall()
    let call = calls.get(index)
    if (call === undefined) {
      const own = id === undefined || earlierIds().has(id) ? toolUseId(newId) : id
      call = { type: 'tool_use', id: own, name: called?.name ?? '', input: '' }
      calls.set(index, call)
      blocks.push(call)
    }
    call.input += called?.arguments ?? ''
    if (extra !== undefined) extras.set(call.id, extra)
  }
  for (const { delta } of deltas) {
    const { reasoning_content: thinking, content, refusal, function_call: legacy } = delta
    if (thinking) blocks.push({ type: 'thinking', thinking, signature: '' })
    if (delta.reasoning_details !== undefined)
      for (const detail of delta.reasoning_details) details.push(detail)
    if (content) addText(content)
    if (refusal) addText(refusal)
    for (const call of (delta.tool_calls ?? []) as readonly ToolCallDelta[]) addCall(call)
    if (legacy !== undefined) addCall({ index: -1, function: legacy })
  }
  for (const call of calls.values()) call.input = checkedInput(call, wasCut)
  if (details.length === 0 && extras.size === 0) return joinUnsigned(blocks)
  return withReasoning(blocks, details, extras, realmOf())
}

/** Returns the arguments of a call as the text of a JSON object. Throws `UpstreamError` of kind `garbled` for others. */
export function checkedInput({ input }: { readonly input: string }, wasCut: boolean): string {
  if (isJsonObject(input)) return input
  if (wasCut || input.trim() === '') return '{}'
  throw new UpstreamError('The upstream called a tool with arguments that are no JSON object.', {
    kind: 'garbled',
  })
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

/** Whether a vendor added links or citations. */
export function hasCitations({ annotations, citations }: PartialMessage): boolean {
  return (annotations?.length ?? 0) > 0 || (citations?.length ?? 0) > 0
}

/** The error for a call of a tool that takes text: the protocol has none. */
export function customCall(): UpstreamError {
  return new UpstreamError('The upstream called a custom tool, and the request has none.', {
    kind: 'garbled',
  })
}

function toolUseId(newId: () => string): string {
  return `toolu_${newId().slice(0, 24)}`
}

/** Gives blocks of thinking their signatures, and adds those that have no text. */
function withReasoning(
  given: readonly ContentBlock[],
  details: readonly JsonObject[],
  calls: ReadonlyMap<string, JsonObject>,
  realm: string | undefined,
): readonly ContentBlock[] {
  let blocks = [...given]
  let left = signed(blocks, details, realm)
  blocks = joinUnsigned(blocks)
  left = signed(blocks, left, realm)
  for (const detail of left.filter(isOwn)) blocks = withDetail(blocks, detail)
  const sealed = sealReasoning({ realm, details: left.filter(detail => !isOwn(detail)), calls: noCalls })
  if (sealed !== undefined) {
    const unsigned = blocks.findIndex(isUnsigned)
    if (unsigned === -1) blocks.unshift({ type: 'redacted_thinking', data: sealed })
    else blocks[unsigned] = { ...(blocks[unsigned] as ThinkingBlock), signature: sealed }
  }
  return calls.size === 0 ? blocks : withCalls(blocks, calls, realm)
}

const noCalls: ReadonlyMap<string, JsonObject> = new Map()

/** Gives thoughts the signatures that came for their text. Returns the other details. */
function signed(
  blocks: ContentBlock[],
  details: readonly JsonObject[],
  realm: string | undefined,
): readonly JsonObject[] {
  let from = 0
  return details.filter(detail => {
    const { text, signature } = detail
    if (typeof text !== 'string' || typeof signature !== 'string' || signature === '') return true
    const at = blocks.findIndex(
      (block, index) => index >= from && isUnsigned(block) && block.thinking === text,
    )
    if (at === -1) return true
    const own = isOwn(detail) ? signature : sealReasoning({ realm, details: [detail], calls: noCalls })
    if (own === undefined) return true
    blocks[at] = { type: 'thinking', thinking: text, signature: own }
    from = at + 1
    return false
  })
}

/** Adds what came with calls before each of them: as the signature of a thought, or as a block of its own. */
function withCalls(
  given: readonly ContentBlock[],
  calls: ReadonlyMap<string, JsonObject>,
  realm: string | undefined,
): readonly ContentBlock[] {
  const blocks: ContentBlock[] = []
  for (const block of given) {
    const extra = block.type === 'tool_use' ? calls.get(block.id) : undefined
    const sealed =
      extra && sealReasoning({ realm, details: [], calls: new Map([[(block as ToolUse).id, extra]]) })
    const last = blocks.at(-1)
    if (sealed !== undefined && last !== undefined && isUnsigned(last)) {
      blocks[blocks.length - 1] = { ...last, signature: sealed }
    } else if (sealed !== undefined) blocks.push({ type: 'redacted_thinking', data: sealed })
    blocks.push(block)
  }
  return blocks
}

type ThinkingBlock = Extract<ContentBlock, { type: 'thinking' }>

function isUnsigned(block: ContentBlock): block is ThinkingBlock {
  return block.type === 'thinking' && block.signature === ''
}

/** Whether reasoning has a signature of the protocol's own vendor. */
export function isOwn({ format, signature, data }: JsonObject): boolean {
  return format === ownReasoningFormat && (typeof signature === 'string' || typeof data === 'string')
}

/** Joins neighbouring blocks without signature: a vendor may have sent one thought in pieces. */
function joinUnsigned(given: readonly ContentBlock[]): ContentBlock[] {
  const blocks: ContentBlock[] = []
  for (const block of given) {
    const last = blocks.at(-1)
    if (last !== undefined && isUnsigned(last) && isUnsigned(block)) {
      blocks[blocks.length - 1] = { ...last, thinking: last.thinking + block.thinking }
    } else blocks.push(block)
  }
  return blocks
}

/** Adds a block of reasoning where it was: after some text, and some calls. */
function withDetail(blocks: readonly ContentBlock[], detail: JsonObject): ContentBlock[] {
  const { text, signature, data, place: position } = detail
  const block: ContentBlock =
    typeof data === 'string'
      ? { type: 'redacted_thinking', data }
      : { type: 'thinking', thinking: typeof text === 'string' ? text : '', signature: String(signature) }
  let textLeft = countOf(jsonMember(position, 'text'))
  let callsLeft = countOf(jsonMember(position, 'calls'))
  const result: ContentBlock[] = []
  let added = false
  for (const each of blocks) {
    const isReasoning = each.type === 'thinking' || each.type === 'redacted_thinking'
    if (!added && !isReasoning && textLeft <= 0 && callsLeft <= 0) {
      result.push(block)
      added = true
    }
    if (!added && each.type === 'text' && callsLeft <= 0 && each.text.length > textLeft) {
      result.push({ type: 'text', text: each.text.slice(0, textLeft) }, block)
      result.push({ type: 'text', text: each.text.slice(textLeft) })
      added = true
      continue
    }
    if (each.type === 'text') textLeft -= each.text.length
    if (each.type === 'tool_use') callsLeft--
    result.push(each)
  }
  if (!added) result.push(block)
  return result
}

function countOf(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0
}
