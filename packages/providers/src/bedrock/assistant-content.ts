import { whyThoughtless } from '../claude/signed-turns.ts'
import { dropLastThoughts, thoughtsOf, turnBlocks } from '../claude/thinking-blocks.ts'
import type {
  AssistantReasoning,
  AssistantToolCall,
  AssistantTurn,
  Conversation,
} from '../conversation/conversation.ts'
import type { ReasoningBlock } from '../conversation/reasoning-blocks.ts'
import type { ToolCallIds } from '../conversation/tool-call-ids.ts'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { cachePoints } from './cache-point.ts'
import type { BedrockModel } from './models.ts'
import { reasoningContent } from './reasoning-content.ts'
import { textBlocks } from './text-blocks.ts'
import type { Block } from './user-content.ts'

/**
 * An earlier turn of the assistant as blocks: its reasoning, as far as the model can check it and takes it back, its
 * texts and its calls. Dropped content is reported.
 *
 * @param thoughtless - why reasoning cannot be sent; `undefined`: it can.
 */
export function assistantContent(
  turn: AssistantTurn,
  ids: ToolCallIds,
  model: BedrockModel,
  thoughtless: (reasoning: AssistantReasoning) => string | undefined,
  adjuster: ParameterAdjuster,
): Block[] {
  const blockOf = (block: ReasoningBlock) => reasoningContent(block, model)
  const blocks = turnBlocks<Block>(
    turn,
    reasoning => thoughtsOf(reasoning, model.reasoningFormat, thoughtless(reasoning), blockOf, adjuster),
    item => (item.kind === 'text' ? textBlocks([item], model) : callBlocks(item, ids, model, adjuster)),
  )
  dropLastThoughts(blocks, turn, block => 'reasoningContent' in block, adjuster)
  return blocks
}

function callBlocks(
  { part, name, arguments: input, extraContent, path, cacheControl }: AssistantToolCall,
  ids: ToolCallIds,
  model: BedrockModel,
  adjuster: ParameterAdjuster,
): readonly Block[] {
  if (extraContent !== undefined) adjuster.drop({ path: `${path}.extra_content` }, "another vendor's")
  return [{ toolUse: { toolUseId: ids.ofCall(part), name, input } }, ...cachePoints(cacheControl, model)]
}

/** Says why reasoning cannot go back: see `whyThoughtless`. */
export function whyNoReasoning(
  conversation: Conversation,
  { claude }: BedrockModel,
  thinks: boolean,
): (reasoning: AssistantReasoning, turn: number) => string | undefined {
  if (claude === undefined) return () => undefined
  if (claude.thinking === 'none') return () => 'this model does not think'
  return whyThoughtless(conversation, claude.boundThoughts, thinks)
}
