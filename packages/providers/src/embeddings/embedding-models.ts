import type { Capabilities } from '@sluice/core/provider'

/** Returns the capabilities that the name of an embedding model shows, such as `text-embedding-3-small`. */
export function embeddingCapabilities(model: string): Capabilities | undefined {
  return isEmbeddingModel(model) ? { operations: ['embed'] } : undefined
}

/** Whether a model's name, id or deployment says that it embeds, and generates nothing. */
export function isEmbeddingModel(model: string): boolean {
  return /(?:^|[-_./:])(?:text)?embed(?:ding)?s?(?:$|[-_.:@\d]|gemma)/i.test(model)
}
