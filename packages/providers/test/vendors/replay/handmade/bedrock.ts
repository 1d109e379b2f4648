import type { Handmade } from '../handmade.ts'
import { blocks } from './bedrock/blocks.ts'
import { brokenStreams, cutStreams } from './bedrock/broken-streams.ts'
import { exceptionStreams } from './bedrock/exceptions.ts'
import { finishes } from './bedrock/finishes.ts'
import { odd } from './bedrock/odd.ts'
import { oddlySpelled, refused } from './bedrock/refused.ts'

/** What was not recorded of Amazon Bedrock. */
export const bedrockHandmade: readonly Handmade[] = [
  ...refused,
  ...oddlySpelled,
  ...exceptionStreams,
  ...brokenStreams,
  ...cutStreams,
  ...finishes,
  ...blocks,
  ...odd,
]
