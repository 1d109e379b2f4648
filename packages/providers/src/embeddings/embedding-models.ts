import type { Capabilities } from '@sluice/core/provider'
import { isRerankModel, rerankCapabilities } from '../rerank/rerank-models.ts'

/** Returns the capabilities that the name of a model shows which does not chat, such as `text-embedding-3-small`. */
export function embeddingCapabilities(model: string): Capabilities | undefined {
  if (isRerankModel(model)) return rerankCapabilities
  if (/moderation/i.test(model)) return { operations: ['moderate'] }
  if (/^(?:gpt-3\.5-turbo-instruct|davinci-002|babbage-002)/.test(model)) return { operations: ['complete'] }
  return isEmbeddingModel(model) ? { operations: ['embed'] } : undefined
}

/** Whether a model's name, id or deployment says that it embeds, and generates nothing. */
export function isEmbeddingModel(model: string): boolean {
  return /(?:^|[-_./:])(?:text)?embed(?:ding)?s?(?:$|[-_.:@\d]|gemma)/i.test(model)
}
