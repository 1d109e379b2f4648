import { claudeFormat } from '../claude/signed-turns.ts'
import { type Thought, turnBlocks } from '../claude/thinking-blocks.ts'
import type { AssistantTurn, SpokenCall, SpokenReasoning } from '../conversation/conversation.ts'
import { beginning, reasoningBlocks } from '../conversation/reasoning-blocks.ts'
import type { Adjusting } from '../parameters/adjusting.ts'
import { type Block, marked, textBlocks } from './text-blocks.ts'
import type { ToolUseIds } from './tool-use-ids.ts'

/**
 * An earlier turn of the assistant as blocks: its reasoning, as far as the vendor signed it and takes it back, its
 * texts and its calls. What is left out is told of.
 *
 * @param thoughtless - why reasoning cannot go back that stands at a path; `undefined`: it can.
 * @param last - it ends the conversation: the vendor has to go on with it.
 */
export function assistantContent(
  turn: AssistantTurn,
  ids: ToolUseIds,
  thoughtless: (path: string) => string | undefined,
  last: boolean,
  adjusting: Adjusting,
): Block[] {
  let reasoningPath = ''
  const blocks = turnBlocks<Block>(
    turn,
    reasoning => {
      reasoningPath = reasoning.path
      return thoughtsOf(reasoning, thoughtless(reasoning.path), adjusting)
    },
    item => (item.kind === 'text' ? textBlocks([item]) : [callBlock(item, ids, adjusting)]),
  )
  if (last) trimEnd(blocks)
  const said = blocks.findLastIndex(block => !isThought(block)) + 1
  if (said < blocks.length) {
    adjusting.drop(`${reasoningPath}.reasoning_details`, 'nothing was said after it')
    blocks.length = said
  }
  return blocks
}

function callBlock(
  { id, name, arguments: input, extraContent, path, cacheControl }: SpokenCall,
  ids: ToolUseIds,
  adjusting: Adjusting,
): Block {
  if (extraContent !== undefined) adjusting.drop(`${path}.extra_content`, "another vendor's")
  return { type: 'tool_use', id: ids.ofCall(id), name, input, ...marked(cacheControl) }
}

function thoughtsOf(
  { details, path: at }: SpokenReasoning,
  thoughtless: string | undefined,
  adjusting: Adjusting,
): readonly Thought<Block>[] {
  const { blocks, foreign, unsigned } = reasoningBlocks(details, claudeFormat)
  const path = `${at}.reasoning_details`
  if (foreign) adjusting.drop(path, "another vendor's")
  else if (unsigned || blocks.length === 0) {
    adjusting.drop(details.length > 0 ? path : `${at}.reasoning_content`, "without the vendor's signature")
  }
  if (blocks.length > 0 && thoughtless !== undefined) {
    adjusting.drop(path, thoughtless)
    return []
  }
  return blocks.map(({ place = beginning, ...block }) => ({
    place,
    block:
      block.kind === 'text'
        ? { type: 'thinking', thinking: block.text, signature: block.signature }
        : { type: 'redacted_thinking', data: block.data },
  }))
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
