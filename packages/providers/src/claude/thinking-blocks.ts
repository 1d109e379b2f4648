import type {
  AssistantReasoning,
  AssistantText,
  AssistantToolCall,
  AssistantTurn,
} from '../conversation/conversation.ts'
import {
  beginning,
  type ReasoningBlock,
  type ReasoningPlace,
  reasoningBlocks,
} from '../conversation/reasoning-blocks.ts'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'

/** A block of thinking, and where in its message it stood. */
export interface Thought<Block> {
  readonly block: Block
  readonly place: ReasoningPlace
}

/**
 * What an earlier answer said, with its thoughts where they stood: between two calls, or in the middle of the text.
 * The vendor refuses the conversation where they stand elsewhere. A place beyond the text, which the caller may have
 * cut, is its end.
 */
function interleaved<Block>(
  thoughts: readonly Thought<Block>[],
  items: readonly (AssistantText | AssistantToolCall)[],
  blocksOf: (item: AssistantText | AssistantToolCall) => readonly Block[],
): Block[] {
  // Without thoughts in between all stays in its order.
  if (thoughts.every(({ place }) => place.text === 0 && place.calls === 0)) {
    return [...thoughts.map(({ block }) => block), ...items.flatMap(blocksOf)]
  }
  const texts = items.filter(item => item.kind === 'text')
  const calls = items.filter(item => item.kind === 'call')
  const blocks: Block[] = []
  let [text] = texts
  let texted = 0
  let said = 0
  let called = 0
  const sayUntil = (place: ReasoningPlace): void => {
    while (text !== undefined) {
      const left = place.text - said
      if (left < text.text.length) {
        if (left <= 0) break
        blocks.push(...blocksOf({ kind: 'text', text: text.text.slice(0, left) }))
        text = { ...text, text: text.text.slice(left) }
        said += left
        break
      }
      blocks.push(...blocksOf(text))
      said += text.text.length
      text = texts[++texted]
    }
    for (; called < place.calls && called < calls.length; called++) blocks.push(...blocksOf(calls[called]!))
  }
  for (const { block, place } of thoughts) {
    sayUntil(place)
    blocks.push(block)
  }
  sayUntil({ text: Number.POSITIVE_INFINITY, calls: calls.length })
  return blocks
}

/**
 * A turn of the assistant as blocks, message by message: of each, its thoughts where they stood.
 *
 * @param thoughtsOf - what of a message's reasoning can go back.
 */
export function turnBlocks<Block>(
  { items }: AssistantTurn,
  thoughtsOf: (reasoning: AssistantReasoning) => readonly Thought<Block>[],
  blocksOf: (item: AssistantText | AssistantToolCall) => readonly Block[],
): Block[] {
  const blocks: Block[] = []
  let thoughts: readonly Thought<Block>[] = []
  let said: (AssistantText | AssistantToolCall)[] = []
  for (const item of items) {
    if (item.kind !== 'reasoning') {
      said.push(item)
      continue
    }
    // Here another message begins.
    for (const block of interleaved(thoughts, said, blocksOf)) blocks.push(block)
    thoughts = thoughtsOf(item)
    said = []
  }
  for (const block of interleaved(thoughts, said, blocksOf)) blocks.push(block)
  return blocks
}

/**
 * Returns the blocks of a message's reasoning that can go back, each with the place where it stood. Reports what is
 * left out.
 *
 * @param format - the `format` of the reasoning details that the model can check.
 * @param thoughtless - why none can go back; `undefined`: it can.
 */
export function thoughtsOf<Block>(
  { details, path: at }: AssistantReasoning,
  format: string,
  thoughtless: string | undefined,
  blockOf: (block: ReasoningBlock) => Block,
  adjuster: ParameterAdjuster,
): readonly Thought<Block>[] {
  const { blocks, foreign, unsigned } = reasoningBlocks(details, format)
  const path = `${at}.reasoning_details`
  if (foreign) adjuster.drop(path, "another vendor's")
  else if (unsigned || blocks.length === 0) {
    adjuster.drop(details.length > 0 ? path : `${at}.reasoning_content`, "without the vendor's signature")
  }
  if (blocks.length > 0 && thoughtless !== undefined) {
    adjuster.drop(path, thoughtless)
    return []
  }
  return blocks.map(block => ({ place: block.place ?? beginning, block: blockOf(block) }))
}

/** Removes the thoughts at the end of a turn's blocks, and reports that: the vendor refuses them there. */
export function dropLastThoughts<Block>(
  blocks: Block[],
  { items }: AssistantTurn,
  isThought: (block: Block) => boolean,
  adjuster: ParameterAdjuster,
): void {
  const said = blocks.findLastIndex(block => !isThought(block)) + 1
  if (said === blocks.length) return
  const reasoning = items.findLast(item => item.kind === 'reasoning')
  adjuster.drop(`${reasoning?.path}.reasoning_details`, 'nothing was said after it')
  blocks.length = said
}
