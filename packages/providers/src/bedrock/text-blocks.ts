import type { SpokenText } from '../conversation/conversation.ts'
import { cachePoints } from './cache-point.ts'
import type { BedrockModel } from './models.ts'
import type { Block } from './user-content.ts'

/** Texts as blocks, each with the mark that stands after it; without those of white space alone, which are refused. */
export function textBlocks(texts: readonly SpokenText[], model: BedrockModel): Block[] {
  return texts
    .filter(({ text }) => text.trim() !== '')
    .flatMap(({ text, cacheControl }) => [{ text }, ...cachePoints(cacheControl, model)])
}
