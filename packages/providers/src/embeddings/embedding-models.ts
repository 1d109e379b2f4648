import type { Capabilities } from '@sluice/core/provider'
import { isRerankModel, rerankCapabilities } from '../rerank/rerank-models.ts'

/** Returns the capabilities that the name of a model shows which embeds, ranks or moderates, such as `text-embedding-3-small`. */
export function embeddingCapabilities(model: string): Capabilities | undefined {
  if (isRerankModel(model)) return rerankCapabilities
  if (/moderation/i.test(model)) return { operations: ['moderate'] }
  return isEmbeddingModel(model) ? { operations: ['embed'] } : undefined
}

/** Whether a model's name, id or deployment says that it embeds, and generates nothing. */
export function isEmbeddingModel(model: string): boolean {
  return /(?:^|[-_./:])(?:text)?embed(?:ding)?s?(?:$|[-_.:@\d]|gemma)/i.test(model)
}
