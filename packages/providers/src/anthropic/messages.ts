import type { Message } from '@sluice/core'
import type {
  AssistantTurn,
  SpokenReasoning,
  SpokenText,
  ToolResult,
  Turn,
  UserTurn,
} from '../conversation/conversation.ts'
import { reasoningBlocks } from '../conversation/reasoning-blocks.ts'
import { type Adjusting, cannotSend } from '../parameters/adjusting.ts'
import { claudeFormat, continuedFrom } from './signed-turns.ts'
import { ToolUseIds } from './tool-use-ids.ts'
import { type Block, userBlock } from './user-content.ts'

/** What decides how a conversation is written. */
export interface MessagesAsked {
  /** As the caller wrote them: to name the one that cannot be sent. */
  readonly messages: readonly Message[]
  readonly turns: readonly Turn[]
  /** The model may think in this request. */
  readonly thinks: boolean
  /** The model thinks at all. */
  readonly canThink: boolean
  /** The model goes on with words that the caller put into its mouth. */
  readonly prefill: boolean
}

interface ApiMessage {
  readonly role: 'user' | 'assistant'
  readonly content: Block[]
}

/**
 * A conversation as the Messages API takes it: what tools answered stands first in its turn, blank texts are left
 * out, reasoning goes back where the model can check it.
 *
 * Throws `GatewayError` (400): for parts that cannot be sent, for a conversation that is empty or does not
 * begin with the user, and for one that ends with the assistant where the model does not go on with that.
 */
export function apiMessages(asked: MessagesAsked, adjusting: Adjusting): readonly ApiMessage[] {
  const { turns, thinks, canThink } = asked
  const ids = new ToolUseIds()
  const continued = continuedFrom(turns) ?? turns.length
  const result: ApiMessage[] = []
  for (const [at, turn] of turns.entries()) {
    // Without thinking, the vendor takes no thoughts in the answer that it goes on with.
    const withThoughts = canThink && (thinks || at < continued)
    const content =
      turn.role === 'user'
        ? userContent(turn, ids, adjusting)
        : assistantContent(turn, ids, withThoughts, at === turns.length - 1, adjusting)
    const last = result.at(-1)
    if (content.length === 0) continue
    if (last?.role === turn.role) last.content.push(...content)
    else result.push({ role: turn.role, content })
  }
  check(result, asked)
  return result
}

function check(result: readonly ApiMessage[], { messages, prefill }: MessagesAsked): void {
  const first = result[0]
  if (first === undefined) {
    throw cannotSend(
      'messages',
      "Unsupported value: 'messages' holds no words of the user, which this model needs.",
    )
  }
  if (first.role === 'assistant') {
    const param = `messages[${messages.findIndex(({ role }) => role === 'assistant')}]`
    throw cannotSend(
      param,
      `Unsupported value: '${param}' begins the conversation, and this model takes only conversations that begin with the user.`,
    )
  }
  if (result.at(-1)?.role === 'assistant' && !prefill) {
    const param = `messages[${messages.findLastIndex(({ role }) => role === 'assistant')}]`
    throw cannotSend(
      param,
      `Unsupported value: '${param}' ends the conversation, and this model does not go on with words of the assistant. End with a message of the user.`,
    )
  }
}

function userContent({ results, items }: UserTurn, ids: ToolUseIds, adjusting: Adjusting): Block[] {
  return [
    ...results.map(result => resultBlock(result, ids)),
    ...items.flatMap(item => (item.kind === 'text' ? textBlocks([item]) : [userBlock(item, adjusting)])),
  ]
}

function resultBlock({ callId, texts, cacheControl }: ToolResult, ids: ToolUseIds): Block {
  const blocks = textBlocks(texts)
  const [only] = blocks
  const content = blocks.length === 1 && only?.cache_control === undefined ? only?.text : blocks
  return {
    type: 'tool_result',
    tool_use_id: ids.ofResult(callId),
    ...(blocks.length === 0 ? {} : { content }),
    ...(cacheControl === undefined ? {} : { cache_control: cacheControl }),
  }
}

/** Texts as blocks, without those that the vendor refuses: of white space alone. */
export function textBlocks(texts: readonly SpokenText[]): Block[] {
  return texts
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, cacheControl }) => ({
      type: 'text',
      text,
      ...(cacheControl === undefined ? {} : { cache_control: cacheControl }),
    }))
}

function assistantContent(
  { items }: AssistantTurn,
  ids: ToolUseIds,
  withThoughts: boolean,
  last: boolean,
  adjusting: Adjusting,
): Block[] {
  const blocks: Block[] = []
  let reasoningPath = ''
  for (const item of items) {
    switch (item.kind) {
      case 'reasoning':
        reasoningPath = item.path
        blocks.push(...thoughtBlocks(item, withThoughts, adjusting))
        break
      case 'text':
        blocks.push(...textBlocks([item]))
        break
      case 'call':
        if (item.extraContent !== undefined) adjusting.drop(`${item.path}.extra_content`, "another vendor's")
        blocks.push({ type: 'tool_use', id: ids.ofCall(item.id), name: item.name, input: item.arguments })
        break
    }
  }
  if (last) trimEnd(blocks)
  let thoughtless = blocks.length
  while (thoughtless > 0 && isThought(blocks[thoughtless - 1]!)) thoughtless--
  if (thoughtless < blocks.length) {
    adjusting.drop(`${reasoningPath}.reasoning_details`, 'nothing was said after it')
    blocks.length = thoughtless
  }
  return blocks
}

/** The vendor refuses white space at the end of words that it has to go on with. */
function trimEnd(blocks: Block[]): void {
  const end = blocks.at(-1)
  if (end?.type !== 'text') return
  blocks[blocks.length - 1] = { ...end, text: String(end.text).trimEnd() }
}

function isThought({ type }: Block): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}

function thoughtBlocks(item: SpokenReasoning, withThoughts: boolean, adjusting: Adjusting): Block[] {
  const { blocks, foreign } = reasoningBlocks(item.details, claudeFormat)
  const path = `${item.path}.reasoning_details`
  if (foreign) adjusting.drop(path, "another vendor's")
  else if (blocks.length === 0) {
    const parameter = item.details.length > 0 ? path : `${item.path}.reasoning_content`
    adjusting.drop(parameter, "without the vendor's signature")
  }
  if (blocks.length > 0 && !withThoughts) {
    adjusting.drop(path, 'thinking is off in this request')
    return []
  }
  return blocks.map(block =>
    block.kind === 'text'
      ? { type: 'thinking', thinking: block.text, signature: block.signature }
      : { type: 'redacted_thinking', data: block.data },
  )
}
