import type { Conversation } from '../conversation/conversation.ts'
import type { Adjusting } from '../parameters/adjusting.ts'
import { type Block, textBlocks } from './text-blocks.ts'

/**
 * The request's `system`: one text, or blocks where one of them carries a cache mark; `undefined` where nothing is
 * said. System messages that stood further down are told of: there they stood after what they now precede.
 *
 * @param further - lines that the caller did not write, after those that the caller did.
 */
export function systemText(
  { system, moved }: Conversation,
  further: readonly string[],
  adjusting: Adjusting,
): string | readonly Block[] | undefined {
  for (const path of moved) adjusting.map(path, 'moved to the front, into the system text')
  const blocks = [...textBlocks(system), ...further.map(text => ({ type: 'text', text }))]
  if (blocks.length === 0) return undefined
  if (blocks.some(block => 'cache_control' in block)) return blocks
  return blocks.map(({ text }) => text).join('\n\n')
}
