import type { Message } from '@sluice/core/provider'
import { addContent, checkEnds, checkToolPairs } from '../claude/messages.ts'
import { whyThoughtless } from '../claude/signed-turns.ts'
import type { ToolResult, Turn, UserTurn } from '../conversation/conversation.ts'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { assistantContent } from './assistant-content.ts'
import { type Block, textBlocks, withCacheMark } from './text-blocks.ts'
import { ToolUseIds } from './tool-use-ids.ts'
import { userBlock } from './user-content.ts'

/** What decides how a conversation is written. */
export interface MessagesInput {
  /** As the caller wrote them: to name the one that cannot be sent. */
  readonly messages: readonly Message[]
  readonly turns: readonly Turn[]
  /** The model may think in this request. */
  readonly thinks: boolean
  /** The model thinks at all. */
  readonly canThink: boolean
  /**
   * The path of the last system message that was moved to the front, where the model takes reasoning back only after
   * the system text that it was thought after.
   */
  readonly movedUp: string | undefined
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
  const { turns, thinks, canThink, movedUp } = asked
  checkToolPairs(turns)
  const ids = new ToolUseIds()
  const whyNot = whyThoughtless(turns, movedUp, thinks)
  const result: ApiMessage[] = []
  for (const [at, turn] of turns.entries()) {
    const thoughtless = (path: string) => (canThink ? whyNot(path, at) : 'thinking is off in this request')
    const content =
      turn.role === 'user'
        ? userContent(turn, ids, adjuster)
        : assistantContent(turn, ids, thoughtless, at === turns.length - 1, adjuster)
    addContent(result, turn.role, content)
  }
  checkEnds(result, asked.messages, asked.prefill)
  return result
}

function userContent({ results, items }: UserTurn, ids: ToolUseIds, adjuster: ParameterAdjuster): Block[] {
  return [
    ...results.map(result => resultBlock(result, ids)),
    ...items.flatMap(item => (item.kind === 'text' ? textBlocks([item]) : [userBlock(item, adjuster)])),
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
    ...withCacheMark(cacheControl),
  }
}
