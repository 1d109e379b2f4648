import type { ProviderInstance } from '@sluice/providers'
import type { VendorName } from './recordings.ts'
import { anthropicReplay } from './vendors/anthropic.ts'
import { azureReplay } from './vendors/azure.ts'
import { bedrockReplay } from './vendors/bedrock.ts'
import { geminiReplay } from './vendors/gemini.ts'
import { vertexReplay } from './vendors/vertex.ts'

/** How a vendor is put in front of recordings. */
export interface ReplayedVendor {
  /** The vendor, where its servers are at this origin: `http://127.0.0.1:port`. `options` stand over the usual ones. */
  connect(origin: string, options?: object): ProviderInstance
  /** The model that answers where nothing else is said. */
  readonly model: string
  /** Headers that each of its requests carries. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * A request's body in one of the forms that mean the same to the vendor by its documentation, so that two bodies
   * are compared by what they ask. `undefined`: there is one form only.
   */
  readonly canonical?: (body: Record<string, unknown>) => Record<string, unknown>
}

export const vendors: Readonly<Record<VendorName, ReplayedVendor>> = {
  anthropic: anthropicReplay,
  bedrock: bedrockReplay,
  gemini: geminiReplay,
  vertex: vertexReplay,
  azure: azureReplay,
}
