import type { Conversation } from '../conversation/conversation.ts'
import type { Adjusting } from '../parameters/adjusting.ts'
import type { BedrockModel } from './models.ts'
import { textBlocks } from './text-blocks.ts'
import type { Block } from './user-content.ts'

/**
 * The request's `system`: what system and developer messages say. Those that stood further down are told of: there
 * they stood after what they now precede.
 *
 * @param line - a line that the caller did not write, after those that the caller did.
 */
export function systemBlocks(
  { system, moved }: Conversation,
  line: string | undefined,
  model: BedrockModel,
  adjusting: Adjusting,
): readonly Block[] {
  for (const path of moved) adjusting.map(path, 'moved to the front, into the system text')
  return [...textBlocks(system, model), ...(line === undefined ? [] : [{ text: line }])]
}
