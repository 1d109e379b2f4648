import { claudeFormat } from '../claude/signed-turns.ts'
import { dropLastThoughts, thoughtsOf, turnBlocks } from '../claude/thinking-blocks.ts'
import type { AssistantReasoning, AssistantToolCall, AssistantTurn } from '../conversation/conversation.ts'
import type { ReasoningBlock } from '../conversation/reasoning-blocks.ts'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { type Block, textBlocks, withCacheMark } from './text-blocks.ts'
import type { ToolUseIds } from './tool-use-ids.ts'

/**
 * An earlier turn of the assistant as blocks: its reasoning, as far as the vendor signed it and takes it back, its
 * texts and its calls. Dropped content is reported.
 *
 * @param thoughtless - why reasoning cannot be sent; `undefined`: it can.
 * @param last - it ends the conversation: the vendor has to go on with it.
 */
export function assistantContent(
  turn: AssistantTurn,
  ids: ToolUseIds,
  thoughtless: (reasoning: AssistantReasoning) => string | undefined,
  last: boolean,
  adjuster: ParameterAdjuster,
): Block[] {
  const blocks = turnBlocks<Block>(
    turn,
    reasoning => thoughtsOf(reasoning, claudeFormat, thoughtless(reasoning), thinkingBlock, adjuster),
    item => (item.kind === 'text' ? textBlocks([item]) : [callBlock(item, ids, adjuster)]),
  )
  if (last) trimEnd(blocks)
  dropLastThoughts(blocks, turn, isThought, adjuster)
  return blocks
}

function callBlock(
  { part, name, arguments: input, extraContent, path, cacheControl }: AssistantToolCall,
  ids: ToolUseIds,
  adjuster: ParameterAdjuster,
): Block {
  if (extraContent !== undefined) adjuster.drop({ path: `${path}.extra_content` }, "another vendor's")
  return { type: 'tool_use', id: ids.ofCall(part), name, input, ...withCacheMark(cacheControl) }
}

function thinkingBlock(block: ReasoningBlock): Block {
  return block.kind === 'text'
    ? { type: 'thinking', thinking: block.text, signature: block.signature }
    : { type: 'redacted_thinking', data: block.data }
}

function isThought({ type }: Block): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}

/** The vendor refuses white space at the end of words that it has to go on with. */
function trimEnd(blocks: Block[]): void {
  const end = blocks.at(-1)
  if (end?.type !== 'text') return
  blocks[blocks.length - 1] = { ...end, text: String(end.text).trimEnd() }
}
