import type { Capabilities } from '@sluice/core/provider'

/** Whether a model's name says that it ranks documents. */
export function isRerankModel(model: string): boolean {
  return /(?:^|[-_./:@])re-?rank(?:er)?(?:$|[-_.:@\d])/i.test(model)
}

export const rerankCapabilities: Capabilities = { operations: ['rerank'] }
