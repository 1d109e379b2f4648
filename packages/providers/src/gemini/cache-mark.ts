import type { Tool } from '@sluice/core'
import type { Conversation, Turn } from '../conversation/conversation.ts'
import { cacheControl } from '../conversation/extensions.ts'

/** Whether a caller marked anything as a place up to which the prompt may be cached. */
export function hasCacheMark({ system, turns }: Conversation, tools: readonly Tool[] = []): boolean {
  return (
    system.some(isMarked) ||
    turns.some(turn => markable(turn).some(isMarked)) ||
    tools.some(tool => cacheControl(tool) !== undefined)
  )
}

function markable(turn: Turn): readonly object[] {
  if (turn.role === 'assistant') return turn.items
  return [...turn.items, ...turn.results, ...turn.results.flatMap(({ texts }) => texts)]
}

function isMarked(item: object): boolean {
  return 'cacheControl' in item
}
