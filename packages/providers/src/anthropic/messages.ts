import { addContent, checkEnds, checkToolPairs } from '../claude/messages.ts'
import { whyThoughtless } from '../claude/signed-turns.ts'
import type { AssistantReasoning, Conversation, ToolResult, UserTurn } from '../conversation/conversation.ts'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { assistantContent } from './assistant-content.ts'
import { type Block, textBlocks, withCacheMark } from './text-blocks.ts'
import { ToolUseIds } from './tool-use-ids.ts'
import { userBlock } from './user-content.ts'

/** What decides how a conversation is written. */
export interface MessagesInput {
  readonly conversation: Conversation
  /** The model may think in this request. */
  readonly thinks: boolean
  /** The model thinks at all. */
  readonly canThink: boolean
  /** The model takes reasoning back only after the system text that it was thought after. */
  readonly boundThoughts: boolean
  /** The model goes on with words that the caller put into its mouth. */
  readonly prefill: boolean
}

interface ApiMessage {
  readonly role: 'user' | 'assistant'
  readonly content: Block[]
}

/**
 * A conversation as the Messages API takes it: tool results are first in their turn, blank texts are left
 * out, reasoning goes back where the model can check it.
 *
 * Throws `GatewayError` (400): for parts that cannot be sent, for calls without results and results without
 * calls, for a conversation that is empty or does not begin with the user, and for one that ends with the
 * assistant where the model does not go on with that.
 */
export function apiMessages(asked: MessagesInput, adjuster: ParameterAdjuster): readonly ApiMessage[] {
  const { conversation, thinks, canThink, boundThoughts } = asked
  const { turns } = conversation
  checkToolPairs(turns)
  const ids = new ToolUseIds()
  const whyNot = whyThoughtless(conversation, boundThoughts, thinks)
  const result: ApiMessage[] = []
  for (const [at, turn] of turns.entries()) {
    const thoughtless = (reasoning: AssistantReasoning) =>
      canThink ? whyNot(reasoning, at) : 'thinking is off in this request'
    const content =
      turn.role === 'user'
        ? userContent(turn, ids, adjuster)
        : assistantContent(turn, ids, thoughtless, at === turns.length - 1, adjuster)
    addContent(result, turn.role, content)
  }
  checkEnds(result, conversation.given, asked.prefill, adjuster)
  return result
}

function userContent({ results, items }: UserTurn, ids: ToolUseIds, adjuster: ParameterAdjuster): Block[] {
  return [...results.map(result => resultBlock(result, ids, adjuster)), ...contentBlocks(items, adjuster)]
}

function contentBlocks(items: UserTurn['items'], adjuster: ParameterAdjuster): Block[] {
  return items.flatMap(item => (item.kind === 'text' ? textBlocks([item]) : [userBlock(item, adjuster)]))
}

function resultBlock(
  { call, callId, items, isError, cacheControl }: ToolResult,
  ids: ToolUseIds,
  adjuster: ParameterAdjuster,
): Block {
  const blocks = contentBlocks(items, adjuster)
  const [only] = blocks
  const isText = blocks.length === 1 && only?.type === 'text' && only.cache_control === undefined
  return {
    type: 'tool_result',
    tool_use_id: ids.ofResult(call, callId),
    ...(blocks.length === 0 ? {} : { content: isText ? only.text : blocks }),
    ...(isError ? { is_error: true } : {}),
    ...withCacheMark(cacheControl),
  }
}
