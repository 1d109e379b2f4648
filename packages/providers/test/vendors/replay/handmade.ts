import type { Expected } from './expected.ts'
import { anthropicHandmade } from './handmade/anthropic.ts'
import { azureHandmade } from './handmade/azure.ts'
import { bedrockHandmade } from './handmade/bedrock.ts'
import { geminiHandmade } from './handmade/gemini.ts'
import { vertexHandmade } from './handmade/vertex.ts'
import type { VendorName } from './recordings.ts'
import type { Sent } from './replaying.ts'

/** An answer that nobody recorded, made by hand in the shape that the vendor documents. */
export interface Handmade {
  readonly name: string
  /** Where its shape is documented. */
  readonly source: string
  /** Whether a stream was asked for; absent: it is the same with and without. */
  readonly stream?: boolean
  readonly sent: Sent
  readonly expected: Expected
}

export const handmade: Readonly<Record<VendorName, readonly Handmade[]>> = {
  anthropic: anthropicHandmade,
  bedrock: bedrockHandmade,
  gemini: geminiHandmade,
  vertex: vertexHandmade,
  azure: azureHandmade,
}
