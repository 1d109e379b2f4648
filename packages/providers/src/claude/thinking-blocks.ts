import { memberPath } from '@sluice/core/provider'
import type {
  AssistantReasoning,
  AssistantText,
  AssistantToolCall,
  AssistantTurn,
} from '../conversation/conversation.ts'
import {
  beginning,
  type ReasoningBlock,
  type ReasoningPosition,
  reasoningBlocks,
} from '../conversation/reasoning-blocks.ts'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'

/** A block of thinking, and its position in the message. */
export interface Thought<Block> {
  readonly block: Block
  readonly position: ReasoningPosition
}

/**
 * The content of an earlier answer, with each thought at its original position: between two calls, or within the text.
 * The vendor refuses a conversation with a thought elsewhere. A position beyond the text, which the caller may have cut,
 * means its end.
 */
function interleaved<Block>(
  thoughts: readonly Thought<Block>[],
  items: readonly (AssistantText | AssistantToolCall)[],
  blocksOf: (item: AssistantText | AssistantToolCall) => readonly Block[],
): Block[] {
  // If all thoughts come first, the items keep their order.
  if (thoughts.every(({ position }) => position.text === 0 && position.calls === 0)) {
    return [...thoughts.map(({ block }) => block), ...items.flatMap(blocksOf)]
  }
  const texts = items.filter(item => item.kind === 'text')
  const calls = items.filter(item => item.kind === 'call')
  const blocks: Block[] = []
  let [text] = texts
  let texted = 0
  let textLength = 0
  let called = 0
  const addUntil = (position: ReasoningPosition): void => {
    while (text !== undefined) {
      const left = position.text - textLength
      if (left < text.text.length) {
        if (left <= 0) break
        blocks.push(...blocksOf({ kind: 'text', text: text.text.slice(0, left) }))
        text = { ...text, text: text.text.slice(left) }
        textLength += left
        break
      }
      blocks.push(...blocksOf(text))
      textLength += text.text.length
      text = texts[++texted]
    }
    for (; called < position.calls && called < calls.length; called++)
      blocks.push(...blocksOf(calls[called]!))
  }
  for (const { block, position } of thoughts) {
    addUntil(position)
    blocks.push(block)
  }
  addUntil({ text: Number.POSITIVE_INFINITY, calls: calls.length })
  return blocks
}

/**
 * A turn of the assistant as blocks, message by message, with each thought at its original position.
 *
 * @param thoughtsOf - returns the thoughts of a message that can be sent.
 */
export function turnBlocks<Block>(
  { items }: AssistantTurn,
  thoughtsOf: (reasoning: AssistantReasoning) => readonly Thought<Block>[],
  blocksOf: (item: AssistantText | AssistantToolCall) => readonly Block[],
): Block[] {
  const blocks: Block[] = []
  let thoughts: readonly Thought<Block>[] = []
  let content: (AssistantText | AssistantToolCall)[] = []
  for (const item of items) {
    if (item.kind !== 'reasoning') {
      content.push(item)
      continue
    }
    // Reasoning begins another message.
    for (const block of interleaved(thoughts, content, blocksOf)) blocks.push(block)
    thoughts = thoughtsOf(item)
    content = []
  }
  for (const block of interleaved(thoughts, content, blocksOf)) blocks.push(block)
  return blocks
}

/**
 * Returns the blocks of a message's reasoning that can be sent, each with its position. Reports what is
 * left out.
 *
 * @param format - the `format` of the reasoning details that the model can check.
 * @param thoughtless - why none can go back; `undefined`: it can.
 */
export function thoughtsOf<Block>(
  reasoning: AssistantReasoning,
  format: string,
  thoughtless: string | undefined,
  blockOf: (block: ReasoningBlock) => Block,
  adjuster: ParameterAdjuster,
): readonly Thought<Block>[] {
  const { details } = reasoning
  const { blocks, foreign, unsigned } = reasoningBlocks(details, format)
  const path = memberPath(reasoning, details.length > 0 ? 'reasoning_details' : 'reasoning_content')
  if (foreign) adjuster.drop({ path }, "another vendor's")
  else if (unsigned || blocks.length === 0) adjuster.drop({ path }, "without the vendor's signature")
  if (blocks.length > 0 && thoughtless !== undefined) {
    adjuster.drop({ path }, thoughtless)
    return []
  }
  return blocks.map(block => ({ position: block.position ?? beginning, block: blockOf(block) }))
}

/** Removes the thoughts at the end of a turn's blocks, and reports that: the vendor refuses them there. */
export function dropLastThoughts<Block>(
  blocks: Block[],
  { items }: AssistantTurn,
  isThought: (block: Block) => boolean,
  adjuster: ParameterAdjuster,
): void {
  const end = blocks.findLastIndex(block => !isThought(block)) + 1
  if (end === blocks.length) return
  const reasoning = items.findLast(item => item.kind === 'reasoning')
  if (reasoning !== undefined) {
    adjuster.drop({ path: memberPath(reasoning, 'reasoning_details') }, 'nothing was said after it')
  }
  blocks.length = end
}
