import type {
  AssistantReasoning,
  AssistantTurn,
  Conversation,
  MergedTurn,
} from '../conversation/conversation.ts'
import { reasoningBlocks } from '../conversation/reasoning-blocks.ts'

/** The `format` of reasoning blocks that Claude signed, wherever it is hosted. */
export const claudeFormat = 'anthropic-claude-v1'

/**
 * Returns the index of the turn at which the answer begins that the model continues: an answer that waits for tool
 * results, over any number of rounds, or one whose beginning the caller wrote. `undefined`: the model starts a new answer.
 */
function continuedFrom(turns: readonly MergedTurn[]): number | undefined {
  let first: number | undefined
  for (let at = turns.length - 1; at >= 0; at--) {
    const turn = turns[at]!
    if (turn.role === 'assistant') first = at
    else if (turn.results.length === 0) break
  }
  return first
}

/**
 * Returns a function that says why reasoning, in the turn of a number, cannot go back; `undefined` where it can. Without
 * thinking, Claude takes none in the answer that it goes on with.
 *
 * @param bound - the model takes reasoning back only after the system text that it was thought after.
 */
export function whyThoughtless(
  { turns, beforeMoved }: Conversation,
  bound: boolean,
  thinks: boolean,
): (reasoning: AssistantReasoning, turn: number) => string | undefined {
  const continued = continuedFrom(turns) ?? turns.length
  return (reasoning, turn) => {
    if (!thinks && turn >= continued) return 'thinking is off in this request'
    return bound && beforeMoved.has(reasoning) ? 'a system message after it was moved before it' : undefined
  }
}

/**
 * Whether the model would have to go on with an answer that does not begin with reasoning which it signed, or
 * that the caller began: while a budget bounds thinking, the vendor refuses that. Only the first round of an answer
 * has to have thought.
 */
export function continuesUnsigned(turns: readonly MergedTurn[]): boolean {
  if (turns.at(-1)?.role === 'assistant') return true
  const first = turns[continuedFrom(turns) ?? turns.length]
  return first?.role === 'assistant' && !beginsSigned(first)
}

function beginsSigned({ items }: AssistantTurn): boolean {
  const [first] = items
  return first?.kind === 'reasoning' && reasoningBlocks(first.details, claudeFormat).blocks.length > 0
}
