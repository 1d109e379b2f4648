import { continuedFrom } from '../claude/signed-turns.ts'
import { turnBlocks } from '../claude/thinking-blocks.ts'
import type { AssistantTurn, Conversation, SpokenCall } from '../conversation/conversation.ts'
import type { Adjusting } from '../parameters/adjusting.ts'
import { cachePoints } from './cache-point.ts'
import type { BedrockModel } from './models.ts'
import { reasoningContent } from './reasoning-content.ts'
import { textBlocks } from './text-blocks.ts'
import type { ToolUseIds } from './tool-use-ids.ts'
import type { Block } from './user-content.ts'

/**
 * An earlier turn of the assistant as blocks: its reasoning, as far as the model can check it and takes it back, its
 * texts and its calls. What is left out is told of.
 *
 * @param thoughtless - why reasoning cannot go back that stands at a path; `undefined`: it can.
 */
export function assistantContent(
  turn: AssistantTurn,
  ids: ToolUseIds,
  model: BedrockModel,
  thoughtless: (path: string) => string | undefined,
  adjusting: Adjusting,
): Block[] {
  let reasoningPath = ''
  const blocks = turnBlocks<Block>(
    turn,
    reasoning => {
      reasoningPath = reasoning.path
      return reasoningContent(reasoning, model, thoughtless(reasoning.path), adjusting)
    },
    item => (item.kind === 'text' ? textBlocks([item], model) : callBlocks(item, ids, model, adjusting)),
  )
  let spoken = blocks.length
  while (spoken > 0 && 'reasoningContent' in blocks[spoken - 1]!) spoken--
  if (spoken < blocks.length) {
    adjusting.drop(`${reasoningPath}.reasoning_details`, 'nothing was said after it')
    blocks.length = spoken
  }
  return blocks
}

function callBlocks(
  { id, name, arguments: input, extraContent, path, cacheControl }: SpokenCall,
  ids: ToolUseIds,
  model: BedrockModel,
  adjusting: Adjusting,
): readonly Block[] {
  if (extraContent !== undefined) adjusting.drop(`${path}.extra_content`, "another vendor's")
  return [{ toolUse: { toolUseId: ids.ofCall(id), name, input } }, ...cachePoints(cacheControl, model)]
}

/**
 * Why reasoning that stands at a path, in the turn of a number, cannot go back; `undefined` where it can. Without
 * thinking, Claude takes none in the answer that it goes on with.
 */
export function whyThoughtless(
  { turns, moved }: Conversation,
  { claude }: BedrockModel,
  thinks: boolean,
): (path: string, turn: number) => string | undefined {
  if (claude === undefined) return () => undefined
  const continued = continuedFrom(turns) ?? turns.length
  const last = claude.boundThoughts ? moved.at(-1) : undefined
  const systemChanged = last === undefined ? -1 : messageIndex(last)
  return (path, turn) => {
    if (claude.thinking === 'none') return 'this model does not think'
    if (!thinks && turn >= continued) return 'thinking is off in this request'
    return messageIndex(path) < systemChanged ? 'a system message after it was moved before it' : undefined
  }
}

function messageIndex(path: string): number {
  return Number(/\d+/.exec(path)?.[0])
}
