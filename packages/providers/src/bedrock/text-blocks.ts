import type { AssistantText, Conversation } from '../conversation/conversation.ts'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { cachePoints } from './cache-point.ts'
import type { BedrockModel } from './models.ts'
import type { Block } from './user-content.ts'

/** Texts as blocks, each with the mark that stands after it; without those of white space alone, which are refused. */
export function textBlocks(texts: readonly AssistantText[], model: BedrockModel): Block[] {
  return texts
    .filter(({ text }) => text.trim() !== '')
    .flatMap(({ text, cacheControl }) => [{ text }, ...cachePoints(cacheControl, model)])
}

/**
 * The request's `system`: what system and developer messages say. Those further down are reported: there
 * they stood after what they now precede.
 *
 * @param line - a line that the caller did not write, after those that the caller did.
 */
export function systemBlocks(
  { system, moved }: Conversation,
  line: string | undefined,
  model: BedrockModel,
  adjuster: ParameterAdjuster,
): readonly Block[] {
  for (const path of moved) adjuster.map(path, 'moved to the front, into the system text')
  return [...textBlocks(system, model), ...(line === undefined ? [] : [{ text: line }])]
}
