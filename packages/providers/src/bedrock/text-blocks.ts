import type { AssistantText, Conversation } from '../conversation/conversation.ts'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { cachePoints } from './cache-point.ts'
import type { BedrockModel } from './models.ts'
import type { Block } from './user-content.ts'

/** Returns texts as blocks, each followed by its mark; omits texts of white space only, which are refused. */
export function textBlocks(texts: readonly AssistantText[], model: BedrockModel): Block[] {
  return texts
    .filter(({ text }) => text.trim() !== '')
    .flatMap(({ text, cacheControl }) => [{ text }, ...cachePoints(cacheControl, model)])
}

/**
 * The request's `system`: the texts of system and developer messages. Reports those that
 * followed another message, because they now precede it.
 *
 * @param line - a line that the caller did not write, after those that the caller did.
 */
export function systemBlocks(
  { system, moved }: Conversation,
  line: string | undefined,
  model: BedrockModel,
  adjuster: ParameterAdjuster,
): readonly Block[] {
  for (const path of moved) adjuster.map({ path }, 'moved to the front, into the system text')
  return [...textBlocks(system, model), ...(line === undefined ? [] : [{ text: line }])]
}
