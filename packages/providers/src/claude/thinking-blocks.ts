import type { AssistantTurn, SpokenCall, SpokenReasoning, SpokenText } from '../conversation/conversation.ts'
import type { ReasoningPlace } from '../conversation/reasoning-blocks.ts'

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
  items: readonly (SpokenText | SpokenCall)[],
  blocksOf: (item: SpokenText | SpokenCall) => readonly Block[],
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
  thoughtsOf: (reasoning: SpokenReasoning) => readonly Thought<Block>[],
  blocksOf: (item: SpokenText | SpokenCall) => readonly Block[],
): Block[] {
  const blocks: Block[] = []
  let thoughts: readonly Thought<Block>[] = []
  let said: (SpokenText | SpokenCall)[] = []
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
